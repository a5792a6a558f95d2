import * as l10n from "@vscode/l10n";
import { CrewApiError } from "../api/errors.ts";
import { type ErrorAction, UserError } from "../base/errors.ts";

/** How a pause can be over. */
export type StaleKind =
  /** Somebody has answered this output: another window, another client. */
  | "answered"
  /** It was answered from here, and the crew took that, but still reports the pause. Only a person may say that it is answered again. */
  | "stillPaused"
  | "ended"
  /** The task was done again meanwhile, and another output waits. */
  | "newerAttempt"
  /** It was answered, and goes on under another id. */
  | "newId"
  /** Nothing is kept of the execution any more. */
  | "untracked";

/** The pause that feedback was written for is over. Nothing was sent. */
export class StaleFeedbackError extends UserError {
  readonly kind: StaleKind;

  /** `why` says in whole sentences what happened and what to do next. */
  constructor(kind: StaleKind, why: string, actions: readonly ErrorAction[] = []) {
    super(l10n.t("Your feedback was not sent: {0}", why), actions);
    this.name = "StaleFeedbackError";
    this.kind = kind;
  }
}

/** Secrets of callbacks do not read back from the secret storage, so they cannot be sent again. Nothing was sent. */
export class LostSecretsError extends UserError {
  /** The addresses of those callbacks. */
  readonly addresses: readonly string[];

  constructor(addresses: readonly string[]) {
    super(
      l10n.t(
        "Your feedback was not sent: the secret of a callback cannot be read back from this machine's secret storage.",
      ),
    );
    this.name = "LostSecretsError";
    this.addresses = addresses;
  }
}

/** Feedback certainly had no effect: it was not sent, or the crew refused it. The message names it and its execution; `cause` is what went wrong, in words of its own. */
export class NotTakenError extends UserError {
  constructor(message: string, cause: Error, actions: readonly ErrorAction[]) {
    super(message, actions);
    this.name = "NotTakenError";
    this.cause = cause;
  }
}

/** Feedback left, now or earlier, and nobody knows whether it arrived. Only a person may say that it is sent again. */
export class MaybeSentError extends UserError {
  constructor(message: string, cause?: unknown, actions: readonly ErrorAction[] = []) {
    super(message, actions);
    this.name = "MaybeSentError";
    this.cause = cause;
  }
}

/** Whether a request certainly had no effect: the crew refused it, or it failed before it left, such as for a missing token. */
export function isCertainlyNotTaken(error: unknown): boolean {
  return error instanceof CrewApiError ? error.sent === "no" : error instanceof UserError;
}
