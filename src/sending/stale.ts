import * as l10n from "@vscode/l10n";
import { shortName } from "../base/text.ts";
import { isOpenRequest } from "../executions/flow-requests.ts";
import { type Execution, hasEnded, keyOf } from "../executions/model.ts";
import {
  answeredPause,
  attemptToAnswer,
  resumesOf,
  type ResumeTarget,
} from "../executions/resumes.ts";
import { buttonsOf, StaleFeedbackError, type StaleKind } from "./errors.ts";

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
  if (isStillPaused(now, taskId)) {
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
  switch (kind) {
    case "answered":
      return new StaleFeedbackError(kind, answeredText(now, taskId), [open]);
    case "stillPaused":
      return new StaleFeedbackError(
        kind,
        l10n.t(
          "the crew accepted your feedback on this output of “{0}”, but still reports the pause. It may only be slow. Wait for its next output, or send your feedback again.",
          shortName(taskId),
        ),
        [open, again],
      );
    case "ended": {
      const why = l10n.t(
        "the execution has ended, so nothing waits any more. Read its result, or kick it off again for another one.",
      );
      return new StaleFeedbackError(kind, why, [open]);
    }
    case "newerAttempt": {
      const waits = now.waiting?.attempt ?? attempt + 1;
      const why = l10n.t(
        "a newer output of “{0}” waits now: attempt {1}, and you were at attempt {2}. Read it first, then answer it.",
        shortName(taskId),
        waits,
        attempt,
      );
      const compare = {
        title: l10n.t("Compare with Previous Attempt"),
        command: "crewdeck.compareAttempts",
        arguments: [{ ...target, taskId, attempt: waits }],
      };
      return new StaleFeedbackError(kind, why, [open, compare]);
    }
    case "newId": {
      const why = l10n.t(
        "it was answered elsewhere, and the execution continues under a new ID, {0}. That is followed here: see what waits there, and answer that.",
        shortName(now.kickoffIds.at(-1) ?? keyOf(now)),
      );
      return new StaleFeedbackError(kind, why, [open]);
    }
  }
}

/** Whoever typed the task's ID has seen no output, so can't mean another one. */
function sawOutput({ waiting, stillPaused }: Execution, taskId: string): boolean {
  return (waiting ?? stillPaused)?.taskId === taskId;
}

function isStillPaused(now: Execution, taskId: string): boolean {
  return answeredPause(now)?.taskId === taskId;
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
