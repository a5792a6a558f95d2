import * as vscode from "vscode";
import { shortName } from "../base/text.ts";
import type { Crews } from "../crews/crews.ts";
import { UserError } from "../base/errors.ts";
import { plainLabel } from "../editor/messages.ts";
import { type AttemptPair, attemptPairs } from "../executions/attempts.ts";
import type { Execution, ExecutionSummary } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { outputUri } from "../views/document/output-editors.ts";
import { isProgram, numberOf, recordOf, targetOf } from "./arguments.ts";
import { chooseExecution } from "./choose.ts";
import type { Command } from "./table.ts";

/**
 * `crewdeck.compareAttempts`, with `{crew, kickoffId, taskId?, attempt?}`: what a rejection changed, as a diff of an attempt
 * and the one before it; of the last one where none is named. Returns `{taskId, previous, attempt}`.
 */
export function compareCommand(store: ExecutionStore, crews: Crews): Command {
  return {
    id: "compareAttempts",
    async run(argument) {
      const { taskId, attempt = numberOf(recordOf(argument), "attempt") } = targetOf(argument);
      const execution = await chooseExecution(
        store,
        crews,
        argument,
        (candidate) => attemptPairs(candidate).length > 0,
      );
      if (execution === undefined) return undefined;
      const fitting = attemptPairs(execution).filter(
        (pair) =>
          (taskId === undefined || pair.taskId === taskId) &&
          (attempt === undefined || pair.attempt === attempt),
      );
      if (fitting.length === 0)
        throw new UserError(
          vscode.l10n.t(
            "There are no two outputs to compare: a task has a second one after it was rejected and done again.",
          ),
        );
      const pair =
        isProgram(argument) || attempt !== undefined
          ? fitting.at(-1)
          : await choosePair(execution, fitting);
      return pair && (await showDiff(execution, pair));
    },
  };
}

/** The pair at the end of the one task there is, or one that the person chooses, the newest first. */
async function choosePair(
  { waiting }: ExecutionSummary,
  pairs: readonly AttemptPair[],
): Promise<AttemptPair | undefined> {
  const waits = pairs.findLast(
    (pair) => pair.taskId === waiting?.taskId && pair.attempt === waiting.attempt,
  );
  if (pairs.length === 1 || waits !== undefined) return waits ?? pairs[0];
  const items = pairs.toReversed().map((pair) => ({
    label: plainLabel(shortName(pair.taskId)),
    description: vscode.l10n.t("attempt {0} with attempt {1}", pair.attempt, pair.previous),
    pair,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Compare Attempts"),
    placeHolder: vscode.l10n.t("Which attempt, with the one before it?"),
  });
  return chosen?.pair;
}

async function showDiff(execution: Execution, pair: AttemptPair): Promise<AttemptPair> {
  const { taskId, previous, attempt } = pair;
  const title = vscode.l10n.t(
    "{0}: attempt {1} ↔ attempt {2}",
    shortName(taskId),
    previous,
    attempt,
  );
  await vscode.commands.executeCommand(
    "vscode.diff",
    outputUri(execution, taskId, previous),
    outputUri(execution, taskId, attempt),
    title,
  );
  return pair;
}
