import * as l10n from "@vscode/l10n";
import {
  type ExecutionSummary,
  hasEnded,
  isLocalCrew,
  isStopping,
  mayWait,
  targetOf,
} from "../executions/model.ts";
import type { Price } from "../executions/tokens.ts";
import { answeredPause, approved, pendingResume } from "../executions/resumes.ts";
import { present } from "./words.ts";

export interface Doubt {
  readonly short: string;
  readonly text: string;
  /** Asking the crew again doesn't end it. */
  readonly isLasting: boolean;
  readonly needsToken?: boolean;
}

export interface Circumstances {
  readonly doubt?: Doubt | undefined;
  readonly isKickingOff?: boolean;
  /** A restart interrupted it, and a person is to decide about it. */
  readonly isInterrupted?: boolean;
  readonly isCrewStopped?: boolean;
  readonly canStop?: boolean;
  readonly earlier?: string | undefined;
  readonly prices?: readonly Price[];
}

export function isUnwatched(execution: ExecutionSummary, { doubt }: Circumstances): boolean {
  return !hasEnded(execution) && doubt !== undefined;
}

export const verbs = [
  "approve",
  "reject",
  "answer",
  "pasteCallback",
  "sendAgain",
  "continueExecution",
  "discardExecution",
  "startLocalCrew",
  "setToken",
  "trackExecution",
  "stop",
  "runAgain",
  "compareExecutions",
  "saveAsTest",
  "untrackExecution",
] as const;
export type Verb = (typeof verbs)[number];

/** Without a verb it only says what is under way. */
export interface Action {
  readonly verb?: Verb;
  readonly label: string;
  readonly effect?: string;
}

export function commandOn(
  execution: Pick<ExecutionSummary, "crew" | "kickoffIds" | "localId">,
  verb: string,
  title: string,
  more: object = {},
) {
  const argument = { ...targetOf(execution), by: "person", ...more };
  return { title, command: `crewdeck.${verb}`, arguments: [argument] };
}

export type Act = (verb: string, argument: object) => Promise<unknown>;

/** What a person may do now with an execution, besides answering: the one rule for all surfaces. The most needed first. */
export function actionsOf(
  execution: ExecutionSummary,
  circumstances: Circumstances = {},
): readonly Action[] {
  const { doubt, isKickingOff = false, isInterrupted = false, canStop = false } = circumstances;
  const isCrewStopped = circumstances.isCrewStopped === true && !hasEnded(execution);
  if (isKickingOff) return [];
  const { state, kickoffIds, request } = execution;
  const isUnconfirmed = state === "unconfirmed";
  const isHeld = isInterrupted || isCrewStopped;
  const mayStop = canStop && !isHeld && !hasEnded(execution) && kickoffIds.length > 0;
  const mayBeTest =
    state === "completed" && isLocalCrew(execution.crew) && execution.isRehearsed !== true;
  const again = request !== undefined && (isUnconfirmed || hasEnded(execution));
  return present<Action>(
    isInterrupted && { verb: "continueExecution", label: l10n.t("Continue") },
    isInterrupted && { verb: "discardExecution", label: l10n.t("Discard…") },
    isCrewStopped && { verb: "startLocalCrew", label: l10n.t("Serve This Crew") },
    doubt?.needsToken === true && { verb: "setToken", label: l10n.t("Set Token…") },
    isUnconfirmed && { verb: "trackExecution", label: l10n.t("Track by Its ID…") },
    mayStop && stopAction(execution),
    again && { verb: "runAgain", label: l10n.t("Run Again…") },
    hasEnded(execution) && { verb: "compareExecutions", label: l10n.t("Compare Executions…") },
    mayBeTest && request !== undefined && { verb: "saveAsTest", label: l10n.t("Save as Test") },
    isUnconfirmed && { verb: "untrackExecution", label: l10n.t("Remove from List") },
  );
}

export function answersTo(
  execution: ExecutionSummary,
  { isInterrupted = false }: Circumstances = {},
): readonly Action[] {
  const { waiting } = execution;
  if (isInterrupted) return [];
  const pending = pendingResume(execution);
  if (pending?.outcome === "sending") return [{ label: l10n.t("Sending…") }];
  const give: Action = { verb: "reject", label: l10n.t("Give Feedback…") };
  if (pending !== undefined) {
    const label = l10n.t("May have been sent – Send Again…");
    return present<Action>({ verb: "sendAgain", label }, mayWait(execution) && give);
  }
  if (mayWait(execution))
    return [give, { verb: "pasteCallback", label: l10n.t("Paste Received Callback…") }];
  if (execution.state !== "waiting" || waiting === undefined) return [];
  const again: Action | undefined = answeredPause(execution) && {
    verb: "sendAgain",
    label: l10n.t("Accepted, but it still waits – Send Again…"),
  };
  if (waiting.call?.tool !== undefined)
    return [
      again ?? { verb: "approve", label: l10n.t("Allow"), effect: l10n.t("The tool runs once") },
      { verb: "reject", label: l10n.t("Refuse…") },
    ];
  if (waiting.call !== undefined)
    return [again ?? { verb: "approve", label: l10n.t("Give as Much Again") }];
  if (waiting.options !== undefined)
    return present<Action>(again, { verb: "answer", label: l10n.t("Write Answer…") });
  const effect = l10n.t(
    "The crew continues with this output, and later tasks read “{0}” as your feedback",
    approved,
  );
  return [
    again ?? { verb: "approve", label: l10n.t("Approve"), effect },
    { verb: "reject", label: l10n.t("Reject…") },
  ];
}

export function may(execution: ExecutionSummary, verb: Verb, circumstances?: Circumstances) {
  return [...answersTo(execution, circumstances), ...actionsOf(execution, circumstances)].some(
    (action) => action.verb === verb,
  );
}

export function canAnswer(answers: readonly Action[]): boolean {
  return answers.some(({ verb }) => verb !== undefined && verb !== "sendAgain");
}

function stopAction(execution: ExecutionSummary): Action {
  if (isStopping(execution)) return { label: l10n.t("Stopping…") };
  // Only a local crew is sure to stop.
  const label = isLocalCrew(execution.crew) ? l10n.t("Stop…") : l10n.t("Try to Stop…");
  return { verb: "stop", label };
}
