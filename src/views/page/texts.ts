import * as l10n from "@vscode/l10n";
import { emptyInput, lengthUnits } from "../../view/words.ts";

/** The page fills in `{0}` and `{1}`. */
export type PageTexts = ReturnType<typeof pageTexts>;

export function pageTexts() {
  return {
    units: lengthUnits(),
    actions: l10n.t("Actions"),
    result: l10n.t("Result"),
    tasks: l10n.t("Tasks"),
    inputs: l10n.t("Inputs"),
    details: l10n.t("Crew and IDs"),
    review: {
      heading: l10n.t("To review: {0}"),
      again: l10n.t("Runs again: {0}"),
      feedback: l10n.t("Feedback"),
      placeholder: l10n.t("What is good, what should be different?"),
      saved: l10n.t("Saved on this machine as you type. Nothing is sent yet."),
      approve: l10n.t("Approve"),
      approveWithNote: l10n.t("Approve with Note"),
      reject: l10n.t("Reject"),
      asks: l10n.t("Asks you: {0}"),
      choose: l10n.t("Choose an answer, or write another"),
      answer: l10n.t("Your answer"),
      sendAnswer: l10n.t("Send Answer"),
      answerPlaceholder: l10n.t("The flow continues with it."),
      clearFirst: l10n.t("Clear what you wrote to choose an answer, or use “Send Answer”."),
      needsText: l10n.t("Write your feedback first."),
      needsAnswer: l10n.t("Write your answer first."),
      hasText: l10n.t("Clear the feedback to approve without it, or use “Approve with Note”."),
      sending: l10n.t("Sending…"),
      runsAgain: l10n.t("The task runs again with your feedback. Its next output appears here."),
    },
    attempt: l10n.t("Attempt {0}"),
    openOutput: l10n.t("Open as Document"),
    cut: l10n.t("This output is large ({0}). This is its beginning."),
    compare: l10n.t("Compare with Attempt {0}"),
    showOutput: l10n.t("Show Output"),
    openDiff: l10n.t("Open in Diff Editor"),
    same: l10n.t("The outputs are the same."),
    tooDifferent: l10n.t("The outputs are too different to be compared here."),
    missing: l10n.t("The crew has not returned this output."),
    empty: l10n.t("empty output"),
    emptyInput: emptyInput(),
    inReview: l10n.t("Waits for you, above."),
    steps: l10n.t("Steps ({0})"),
    hiddenSteps: l10n.t("{0} earlier steps are not shown."),
    openPicture: l10n.t("Open Picture"),
    step: {
      thought: l10n.t("Thought"),
      arguments: l10n.t("Arguments"),
      result: l10n.t("Result"),
      error: l10n.t("Error"),
    },
    stepStates: {
      running: l10n.t("running"),
      completed: l10n.t("completed"),
      failed: l10n.t("failed"),
    },
    image: l10n.t("Image, not loaded: {0}"),
    more: l10n.t("{0} more"),
  };
}
