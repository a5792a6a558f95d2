import * as l10n from "@vscode/l10n";
import { shortName } from "../base/text.ts";
import type { StatusReading } from "../api/types.ts";
import type { ErrorAction } from "../base/errors.ts";
import { type Execution, keyOf, type ResumeSummary } from "../executions/model.ts";
import {
  answeredPause,
  attemptToAnswer,
  resumesOf,
  type ResumeTarget,
} from "../executions/resumes.ts";
import { StaleFeedbackError, type StaleKind } from "./errors.ts";

/**
 * Why feedback for a pause is too late, by a status answer; nothing while it may still wait. Only what is definite counts:
 * at work, ended, another task, another attempt. "NOT FOUND" is what waiting looks like on a deployed crew.
 * @param now The execution with that answer in it.
 * @param shown The execution as the person saw it.
 * @param again Whether the person knows that an answer of this pause was taken.
 */
export function staleByAnswer(
  reading: StatusReading,
  now: Execution,
  shown: Execution,
  target: ResumeTarget,
  again: boolean,
): StaleFeedbackError | undefined {
  const { taskId, attempt } = target;
  const taken = again ? undefined : takenAt(now, taskId);
  if (taken !== undefined) return staleError("stillPaused", now, taken);
  switch (reading.state) {
    case "running":
      return staleError("answered", now, target);
    case "completed":
    case "failed":
    case "stopped":
      return staleError("ended", now, target);
    case "waiting":
      break;
    default:
      return undefined;
  }
  if (reading.waiting === undefined) return undefined;
  if (reading.waiting.taskId !== taskId) return staleError("answered", now, target);
  // A crew's own number may be of no use.
  const paused = now.waiting ?? now.stillPaused;
  const waits = paused?.taskId === taskId ? paused.attempt : reading.waiting.attempt;
  // A person who typed the task's id has not seen an output, so that there is no other one to mix it up with.
  const sawOutput = (shown.waiting ?? shown.stillPaused)?.taskId === taskId;
  return sawOutput && waits !== undefined && waits !== attempt
    ? staleError("newerAttempt", now, target)
    : undefined;
}

/** Why feedback for a pause is too late, by what is kept here, which another window may have written; nothing while it may still wait. */
export function staleByRecord(
  now: Execution,
  shown: Execution,
  target: ResumeTarget,
  again: boolean,
): StaleFeedbackError | undefined {
  const asked = shown.kickoffIds.at(-1);
  if (asked !== undefined && now.kickoffIds.at(-1) !== asked)
    return staleError("newId", now, target);
  if (resumesOf(now, target).at(-1)?.outcome !== "answered") return undefined;
  const taken = takenAt(now, target.taskId);
  if (taken === undefined) return staleError("answered", now, target);
  return again ? undefined : staleError("stillPaused", now, taken);
}

/** Why an attempt is not the one to answer: the person looked at another one than waits now. */
export function staleByAttempt(
  now: Execution,
  taskId: string,
  attempt: number,
): StaleFeedbackError | undefined {
  const waits = now.waiting;
  const target = { taskId, attempt };
  if (waits?.taskId === taskId)
    return waits.attempt === attempt ? undefined : staleError("newerAttempt", now, target);
  return attemptToAnswer(now, taskId) === attempt ? undefined : staleError("answered", now, target);
}

/** What happened and what to do next, each kind in words of its own. */
export function staleError(
  kind: Exclude<StaleKind, "untracked">,
  now: Execution,
  { taskId, attempt }: ResumeTarget,
): StaleFeedbackError {
  const target = { kind: "stale", crew: now.crew.id, kickoffId: keyOf(now) };
  const open: ErrorAction = {
    title: l10n.t("Open Execution"),
    command: "crewdeck.openExecution",
    arguments: [target],
  };
  switch (kind) {
    case "answered":
      return new StaleFeedbackError(kind, answeredInWords(now, taskId), [open]);
    case "stillPaused": {
      const again: ErrorAction = {
        title: l10n.t("Send Again…"),
        command: "crewdeck.sendAgain",
        arguments: [target],
      };
      return new StaleFeedbackError(kind, stillPausedInWords(now, taskId), [open, again]);
    }
    case "ended":
      return new StaleFeedbackError(
        kind,
        l10n.t(
          "the execution has ended, so nothing waits in it any more. Read its result; to have it done differently, kick it off again.",
        ),
        [open],
      );
    case "newerAttempt": {
      const waits = now.waiting?.attempt ?? attempt + 1;
      const compare: ErrorAction = {
        title: l10n.t("Compare with Previous Attempt"),
        command: "crewdeck.compareAttempts",
        arguments: [{ ...target, taskId, attempt: waits }],
      };
      return new StaleFeedbackError(
        kind,
        l10n.t(
          "a newer output of “{0}” waits now: attempt {1}, and you were at attempt {2}. Read it first, then answer it.",
          shortName(taskId),
          waits,
          attempt,
        ),
        [open, compare],
      );
    }
    case "newId":
      return new StaleFeedbackError(
        kind,
        l10n.t(
          "it was answered elsewhere, and the execution goes on under a new ID, {0}. That is followed here: see what waits there, and answer that.",
          shortName(now.kickoffIds.at(-1) ?? keyOf(now)),
        ),
        [open],
      );
  }
}

/** The feedback for a task that the crew took, while it reports that pause all the same. */
function takenAt(now: Execution, taskId: string): ResumeSummary | undefined {
  const taken = answeredPause(now);
  return taken?.taskId === taskId ? taken : undefined;
}

function stillPausedInWords(now: Execution, taskId: string): string {
  const isApproved = answeredPause(now)?.feedback.isApprove === true;
  const words = isApproved
    ? l10n.t(
        "you approved this output of “{0}” and the crew took it, but it still reports the pause.",
        shortName(taskId),
      )
    : l10n.t(
        "you rejected this output of “{0}” and the crew took it, but it still reports the pause.",
        shortName(taskId),
      );
  return `${words} ${l10n.t("It may only be slow. Wait for its next output, or send your feedback again.")}`;
}

function answeredInWords({ waiting, resumes }: Execution, taskId: string): string {
  if (waiting !== undefined && waiting.taskId !== taskId)
    return l10n.t(
      "“{0}” has been answered, and “{1}” waits now. Read that output, then answer it.",
      shortName(taskId),
      shortName(waiting.taskId),
    );
  const isFromHere = resumes.some(
    (resume) => resume.taskId === taskId && resume.outcome === "answered",
  );
  if (isFromHere)
    return l10n.t(
      "“{0}” has been answered already, and the crew took that. Its next output comes here by itself.",
      shortName(taskId),
    );
  return l10n.t(
    "“{0}” has been answered already, in another window or by somebody else. The crew goes on; its next output comes here by itself.",
    shortName(taskId),
  );
}
