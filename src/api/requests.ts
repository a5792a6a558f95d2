import * as l10n from "@vscode/l10n";
import { CrewApiError } from "./errors.ts";
import { isWellFormed } from "./one-line.ts";
import type { CallbackUrls, KickoffRequest, ResumeRequest, SecretCallbacks } from "./types.ts";

/**
 * Body of `POST /kickoff`. A callback that is absent or blank is left out: both mean "none".
 * @throws {CrewApiError} `badRequest`, nothing sent, for a callback that no request can carry
 */
export function kickoffBody(request: KickoffRequest): object {
  return {
    inputs: request.inputs,
    ...(request.meta === undefined ? {} : { meta: request.meta }),
    ...callbacks(request),
  };
}

/**
 * Body of `POST /resume`. The specification names the four fields in snake case; deployed crews require `executionId` and
 * `taskId` (observed), so each goes in both casings. Callbacks are not carried over from the kickoff and go again.
 * @throws {CrewApiError} as for a kickoff
 */
export function resumeBody(request: ResumeRequest): object {
  return {
    execution_id: request.executionId,
    executionId: request.executionId,
    task_id: request.taskId,
    taskId: request.taskId,
    human_feedback: request.humanFeedback,
    humanFeedback: request.humanFeedback,
    is_approve: request.isApprove,
    isApprove: request.isApprove,
    ...callbacks(request),
  };
}

function callbacks(request: CallbackUrls & SecretCallbacks): object {
  const names = [
    "taskWebhookUrl",
    "stepWebhookUrl",
    "crewWebhookUrl",
    "humanInputWebhookUrl",
    "humanInputWebhook",
    "webhooks",
  ] as const;
  const given = names
    .map((name) => [name, request[name]] as const)
    .filter(([, value]) => value !== undefined && value !== "");
  if (!given.every(([, value]) => isSendable(value))) {
    throw new CrewApiError({
      kind: "badRequest",
      message: l10n.t(
        "A callback's address, token or password holds half of a character, which can't be sent.",
      ),
      remedy: l10n.t("Enter it again."),
    });
  }
  return Object.fromEntries(given);
}

/** Whether the crew can put all the texts of a callback into an address or a header. */
function isSendable(value: unknown): boolean {
  if (typeof value === "string") return isWellFormed(value);
  return typeof value !== "object" || value === null || Object.values(value).every(isSendable);
}
