import * as l10n from "@vscode/l10n";
import { asObject, defined, idAt, isObject, textAt, type UnknownObject } from "../base/json.ts";
import { isWellFormed, oneLine } from "../base/text.ts";
import { callbackMembers } from "./callbacks.ts";
import { CrewApiError } from "./errors.ts";
import type {
  CallbackUrls,
  KickoffAnswer,
  KickoffRequest,
  ResumeAnswer,
  ResumeRequest,
  SecretCallbacks,
  StopAnswer,
} from "./types.ts";

/**
 * Undefined and blank callbacks both mean "none".
 * @throws {CrewApiError} `badRequest` for a callback that can't be sent
 */
export function kickoffBody(request: KickoffRequest): object {
  const { inputs, meta, restoreFromStateId, extra, runAgain } = request;
  const run_again = runAgain && {
    execution_id: runAgain.executionId,
    task_id: runAgain.taskId,
    ...defined({ outputs: runAgain.outputs, keep_changed: runAgain.keepChanged }),
  };
  return {
    ...extra,
    inputs,
    ...defined({ meta, restoreFromStateId, run_again }),
    ...callbacks(request),
  };
}

/**
 * Sends each field in snake case (specification) and in camel case, because deployed crews require
 * `executionId` and `taskId` (observed).
 * @throws {CrewApiError} as {@link kickoffBody}
 */
export function resumeBody(request: ResumeRequest): object {
  const { executionId, taskId, humanFeedback, isApprove, isAnswer } = request;
  return {
    ...{ execution_id: executionId, executionId },
    ...{ task_id: taskId, taskId },
    ...{ human_feedback: humanFeedback, humanFeedback },
    ...{ is_approve: isApprove, isApprove },
    ...defined({ is_answer: isAnswer }),
    ...callbacks(request),
  };
}

function callbacks(request: CallbackUrls & SecretCallbacks): object {
  const given = callbackMembers
    .map((name) => [name, request[name]] as const)
    .filter(([, value]) => value !== undefined && value !== "");
  if (!given.every(([, value]) => isSendable(value)))
    throw new CrewApiError({
      kind: "badRequest",
      message: l10n.t(
        "A callback's address, token or password has an invalid character (half of a surrogate pair), which can't be sent.",
      ),
      remedy: l10n.t("Enter it again."),
    });
  return Object.fromEntries(given);
}

function isSendable(value: unknown): boolean {
  if (typeof value === "string") return isWellFormed(value);
  return typeof value !== "object" || value === null || Object.values(value).every(isSendable);
}

const resumeStatuses = ["resumed", "retrying", "completed"] as const;

export function readKickoff(raw: unknown): KickoffAnswer | undefined {
  const kickoffId = kickoffIdAt(asObject(raw));
  return kickoffId === undefined ? undefined : { kickoffId };
}

/** `status` and `message` (specification), or the new kickoff ID (observed). */
export function readResume(raw: unknown): ResumeAnswer | undefined {
  if (!isObject(raw)) return undefined;
  const said = textAt(raw, "status")?.trim().toLowerCase();
  const status = resumeStatuses.find((known) => known === said);
  // An unknown status is shown as the message.
  const message = lineAt(raw, "message", ...(status === undefined ? ["status"] : []));
  return defined({ status, message, kickoffId: kickoffIdAt(raw) });
}

/** Any answer says that what a person answered arrived. */
export function readAccepted(raw: unknown): ResumeAnswer {
  return defined({ message: lineAt(asObject(raw), "message", "detail", "error", "status") });
}

export function readStop(raw: unknown): StopAnswer | undefined {
  return isObject(raw) ? { status: lineAt(raw, "status") ?? "stopped" } : undefined;
}

function lineAt(answer: UnknownObject, ...names: readonly string[]): string | undefined {
  const text = textAt(answer, ...names);
  return text === undefined ? undefined : oneLine(text, 300);
}

/** No URL can carry a lone surrogate. */
function kickoffIdAt(answer: UnknownObject): string | undefined {
  const id = idAt(answer, "kickoff_id", "kickoffId");
  return id === undefined || isWellFormed(id) ? id : undefined;
}
