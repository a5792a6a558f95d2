import * as l10n from "@vscode/l10n";
import { defined } from "../../base/json.ts";
import { type ExecutionSummary, isNeverSeen } from "../../executions/model.ts";
import type { Position, ProjectProblem } from "../../projects/types.ts";

/**
 * What the files of a local crew should say better, and what its Python may refuse, with the first place. Undefined
 * where nothing is wrong. What has no effect is only marked in its file.
 */
export function adviceFrom(
  problems: readonly ProjectProblem[],
): { readonly text: string; readonly at?: Position } | undefined {
  const errors = problems.filter(({ kind }) => kind === "error");
  const all = [...errors, ...problems.filter(({ kind }) => kind === "warning")];
  const [first] = all;
  if (first === undefined) return undefined;
  const { message, position } = first.error;
  const more = all.length - 1;
  const text =
    errors.length > 0
      ? more === 0
        ? l10n.t("The crew's Python may refuse this: {0}", message)
        : l10n.t("The crew's Python may refuse this: {0} ({1} more)", message, more)
      : more === 0
        ? l10n.t("1 note about this project's files: {0}", message)
        : l10n.t("{0} notes about this project's files. The first: {1}", all.length, message);
  return { text, ...defined({ at: position }) };
}

/** Why it matters that no callback can come. Undefined if the crew has run to its end and never waited. */
export function callbackHint(
  executions: readonly ExecutionSummary[],
  crewId: string,
): string | undefined {
  const own = executions.filter(({ crew, origin }) => crew.id === crewId && origin === "kickoff");
  if (own.some(hasWaited))
    return l10n.t(
      "This crew has waited for a person before. It reports that only by callback, and no callback can reach this machine.",
    );
  return own.some(({ state }) => state === "completed")
    ? undefined
    : l10n.t(
        "If a task waits for you, this crew reports it only by callback, and no callback can reach this machine.",
      );
}

function hasWaited(execution: ExecutionSummary): boolean {
  const { waiting, resumes, mayBeWaiting, history = [] } = execution;
  if (waiting !== undefined || resumes.length > 0) return true;
  const waits = [{ state: execution.state, mayBeWaiting }, ...history];
  return (
    !isNeverSeen(execution) &&
    waits.some((each) => each.state === "waiting" || each.mayBeWaiting === true)
  );
}
