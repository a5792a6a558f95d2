import * as l10n from "@vscode/l10n";
import { CrewApiError } from "../api/errors.ts";
import { actionsOf, type ErrorAction, messageOf, UserError } from "../base/errors.ts";
import { type Execution, targetOf } from "../executions/model.ts";
import { titleOf } from "../executions/title.ts";
import type { FeedbackToSend } from "./feedback.ts";

export type StaleKind =
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

/** Whether a request had no effect: the crew refused it, or it was never sent. */
export function hadNoEffect(error: unknown): boolean {
  return error instanceof CrewApiError ? error.sent === "no" : error instanceof UserError;
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
