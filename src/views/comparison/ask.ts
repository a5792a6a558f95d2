import * as vscode from "vscode";
import { NothingToDo } from "../../base/errors.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import { titleOf } from "../../executions/title.ts";
import { executionSection, pickExecution } from "../pick-execution.ts";
import type { Sides } from "./messages.ts";

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
  return await pickExecution(
    [
      ...executionSection(vscode.l10n.t("Same crew"), others.filter(isOwn)),
      ...executionSection(
        vscode.l10n.t("Other crews"),
        others.filter((each) => !isOwn(each)),
      ),
    ],
    vscode.l10n.t("Compare “{0}” with which execution?", titleOf(execution)),
  );
}

/** The earlier one is on the left, so that differences are what has changed since. */
export function byTime<T extends ExecutionSummary>(one: T, other: T): Sides<T> {
  return one.startedAt <= other.startedAt
    ? { left: one, right: other }
    : { left: other, right: one };
}
