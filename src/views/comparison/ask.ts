import * as vscode from "vscode";
import { NothingToDo } from "../../base/errors.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import { titleOf } from "../../executions/title.ts";
import { executionItem, pickExecution } from "../pick-execution.ts";
import type { Sides } from "./messages.ts";

/** Newest first, those of the same crew before others. @throws NothingToDo if there is no other */
export async function askForOther(
  store: Pick<ExecutionStore, "list">,
  { localId, crew, ...rest }: ExecutionSummary,
): Promise<ExecutionSummary | undefined> {
  const others = store.list().filter((each) => each.localId !== localId);
  if (others.length === 0)
    throw new NothingToDo(
      vscode.l10n.t("There is no other execution to compare it with. Kick off a second one."),
    );
  const own = others.filter((each) => each.crew.id === crew.id);
  const section = (label: string, executions: readonly ExecutionSummary[]) =>
    executions.length === 0
      ? []
      : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...executions.map(executionItem)];
  return await pickExecution(
    [
      ...section(vscode.l10n.t("Same crew"), own),
      ...section(
        vscode.l10n.t("Other crews"),
        others.filter((each) => each.crew.id !== crew.id),
      ),
    ],
    vscode.l10n.t("Compare “{0}” with which execution?", titleOf({ localId, crew, ...rest })),
  );
}

/** The earlier one is on the left, so that differences are what has changed since. */
export function byTime<T extends ExecutionSummary>(one: T, other: T): Sides<T> {
  return one.startedAt <= other.startedAt
    ? { left: one, right: other }
    : { left: other, right: one };
}
