import * as vscode from "vscode";
import { messageOf, NothingToDo, UserError } from "../base/errors.ts";
import { shortName } from "../base/text.ts";
import { asObject, isObject } from "../base/json.ts";
import { booleanOf, numberOf, recordOf, stringOf, targetOf } from "../editor/arguments.ts";
import { activeDocument } from "../editor/execution-uri.ts";
import { showStatus } from "../editor/messages.ts";
import { type Execution, type ExecutionSummary, keyOf, toReview } from "../executions/model.ts";
import { answeredPause, approved, pendingResume } from "../executions/resumes.ts";
import { titleOf } from "../executions/title.ts";
import { crewAndAddress } from "../feedback/target.ts";
import { nextToReview } from "../views/waiting.ts";
import { findExecution } from "./choose.ts";
import type { CommandParts, Commands } from "./table.ts";

/** Outputs listed in a dialog, which would otherwise grow out of the window. */
const longestList = 15;

interface ReviewParts {
  readonly store: Pick<CommandParts["store"], "find" | "list" | "refresh">;
  readonly crews: Pick<CommandParts["crews"], "find" | "ready">;
  readonly documents: { show(execution: ExecutionSummary): Promise<unknown> };
  readonly feedback: Pick<CommandParts["feedback"], "approve">;
}

/** Takes `{back?}`, and returns the execution that it opened. */
export function reviewCommands(parts: ReviewParts): Commands {
  const { store, crews, documents } = parts;
  const open = async (step: 1 | -1) => {
    if (toReview(store.list()).length === 0)
      throw new NothingToDo(vscode.l10n.t("No execution waits for you."));
    const current = findExecution(store, crews, targetOf(activeDocument()))?.localId;
    const next = nextToReview(store.list(), current, step);
    if (next === undefined) {
      showStatus(vscode.l10n.t("Nothing else waits for you."));
      return undefined;
    }
    await documents.show(next);
    return { crew: next.crew.name, kickoffId: keyOf(next) };
  };
  return {
    nextToReview: (argument) => open(booleanOf(recordOf(argument), "back") === true ? -1 : 1),
  };
}

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
  { store, crews, feedback }: ReviewParts,
  rows: readonly unknown[],
): Promise<void> {
  const found = rows.filter(isObject).flatMap((row): Answerable[] => {
    const execution = findExecution(store, crews, targetOf(row));
    const { waiting } = execution ?? {};
    if (execution === undefined || waiting === undefined) return [];
    // What the person saw on the row.
    const { taskId, attempt } = { ...waiting, ...seenIn(row) };
    const isAnswered = pendingResume(execution) ?? answeredPause(execution);
    // What a flow asks has answers of its own.
    const isOther = taskId !== waiting.taskId || waiting.options !== undefined;
    return execution.state !== "waiting" || isOther || isAnswered !== undefined
      ? []
      : [{ execution, taskId, attempt }];
  });
  const outputs = [...new Map(found.map((each) => [each.execution.localId, each])).values()];
  if (outputs.length === 0)
    throw new NothingToDo(
      vscode.l10n.t("None of the selected executions waits for your approval."),
    );
  if (!(await confirm(outputs, rows.length))) return;
  const failures: string[] = [];
  for (const { execution, taskId, attempt } of outputs)
    try {
      await crews.ready(execution.crew);
      await feedback.approve(execution, { taskId, attempt });
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

function seenIn(row: object) {
  const given = asObject(row);
  const [taskId, attempt] = [stringOf(given, "taskId"), numberOf(given, "attempt")];
  return { ...(taskId !== undefined && { taskId }), ...(attempt !== undefined && { attempt }) };
}

async function confirm(outputs: readonly Answerable[], selected: number): Promise<boolean> {
  const lines = outputs
    .slice(0, longestList)
    .map(({ execution, taskId, attempt }) =>
      vscode.l10n.t(
        "“{0}”: task {1}, attempt {2} – {3}",
        titleOf(execution),
        shortName(taskId),
        attempt,
        crewAndAddress(execution),
      ),
    );
  if (outputs.length > lines.length)
    lines.push(vscode.l10n.t("and {0} more", outputs.length - lines.length));
  const goesTo = vscode.l10n.t(
    "“{0}” is sent to each: the crews continue with these outputs, and later tasks read that as your feedback.",
    approved,
  );
  const others =
    outputs.length === selected
      ? []
      : ["", vscode.l10n.t("The other selected rows don't wait for your approval.")];
  const approve = vscode.l10n.t("Approve");
  const chosen = await vscode.window.showInformationMessage(
    outputs.length === 1
      ? vscode.l10n.t("Approve 1 output?")
      : vscode.l10n.t("Approve {0} outputs?", outputs.length),
    { modal: true, detail: [...lines, "", goesTo, ...others].join("\n") },
    approve,
  );
  return chosen === approve;
}
