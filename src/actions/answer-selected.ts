import * as vscode from "vscode";
import { messageOf, NothingToDo, UserError } from "../base/errors.ts";
import { firstOfEach } from "../base/json.ts";
import { shortName } from "../base/text.ts";
import { readTarget } from "../editor/arguments.ts";
import type { Execution } from "../executions/model.ts";
import { approved } from "../executions/resumes.ts";
import { titleOf } from "../executions/title.ts";
import { crewAndPlace } from "../feedback/target.ts";
import { may } from "../view/actions.ts";
import { type Asker, program } from "./asker.ts";
import type { AnswerParts } from "./answer.ts";
import { findExecution } from "./choose.ts";
import type { Question } from "./question.ts";

interface Answerable {
  readonly execution: Execution;
  readonly taskId: string;
  readonly attempt: number;
}

/** Several rows that a person selected. */
export function isSelection(selected: unknown): selected is readonly unknown[] {
  return Array.isArray(selected) && selected.length > 1;
}

/**
 * Approves what waits in several rows, after one question that lists it. The others are not sent.
 * @throws UserError that names what could not be approved
 */
export async function approveSelected(
  { store, crews, feedback }: AnswerParts,
  rows: readonly unknown[],
  by: Asker,
): Promise<void> {
  const found = rows.flatMap((row): Answerable[] => {
    const target = readTarget(row);
    const execution = findExecution(store, crews, target);
    const { waiting } = execution ?? {};
    if (execution === undefined || waiting === undefined || !may(execution, "approve")) return [];
    // What the person saw on the row.
    const { taskId = waiting.taskId, attempt = waiting.attempt } = target;
    return taskId === waiting.taskId ? [{ execution, taskId, attempt }] : [];
  });
  const outputs = firstOfEach(found, ({ execution }) => execution.localId);
  if (outputs.length === 0)
    throw new NothingToDo(
      vscode.l10n.t("None of the selected executions waits for your approval."),
    );
  if (!(await by.agrees(questionOf(outputs, rows.length)))) return;
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

function questionOf(outputs: readonly Answerable[], selected: number): Question {
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
