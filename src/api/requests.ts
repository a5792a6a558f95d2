import type { CallbackUrls, KickoffRequest, ResumeRequest, SecretCallbacks } from "./types.ts";

/** Body of `POST /kickoff`. A callback that is absent or blank is left out: both mean "none". */
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
  const names = ["taskWebhookUrl", "stepWebhookUrl", "crewWebhookUrl", "humanInputWebhookUrl", "humanInputWebhook", "webhooks"] as const;
  return Object.fromEntries(
    names.map((name) => [name, request[name]] as const).filter(([, value]) => value !== undefined && value !== ""),
  );
}
