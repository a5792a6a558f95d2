import * as v from "valibot";
import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { firstOfEach } from "../base/json.ts";
import { read, readTarget } from "../editor/arguments.ts";
import type { Execution } from "../executions/model.ts";
import type { Sides } from "../views/comparison/messages.ts";
import { askForOther, byTime } from "../views/pick-execution.ts";
import { isSelection } from "./answer-selected.ts";
import { chooseExecution, findExecution, namesOf } from "./choose.ts";
import type { CommandParts, Commands } from "./commands.ts";

/**
 * `compareExecutions` takes `{crew, kickoffId, with?: {crew, kickoffId}}`, with the named one on the
 * left, and returns the pair in the same form. Two selected rows are the pair.
 */
export function compareCommands(
  parts: Pick<CommandParts, "comparisons" | "crews" | "store">,
): Commands {
  const compare = async (pair: Sides<Execution> | undefined) => {
    if (pair === undefined) return undefined;
    await parts.comparisons.open(pair);
    return { ...namesOf(pair.left), with: namesOf(pair.right) };
  };
  return {
    compareExecutions: async (argument, _by, selected) =>
      compare(
        isSelection(selected) ? selectedPair(parts, selected) : await choosePair(parts, argument),
      ),
  };
}

type Parts = Pick<CommandParts, "crews" | "store">;

async function choosePair(
  { crews, store }: Parts,
  argument: unknown,
): Promise<Sides<Execution> | undefined> {
  const { with: other } = read({ with: v.exactOptional(v.unknown()) }, argument);
  const one = await chooseExecution(store, crews, argument);
  if (one === undefined) return undefined;
  if (other === undefined) {
    const asked = await askForOther(store, one);
    const found = asked && store.find(asked.localId);
    return found && byTime(one, found);
  }
  const right = await chooseExecution(store, crews, named(other));
  if (right?.localId === one.localId)
    throw new UserError(vscode.l10n.t("An execution can't be compared with itself. Name two."));
  return right && { left: one, right };
}

/** @throws UserError unless it names an execution */
function named(other: unknown): unknown {
  if (readTarget(other).kickoffId !== undefined) return other;
  throw new UserError(vscode.l10n.t("“{0}” is missing.", "with.kickoffId"));
}

/** @throws UserError unless two executions are selected */
function selectedPair({ crews, store }: Parts, rows: readonly unknown[]): Sides<Execution> {
  const found = rows.flatMap((row) => findExecution(store, crews, readTarget(row)) ?? []);
  // One that waits has a second row.
  const [one, other, ...more] = firstOfEach(found, ({ localId }) => localId);
  if (one === undefined || other === undefined || more.length > 0)
    throw new UserError(vscode.l10n.t("Select two executions to compare them."));
  return byTime(one, other);
}
