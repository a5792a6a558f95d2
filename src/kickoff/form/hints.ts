import * as l10n from "@vscode/l10n";
import { defined } from "../../base/json.ts";
import { type ExecutionSummary, isNeverSeen } from "../../executions/model.ts";
import type { Position, ProjectError } from "../../projects/types.ts";

/** What a local crew's Python may refuse in its files, with the first place. Undefined where nothing is wrong. */
export function adviceFrom([first, ...more]: readonly ProjectError[]):
  { readonly text: string; readonly at?: Position } | undefined {
  if (first === undefined) return undefined;
  const text = l10n.t("The crew's Python may refuse this: {0}", first.message);
  const others = more.length === 0 ? "" : ` ${l10n.t("({0} more)", more.length)}`;
  return { text: text + others, ...defined({ at: first.position }) };
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
