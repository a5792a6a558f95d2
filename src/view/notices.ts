import * as l10n from "@vscode/l10n";
import type { RunAgainFrom } from "../api/types.ts";
import {
  asksElsewhere,
  failedCallbacks,
  hasEnded,
  isLocalCrew,
  isNeverSeen,
  mayWait,
  type Execution,
  type WaitingSummary,
} from "../executions/model.ts";
import { answeredPause } from "../executions/resumes.ts";
import type { Circumstances } from "./actions.ts";
import { fencedLines, inlineName, inlineText } from "./markdown.ts";
import { callQuestion, failedAtModel, isRehearsal, isStarting, present } from "./words.ts";

export interface Notice {
  readonly id:
    | "doubt"
    | "rehearsal"
    | "waits"
    | "unconfirmed"
    | "may be waiting"
    | "queued"
    | "run again"
    | "answered pause"
    | "undelivered callbacks"
    | "no result"
    | "test"
    | "error";
  readonly kind: "info" | "warning" | "error";
  readonly title?: string;
  readonly lines: readonly string[];
}

export function noticesOf(
  execution: Execution,
  { doubt, isKickingOff = false, isInterrupted = false, earlier }: Circumstances,
): readonly Notice[] {
  const { state, crew, engine, output, waiting, request } = execution;
  const runAgain = request?.runAgain;
  const isQueuedHere =
    state === "queued" && engine === "crewai" && isLocalCrew(crew) && !isInterrupted;
  const pause = answeredPause(execution);
  const info = (id: Notice["id"], line: string): Notice => ({ id, kind: "info", lines: [line] });
  return present<Notice>(
    doubt && { id: "doubt", kind: "warning", lines: [inlineText(doubt.text)] },
    isRehearsal(execution) &&
      info(
        "rehearsal",
        l10n.t(
          "Rehearsal: no language model was called. The outputs only repeat what the agents were asked.",
        ),
      ),
    pause === undefined &&
      waiting && {
        ...info("waits", waitsText(waiting)),
        lines: [
          waitsText(waiting),
          ...(waiting.call?.tool === undefined
            ? []
            : ["", ...fencedLines(waiting.output ?? "", "json")]),
        ],
      },
    state === "unconfirmed" && !isKickingOff && unconfirmedNotice(),
    mayWait(execution) && mayBeWaitingNotice(execution),
    isQueuedHere &&
      info(
        "queued",
        isStarting(execution)
          ? l10n.t("It begins when Python has loaded the project, which can take a while.")
          : l10n.t(
              "It starts after the crew's other executions: they run one at a time, unless the setting “crewdeck.local.parallel” allows more.",
            ),
      ),
    runAgain && info("run again", runAgainText(runAgain, earlier)),
    pause &&
      info(
        "answered pause",
        present(
          l10n.t(
            "The crew accepted your feedback on “{0}”, but it still reports the pause. Most likely it is only slow. Nothing is sent again by itself.",
            inlineName(pause.taskId),
          ),
          waiting && l10n.t("“Send Again…” asks first."),
        ).join(" "),
      ),
    undeliveredNotice(execution),
    testNotice(execution),
    state === "completed" &&
      output === undefined &&
      info("no result", l10n.t("The crew ended without an output. {0}", lookForCause())),
    errorNotice(execution),
  );
}

function lookForCause(): string {
  return l10n.t("Look for the cause in the crew's log.");
}

function waitsText({ taskId, options, call }: WaitingSummary): string {
  const task = inlineName(taskId);
  if (call !== undefined) return `${task}: ${inlineText(callQuestion(call))}`;
  return options === undefined
    ? l10n.t("The output of task {0} waits for you: approve it, or reject it with feedback.", task)
    : l10n.t("The flow asks you at {0} and continues with your answer.", task);
}

function unconfirmedNotice(): Notice {
  const doubt = l10n.t(
    "The kickoff request was sent, but no response says whether the execution started. It may have. The request is not sent again by itself, since a kickoff can cost money.",
  );
  const next = l10n.t(
    "Look in the crew's log or dashboard. If it runs there, use “Crewdeck: Track an Execution by Its ID…” with its ID; then, or if it does not run, remove this one from the list.",
  );
  return { id: "unconfirmed", kind: "warning", lines: [doubt, "", next] };
}

function mayBeWaitingNotice(execution: Execution): Notice {
  const notice = (title: string, ...lines: readonly string[]): Notice => ({
    ...{ id: "may be waiting", kind: "warning", title, lines },
  });
  if (asksElsewhere(execution))
    return notice(
      l10n.t("The flow asks a person"),
      l10n.t(
        "It waits for an answer, which is given in the crew's dashboard: “Open Dashboard” in the menu of its row leads there. To be asked here, let the deployment send its feedback webhook to this machine: “Crewdeck: Test Callbacks” gives the address.",
      ),
    );
  const isGone = l10n.t(
    "The crew does not know this ID. A deployed crew that waits for a person looks the same: only its human-input callback reports which task waits.",
  );
  const next = l10n.t(
    "If your own webhook received that callback, copy it and use “Paste Received Callback…”. If you know the task's ID, give feedback here: if it does not wait, the crew says so and nothing is lost.",
  );
  if (!isNeverSeen(execution)) return notice(l10n.t("It may be waiting for you"), isGone, "", next);
  const check = l10n.t(
    "Check the ID, and that it is of an execution of this crew. If it is wrong, remove this one from the list and track the right ID.",
  );
  return notice(l10n.t("The crew does not know this ID"), check, "", isGone, "", next);
}

function runAgainText({ taskId, executionId, outputs = {} }: RunAgainFrom, earlier?: string) {
  const from = earlier === undefined ? `\`${executionId}\`` : inlineName(earlier);
  const edited = Object.keys(outputs).map(inlineName).join(", ");
  const task = inlineName(taskId);
  const began = l10n.t("It began at task {0}, with the earlier outputs of {1}.", task, from);
  return edited === "" ? began : `${began} ${l10n.t("Edited before: {0}.", edited)}`;
}

function undeliveredNotice(execution: Execution): Notice | undefined {
  const failed = failedCallbacks(execution).map(({ kind, count, error = "", isGivenUp }) =>
    present(
      `${count} × ${inlineText(kind.replaceAll("_", " "))}`,
      isGivenUp === true && l10n.t("given up"),
      error !== "" && inlineText(error),
    ).join(", "),
  );
  if (failed.length === 0) return undefined;
  const text = l10n.t("Callbacks that have not arrived: {0}", failed.join("; "));
  return { id: "undelivered callbacks", kind: "warning", lines: [text] };
}

function testNotice({ test }: Execution): Notice | undefined {
  if (!test) return undefined;
  const isPassed = test.state === "passed";
  const grade =
    test.grade !== undefined && l10n.t("The model's grade is {0} of 10 on average.", test.grade);
  return {
    ...{ id: "test", kind: isPassed ? "info" : "warning" },
    title: isPassed ? l10n.t("The test passed") : l10n.t("The test did not pass"),
    lines: present(grade, ...test.failures.map((failure) => `- ${inlineText(failure)}`)),
  };
}

function errorNotice(execution: Execution): Notice | undefined {
  const { state, error } = execution;
  if (!hasEnded(execution) || (error === undefined && state !== "failed")) return undefined;
  const cause =
    error === undefined
      ? [l10n.t("The crew does not say what went wrong.")]
      : fencedLines(error, "text");
  const remedy = failedAtModel(execution)
    ? l10n.t(
        "Check the crew's model and its key in the project's .env file, or use “Choose Model…” in the menu of the crew's row, then kick off again.",
      )
    : lookForCause();
  return { id: "error", kind: "error", title: l10n.t("Error"), lines: [...cause, "", remedy] };
}
