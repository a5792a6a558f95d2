import * as l10n from "@vscode/l10n";
import { CrewApiError } from "../api/errors.ts";
import { actionsOf, type ErrorAction, messageOf, UserError } from "../base/errors.ts";
import { keyOf } from "../executions/model.ts";
import { titleOf } from "../executions/title.ts";
import type { FeedbackToSend } from "./feedback.ts";

/** How a pause can be over. */
export type StaleKind =
  /** Somebody has answered this output: another window, another client. */
  | "answered"
  /** It was answered from here, and the crew accepted that, but still reports the pause. Only a person may answer it again. */
  | "stillPaused"
  | "ended"
  /** The task ran again meanwhile, and another output waits. */
  | "newerAttempt"
  /** It was answered, and continues under another id. */
  | "newId"
  | "untracked";

/** The pause that feedback was written for is over. Nothing was sent. */
export class StaleFeedbackError extends UserError {
  readonly kind: StaleKind;

  /** @param why whole sentences: what happened and what to do next */
  constructor(kind: StaleKind, why: string, actions: readonly ErrorAction[] = []) {
    super(l10n.t("Your feedback was not sent: {0}", why), actions);
    this.name = "StaleFeedbackError";
    this.kind = kind;
  }
}

/** Secrets of callbacks can't be read from the secret storage, so they can't be sent again. Nothing was sent. */
export class LostSecretsError extends UserError {
  /** The addresses of those callbacks. */
  readonly addresses: readonly string[];

  constructor(addresses: readonly string[]) {
    super(
      l10n.t(
        "Your feedback was not sent: the secret of a callback can't be read from this machine's secret storage.",
      ),
    );
    this.name = "LostSecretsError";
    this.addresses = addresses;
  }
}

/** Feedback certainly had no effect. The message names it and its execution; `cause` says what went wrong. */
export class NotTakenError extends UserError {
  constructor(message: string, cause: Error, actions: readonly ErrorAction[]) {
    super(message, actions);
    this.name = "NotTakenError";
    this.cause = cause;
  }
}

/** Feedback was sent, now or earlier, and nobody knows whether it arrived. Only a person may send it again. */
export class MaybeSentError extends UserError {
  constructor(message: string, cause?: unknown, actions: readonly ErrorAction[] = []) {
    super(message, actions);
    this.name = "MaybeSentError";
    this.cause = cause;
  }
}

/** Whether a request certainly had no effect: the crew refused it, or it failed before it was sent. */
export function isCertainlyNotTaken(error: unknown): boolean {
  return error instanceof CrewApiError ? error.sent === "no" : error instanceof UserError;
}

/** Whether a request that certainly had no effect never reached the crew. A proxy's refusal (407) has a status, too. */
export function isUnsent(error: unknown): boolean {
  return (
    !(error instanceof CrewApiError) || error.status === undefined || error.kind === "unreachable"
  );
}

/** An error of sending that names the feedback and its execution. Errors that do so themselves, and unforeseen ones, stay as they are. */
export function namingFeedback(error: unknown, { execution, isApprove }: FeedbackToSend): unknown {
  if (
    error instanceof StaleFeedbackError ||
    error instanceof LostSecretsError ||
    error instanceof MaybeSentError ||
    !(error instanceof Error && isCertainlyNotTaken(error))
  )
    return error;
  const parts = [titleOf(execution), messageOf(error)] as const;
  const message = isUnsent(error)
    ? isApprove
      ? l10n.t("Your approval of “{0}” was not sent: {1}", ...parts)
      : l10n.t("Your rejection of “{0}” was not sent: {1}", ...parts)
    : isApprove
      ? l10n.t("The crew did not accept your approval of “{0}”: {1}", ...parts)
      : l10n.t("The crew did not accept your rejection of “{0}”: {1}", ...parts);
  const target = { kind: "notTaken", crew: execution.crew.id, kickoffId: keyOf(execution) };
  return new NotTakenError(message, error, [
    ...actionsOf(error),
    { title: l10n.t("Open Execution"), command: "crewdeck.openExecution", arguments: [target] },
  ]);
}
