import * as l10n from "@vscode/l10n";
import { defined } from "../../base/json.ts";
import { type ExecutionSummary, isNeverSeen } from "../../executions/model.ts";
import type { Position, ProjectProblem } from "../../projects/types.ts";
import type { TypedCallbacks } from "../callbacks.ts";

/** What the files of a local crew should say better, and what its Python may refuse. */
export interface Advice {
  readonly text: string;
  /** The first place. */
  readonly at?: Position;
}

/** Undefined where nothing is wrong. What has no effect is only marked in its file. */
export function adviceFrom(problems: readonly ProjectProblem[]): Advice | undefined {
  const errors = problems.filter(({ kind }) => kind === "error");
  const all = [...errors, ...problems.filter(({ kind }) => kind === "warning")];
  const [first] = all;
  if (first === undefined) return undefined;
  const { message, position } = first.error;
  const more = all.length - 1;
  return {
    text: errors.length > 0 ? refusal(message, more) : note(message, more),
    ...defined({ at: position }),
  };
}

function refusal(first: string, more: number): string {
  return more === 0
    ? l10n.t("The crew's Python may refuse this: {0}", first)
    : l10n.t("The crew's Python may refuse this: {0} ({1} more)", first, more);
}

function note(first: string, more: number): string {
  return more === 0
    ? l10n.t("1 note about this project's files: {0}", first)
    : l10n.t("{0} notes about this project's files. The first: {1}", more + 1, first);
}

/** Why it matters that no callback of the crew can come here. */
export type CallbackHint = "mayNeedPerson" | "hasWaited";

/** Undefined if the crew has run to its end and was never seen to wait. */
export function callbackHint(
  executions: readonly ExecutionSummary[],
  crewId: string,
): CallbackHint | undefined {
  const own = executions.filter(({ crew, origin }) => crew.id === crewId && origin === "kickoff");
  if (own.some(hasWaited)) return "hasWaited";
  return own.some(({ state }) => state === "completed") ? undefined : "mayNeedPerson";
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

/** Whether the person named an address of their own, which learns of each pause. */
export function toldElsewhere({ callbacks }: TypedCallbacks): boolean {
  return callbacks.humanInputWebhookUrl.trim() !== "";
}
