import * as vscode from "vscode";
import { NothingToDo } from "../base/errors.ts";
import { plainLabel } from "../editor/messages.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { titleOf } from "../executions/title.ts";
import type { Sides } from "./comparison/messages.ts";
import { startLabel, stateLabel } from "../view/words.ts";

export async function pickExecution(executions: readonly ExecutionSummary[], placeHolder: string) {
  // The state may be remote text.
  const items = executions.map((execution) => ({
    label: plainLabel(titleOf(execution)),
    description: plainLabel(`${execution.crew.name} · ${stateLabel(execution)}`),
    detail: startLabel(execution),
    execution,
  }));
  const options = { placeHolder, matchOnDescription: true, matchOnDetail: true };
  return (await vscode.window.showQuickPick(items, options))?.execution;
}

/** Newest first, those of the same crew before others. @throws NothingToDo if there is no other */
export async function askForOther(
  store: Pick<ExecutionStore, "list">,
  execution: ExecutionSummary,
): Promise<ExecutionSummary | undefined> {
  const others = store.list().filter(({ localId }) => localId !== execution.localId);
  if (others.length === 0)
    throw new NothingToDo(
      vscode.l10n.t("There is no other execution to compare it with. Kick off a second one."),
    );
  const isOwn = ({ crew }: ExecutionSummary) => crew.id === execution.crew.id;
  const [own, rest] = [others.filter(isOwn), others.filter((each) => !isOwn(each))];
  return await pickExecution(
    [...own, ...rest],
    vscode.l10n.t("Compare “{0}” with which execution?", titleOf(execution)),
  );
}

/** The earlier one is on the left, so that differences are what has changed since. */
export function byTime<T extends ExecutionSummary>(one: T, other: T): Sides<T> {
  return one.startedAt <= other.startedAt
    ? { left: one, right: other }
    : { left: other, right: one };
}
