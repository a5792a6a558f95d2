import * as vscode from "vscode";
import { messageOf, NothingToDo, UserError } from "../base/errors.ts";
import { defined, firstOfEach } from "../base/json.ts";
import { shortName } from "../base/text.ts";
import { read, readTarget, targetMembers, text } from "../editor/arguments.ts";
import { activeDocument } from "../editor/execution-uri.ts";
import type { Execution } from "../executions/model.ts";
import { approved } from "../executions/resumes.ts";
import { titleOf } from "../executions/title.ts";
import { crewAndPlace } from "../crews/place.ts";
import { may } from "../view/actions.ts";
import { type Asker, program } from "./asker.ts";
import { Feedback, type FeedbackOptions, type GivenFeedback } from "./feedback.ts";
import type { Question } from "./question.ts";
import type { Targets } from "./targets.ts";

export interface AnswerParts extends FeedbackOptions {
  readonly targets: Targets;
}

/** Each takes `{crew, kickoffId, taskId?, attempt?, feedback?}`, and returns the crew's `{status, message}`. */
export function answerVerbs(parts: AnswerParts) {
  const { targets } = parts;
  const feedback = new Feedback(parts);
  const none = vscode.l10n.t("No execution waits for you.");
  const approve = (execution: Execution, argument: unknown, by: Asker) =>
    feedback.approve(execution, givenIn(execution, argument), by);
  const approveOne = targets.onExecution(approve, ["reject", "answer"], none);
  return {
    approve: async (argument: unknown, by: Asker, selected?: readonly unknown[]) =>
      selected === undefined
        ? await approveOne(argument, by)
        : await approveSelected(targets, feedback, selected, by),
    reject: targets.onExecution(
      (execution, argument, by) => feedback.reject(execution, givenIn(execution, argument), by),
      ["reject", "answer"],
      none,
    ),
    answer: targets.onExecution(
      (execution, argument, by) => {
        if (execution.waiting?.options !== undefined) return approve(execution, argument, by);
        throw new NothingToDo(
          vscode.l10n.t("This execution has no flow that waits for your answer."),
        );
      },
      ["answer"],
      vscode.l10n.t("No flow waits for your answer."),
    ),
    sendAgain: targets.onExecution(
      (execution, _argument, by) => feedback.sendAgain(execution, by),
      ["sendAgain"],
    ),
  };
}

/** Without an argument, of the document on the screen: in a comparison, the person sees one attempt. */
function givenIn(execution: Execution, argument: unknown): GivenFeedback {
  const active = argument === undefined ? readTarget(activeDocument()) : {};
  const isHere = active.kickoffId !== undefined && execution.kickoffIds.includes(active.kickoffId);
  const { taskId, attempt } = isHere ? active : {};
  const { feedback, ...given } = read({ ...targetMembers, feedback: text }, argument);
  return defined({
    taskId: given.taskId ?? taskId,
    attempt: given.attempt ?? attempt,
    feedback,
  });
}

/** What a person saw on a row. */
interface ShownOutput {
  readonly execution: Execution;
  readonly taskId: string;
  readonly attempt: number;
}

/**
 * Approves what waits in several rows, after one question that lists it. The others are not sent.
 * @throws UserError that names what could not be approved
 */
export async function approveSelected(
  targets: Pick<Targets, "find">,
  feedback: Pick<Feedback, "approve">,
  rows: readonly unknown[],
  by: Asker,
): Promise<undefined> {
  const shown = rows.flatMap((row): ShownOutput[] => {
    const target = readTarget(row);
    const execution = targets.find(target);
    const { waiting } = execution ?? {};
    if (execution === undefined || waiting === undefined || !may(execution, "approve")) return [];
    const { taskId = waiting.taskId, attempt = waiting.attempt } = target;
    return taskId === waiting.taskId ? [{ execution, taskId, attempt }] : [];
  });
  const outputs = firstOfEach(shown, ({ execution }) => execution.localId);
  if (outputs.length === 0)
    throw new NothingToDo(
      vscode.l10n.t("None of the selected executions waits for your approval."),
    );
  if (!(await by.agrees(selectionQuestion(outputs, rows.length)))) return;
  const failures: string[] = [];
  for (const { execution, taskId, attempt } of outputs)
    try {
      await feedback.approve(execution, { taskId, attempt }, program);
    } catch (error) {
      failures.push(vscode.l10n.t("“{0}”: {1}", titleOf(execution), messageOf(error)));
    }
  if (failures.length > 0)
    throw new UserError(
      vscode.l10n.t(
        "{0} of {1} outputs were not approved. {2}",
        failures.length,
        outputs.length,
        failures.join(" "),
      ),
    );
}

function selectionQuestion(outputs: readonly ShownOutput[], selected: number): Question {
  const lines = outputs.map(({ execution, taskId, attempt }) =>
    vscode.l10n.t(
      "“{0}”: task {1}, attempt {2} – {3}",
      titleOf(execution),
      shortName(taskId),
      attempt,
      crewAndPlace(execution),
    ),
  );
  return {
    title:
      outputs.length === 1
        ? vscode.l10n.t("Approve 1 output?")
        : vscode.l10n.t("Approve {0} outputs?", outputs.length),
    parts: [
      vscode.l10n.t(
        "“{0}” is sent to each: the crews continue with these outputs, and later tasks read that as your feedback.",
        approved,
      ),
      ...(outputs.length === selected
        ? []
        : [vscode.l10n.t("The other selected rows don't wait for your approval.")]),
      { list: lines },
    ],
    allow: vscode.l10n.t("Approve"),
  };
}
