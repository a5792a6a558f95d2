import * as l10n from "@vscode/l10n";
import { CrewApiError } from "../api/errors.ts";
import { actionsOf, type ErrorAction, messageOf, UserError } from "../base/errors.ts";
import { keyOf } from "../executions/model.ts";
import { titleOf } from "../executions/title.ts";
import { LostSecretsError, MaybeSentError, NotTakenError, StaleFeedbackError } from "./errors.ts";
import type { FeedbackToSend } from "./feedback.ts";

/**
 * A failure of sending, in words that name what was to be sent and for which execution. What says so itself, what may have arrived and
 * what nobody foresaw stay as they are.
 */
export function namingFeedback(error: unknown, feedback: FeedbackToSend): unknown {
  if (
    error instanceof StaleFeedbackError ||
    error instanceof LostSecretsError ||
    error instanceof MaybeSentError
  )
    return error;
  if (
    !(error instanceof CrewApiError || error instanceof UserError) ||
    ("sent" in error && error.sent === "maybe")
  )
    return error;
  const { execution } = feedback;
  const open: ErrorAction = {
    title: l10n.t("Open Execution"),
    command: "crewdeck.openExecution",
    arguments: [{ kind: "notTaken", crew: execution.crew.id, kickoffId: keyOf(execution) }],
  };
  return new NotTakenError(inWords(feedback, error), error, [...actionsOf(error), open]);
}

/** Whether feedback that certainly had no effect never reached the crew; what the crew answered by a refusal did. */
export function isUnsent(error: unknown): boolean {
  return !(error instanceof CrewApiError) || error.kind === "unreachable";
}

function inWords({ execution, isApprove }: FeedbackToSend, error: Error): string {
  const parts = [titleOf(execution), messageOf(error)] as const;
  if (isUnsent(error))
    return isApprove
      ? l10n.t("Your approval of “{0}” was not sent: {1}", ...parts)
      : l10n.t("Your rejection of “{0}” was not sent: {1}", ...parts);
  return isApprove
    ? l10n.t("Your approval of “{0}” was not taken by the crew: {1}", ...parts)
    : l10n.t("Your rejection of “{0}” was not taken by the crew: {1}", ...parts);
}
