import * as v from "valibot";
import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { read, readTarget } from "../editor/arguments.ts";
import type { Execution } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Sides } from "../views/comparison/messages.ts";
import type { ComparisonRoom } from "../views/comparison/register.ts";
import { askForOther, byTime } from "../views/pick-execution.ts";
import type { Asker } from "./asker.ts";
import { namesOf, type Targets } from "./targets.ts";

export interface CompareParts {
  readonly targets: Targets;
  readonly store: Pick<ExecutionStore, "find" | "list">;
  readonly comparisons: Pick<ComparisonRoom, "open">;
}

/**
 * Takes `{crew, kickoffId, with?: {crew, kickoffId}}`, with the named one on the left, and returns
 * the pair in the same form. Two selected rows are the pair.
 */
export function compareVerb({ targets, store, comparisons }: CompareParts) {
  const choosePair = async (argument: unknown): Promise<Sides<Execution> | undefined> => {
    const { with: other } = read({ with: v.exactOptional(v.unknown()) }, argument);
    const left = await targets.execution(argument);
    if (left === undefined) return undefined;
    if (other === undefined) {
      const asked = await askForOther(store, left);
      const found = asked && store.find(asked.localId);
      return found && byTime(left, found);
    }
    if (readTarget(other).kickoffId === undefined)
      throw new UserError(vscode.l10n.t("“{0}” is missing.", "with.kickoffId"));
    const right = await targets.execution(other);
    if (right?.localId === left.localId)
      throw new UserError(vscode.l10n.t("An execution can't be compared with itself. Name two."));
    return right && { left, right };
  };
  const selectedPair = (rows: readonly unknown[]) => {
    const [one, other, ...more] = targets.selected(rows);
    if (one === undefined || other === undefined || more.length > 0)
      throw new UserError(vscode.l10n.t("Select two executions to compare them."));
    return byTime(one, other);
  };
  return async (argument: unknown, _by: Asker, selected?: readonly unknown[]) => {
    const pair = selected === undefined ? await choosePair(argument) : selectedPair(selected);
    if (pair === undefined) return undefined;
    await comparisons.open(pair);
    return { ...namesOf(pair.left), with: namesOf(pair.right) };
  };
}
