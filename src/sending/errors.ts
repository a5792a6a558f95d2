import * as l10n from "@vscode/l10n";
import { CrewApiError } from "../api/errors.ts";
import { actionsOf, type ErrorAction, messageOf, UserError } from "../base/errors.ts";
import { shortName } from "../base/text.ts";
import { isOpenRequest } from "../executions/flow-requests.ts";
import { type Execution, hasEnded, keyOf, targetOf } from "../executions/model.ts";
import {
  answeredPause,
  attemptToAnswer,
  resumesOf,
  type ResumeTarget,
} from "../executions/resumes.ts";
import { titleOf } from "../executions/title.ts";
import type { FeedbackToSend } from "./feedback.ts";
import { hadNoEffect } from "./outbox.ts";

type StaleKind =
  /** Another window or client has answered this output. */
  | "answered"
  /** The crew accepted our answer, but still reports the pause. */
  | "stillPaused"
  | "ended"
  /** The task ran again, and another output waits. */
  | "newerAttempt"
  /** It was answered, and continues under another ID. */
  | "newId"
  | "untracked";

/** The pause that feedback was written for is over. Nothing was sent. */
export class StaleFeedbackError extends UserError {
  override readonly name = "StaleFeedbackError";
  readonly kind: StaleKind;

  /** @param why whole sentences: what happened and what to do next */
  constructor(kind: StaleKind, why: string, actions: readonly ErrorAction[] = []) {
    super(l10n.t("Your feedback was not sent: {0}", why), actions);
    this.kind = kind;
  }
}

/** The secrets of callbacks can't be read to send them again. Nothing was sent. */
export class LostSecretsError extends UserError {
  override readonly name = "LostSecretsError";
  readonly addresses: readonly string[];

  constructor(addresses: readonly string[]) {
    super(
      l10n.t(
        "Your feedback was not sent: the secret of a callback can't be read from this machine's secret storage.",
      ),
    );
    this.addresses = addresses;
  }
}

/** No person has allowed yet to send answers of this crew to this host. Nothing was sent. */
export class UnknownHostError extends UserError {
  override readonly name = "UnknownHostError";
  readonly host: string;

  constructor(host: string) {
    super(l10n.t("Your answer was not sent: nobody has allowed to send answers to {0}.", host));
    this.host = host;
  }
}

/** Feedback may have arrived. Only a person may send it again. */
export class MaybeSentError extends UserError {
  override readonly name = "MaybeSentError";
}

/** Whether such a request never reached the crew. A proxy's refusal (407) has a status, too. */
export function isUnsent(error: unknown): boolean {
  return (
    !(error instanceof CrewApiError) || error.status === undefined || error.kind === "unreachable"
  );
}

export function buttonsOf(execution: Execution) {
  const target = targetOf(execution);
  const button = (title: string, command: string): ErrorAction => ({
    title,
    command,
    arguments: [target],
  });
  return {
    target,
    open: button(l10n.t("Open Execution"), "crewdeck.openExecution"),
    again: button(l10n.t("Send Again…"), "crewdeck.sendAgain"),
  };
}

/** Makes an error that had no effect name the feedback and its execution. */
export function namingFeedback(error: unknown, { execution }: FeedbackToSend): unknown {
  const selfNaming = [StaleFeedbackError, LostSecretsError, UnknownHostError, MaybeSentError];
  const namesItself = selfNaming.some((kind) => error instanceof kind);
  if (namesItself || !hadNoEffect(error)) return error;
  const parts = [titleOf(execution), messageOf(error)] as const;
  const text = isUnsent(error)
    ? l10n.t("Your feedback on “{0}” was not sent: {1}", ...parts)
    : l10n.t("Your feedback on “{0}” was not accepted: {1}", ...parts);
  const actions = [...actionsOf(error), buttonsOf(execution).open];
  return new UserError(text, actions, { cause: error });
}

/** Why what any window has stored makes feedback too late; undefined while the pause may wait. */
export function staleByRecord(
  now: Execution,
  shown: Execution,
  target: ResumeTarget,
  again: boolean,
): StaleFeedbackError | undefined {
  const { taskId } = target;
  const asked = shown.kickoffIds.at(-1);
  if (asked !== undefined && now.kickoffIds.at(-1) !== asked)
    return staleError("newId", now, target);
  if (hasEnded(now)) return staleError("ended", now, target);
  if (answeredPause(now)?.taskId === taskId) {
    if (!again) return staleError("stillPaused", now, target);
  } else if (resumesOf(now, target).at(-1)?.outcome === "answered") {
    const isNewer = now.waiting?.taskId === taskId;
    return staleError(isNewer ? "newerAttempt" : "answered", now, target);
  }
  if (now.waiting === undefined || !sawOutput(shown, taskId)) return undefined;
  if (isOpenRequest(now, target)) return undefined;
  return now.waiting.taskId === taskId
    ? staleByAttempt(now, target)
    : staleError("answered", now, target);
}

/** Undefined if the attempt is the one to answer. */
export function staleByAttempt(
  now: Execution,
  target: ResumeTarget,
): StaleFeedbackError | undefined {
  if (attemptToAnswer(now, target.taskId) === target.attempt) return undefined;
  const isNewer = now.waiting?.taskId === target.taskId;
  return staleError(isNewer ? "newerAttempt" : "answered", now, target);
}

export function staleError(
  kind: Exclude<StaleKind, "untracked">,
  now: Execution,
  { taskId, attempt }: ResumeTarget,
): StaleFeedbackError {
  const { target, open, again } = buttonsOf(now);
  const task = shortName(taskId);
  const waits = now.waiting?.attempt ?? attempt + 1;
  const compare = {
    title: l10n.t("Compare with Previous Attempt"),
    command: "crewdeck.compareAttempts",
    arguments: [{ ...target, taskId, attempt: waits }],
  };
  const all: Record<typeof kind, readonly [why: string, ...ErrorAction[]]> = {
    answered: [answeredText(now, taskId)],
    stillPaused: [
      l10n.t(
        "the crew accepted your feedback on this output of “{0}”, but still reports the pause. It may only be slow. Wait for its next output, or send your feedback again.",
        task,
      ),
      again,
    ],
    ended: [
      l10n.t(
        "the execution has ended, so nothing waits any more. Read its result, or kick it off again for another one.",
      ),
    ],
    newerAttempt: [
      l10n.t(
        "a newer output of “{0}” waits now: attempt {1}, and you were at attempt {2}. Read it first, then answer it.",
        task,
        waits,
        attempt,
      ),
      compare,
    ],
    newId: [
      l10n.t(
        "it was answered elsewhere, and the execution continues under a new ID, {0}. That is followed here: see what waits there, and answer that.",
        shortName(now.kickoffIds.at(-1) ?? keyOf(now)),
      ),
    ],
  };
  const [why, ...more] = all[kind];
  return new StaleFeedbackError(kind, why, [open, ...more]);
}

/** Whoever typed the task's ID has seen no output, so can't mean another one. */
function sawOutput({ waiting, stillPaused }: Execution, taskId: string): boolean {
  return (waiting ?? stillPaused)?.taskId === taskId;
}

function answeredText({ waiting, resumes }: Execution, taskId: string): string {
  const task = shortName(taskId);
  if (waiting !== undefined && waiting.taskId !== taskId)
    return l10n.t(
      "“{0}” has been answered, and “{1}” waits now. Read that output, then answer it.",
      task,
      shortName(waiting.taskId),
    );
  return resumes.some((resume) => resume.taskId === taskId && resume.outcome === "answered")
    ? l10n.t(
        "“{0}” has been answered already, and the crew accepted that. Its next output appears here.",
        task,
      )
    : l10n.t(
        "“{0}” has been answered already, in another window or by somebody else. The crew continues; its next output appears here.",
        task,
      );
}
