import * as l10n from "@vscode/l10n";
import { action, actionsOf, type ErrorAction, messageOf, UserError } from "../base/errors.ts";
import { shortName } from "../base/text.ts";
import { isOpenRequest } from "../executions/flow-requests.ts";
import { type Execution, hasEnded, targetOf } from "../executions/model.ts";
import {
  answeredPause,
  attemptToAnswer,
  resumesOf,
  type ResumeTarget,
} from "../executions/resumes.ts";
import { titleOf } from "../executions/title.ts";
import { hadNoEffect } from "./outbox.ts";

/** The pause that feedback was written for is over, or is answered. Nothing was sent. */
export class StaleFeedbackError extends UserError {
  override readonly name = "StaleFeedbackError";
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

/** A request may have arrived. Only a person may send it again. */
export class MaybeSentError extends UserError {
  override readonly name = "MaybeSentError";
}

function openButton(execution: Execution): ErrorAction {
  return action(l10n.t("Open Execution"), "crewdeck.openExecution", targetOf(execution));
}

export function againButtons(execution: Execution): readonly ErrorAction[] {
  const again = action(l10n.t("Send Again…"), "crewdeck.sendAgain", targetOf(execution));
  return [openButton(execution), again];
}

export function namingFeedback(
  error: unknown,
  { execution }: { readonly execution: Execution },
): unknown {
  const selfNaming = [StaleFeedbackError, LostSecretsError, UnknownHostError, MaybeSentError];
  const namesItself = selfNaming.some((kind) => error instanceof kind);
  if (namesItself || !hadNoEffect(error)) return error;
  const text = l10n.t("Your feedback on “{0}” failed: {1}", titleOf(execution), messageOf(error));
  return new UserError(text, [...actionsOf(error), openButton(execution)], { cause: error });
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
  if ((asked !== undefined && now.kickoffIds.at(-1) !== asked) || hasEnded(now))
    return staleError(now, taskId);
  if (answeredPause(now)?.taskId === taskId) {
    if (!again) {
      const message = l10n.t(
        "Your feedback was not sent: the crew accepted your feedback on this output of “{0}”, but still reports the pause. It may only be slow. Wait for its next output, or send your feedback again.",
        shortName(taskId),
      );
      return new StaleFeedbackError(message, againButtons(now));
    }
  } else if (resumesOf(now, target).at(-1)?.outcome === "answered") return staleError(now, taskId);
  // Whoever typed the task's ID has seen no output, so can't mean another one.
  const hasSeen = (shown.waiting ?? shown.stillPaused)?.taskId === taskId;
  if (now.waiting === undefined || !hasSeen || isOpenRequest(now, target)) return undefined;
  return now.waiting.taskId === taskId ? staleByAttempt(now, target) : staleError(now, taskId);
}

/** Undefined if the attempt is the one to answer. */
export function staleByAttempt(now: Execution, { taskId, attempt }: ResumeTarget) {
  return attemptToAnswer(now, taskId) === attempt ? undefined : staleError(now, taskId);
}

export function staleError(now: Execution, taskId: string): StaleFeedbackError {
  const message = l10n.t(
    "Your feedback was not sent: this output of “{0}” no longer waits. See what the execution does now, and answer what waits there.",
    shortName(taskId),
  );
  return new StaleFeedbackError(message, [openButton(now)]);
}
