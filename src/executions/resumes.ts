import type { ResumeAnswer } from "../api/types.ts";
import type { Execution, ExecutionSummary, Feedback, ResumeSummary, SentResume } from "./model.ts";
import { hasEnded, without } from "./model.ts";
import { taskIn, withFeedback, withTask } from "./tasks.ts";

/** What is sent as the words of an approval without any: the specification asks for some, and later tasks read them. */
export const approved = "Approved.";

/** Which output of which task feedback is for. */
export interface ResumeTarget {
  readonly taskId: string;
  /** Counts from 1. */
  readonly attempt: number;
}

/** The attempt that feedback for a task is for: the one whose pause the crew reports, else the one after the last that was answered (the person may know of a pause that the crew does not show). */
export function attemptToAnswer(execution: ExecutionSummary, taskId: string): number {
  const paused = execution.waiting ?? execution.stillPaused;
  if (paused?.taskId === taskId) {
    return paused.attempt;
  }
  const last = taskIn(execution.tasks, taskId)?.attempts.at(-1);
  const lastAttempt =
    last === undefined ? 1 : last.feedback === undefined ? last.number : last.number + 1;
  const answered = execution.resumes.filter(
    (resume) => resume.taskId === taskId && resume.outcome === "answered",
  );
  return answered.reduce((attempt, resume) => Math.max(attempt, resume.attempt + 1), lastAttempt);
}

/** What was sent for an attempt and not refused, oldest first. Its length is the counter of "Send again" in `resumeKey`. */
export function resumesOf<Resume extends ResumeSummary>(
  execution: { readonly resumes: readonly Resume[] },
  { taskId, attempt }: ResumeTarget,
): readonly Resume[] {
  return execution.resumes.filter(
    (resume) =>
      resume.taskId === taskId && resume.attempt === attempt && resume.outcome !== "refused",
  );
}

/** The feedback that the crew took for an output whose pause it reports all the same: it lags, or went wrong. Whoever answers once more must know. */
export function answeredPause(execution: ExecutionSummary): ResumeSummary | undefined {
  const paused = execution.waiting ?? execution.stillPaused;
  const last = paused === undefined ? undefined : resumesOf(execution, paused).at(-1);
  return last?.outcome === "answered" ? last : undefined;
}

/** The last feedback for a task, where the crew took it and was not seen to go on since: the task may or may not wait anew. */
export function unfollowed(
  { resumes }: ExecutionSummary,
  taskId: string,
): ResumeSummary | undefined {
  const last = resumes.findLast(
    (resume) => resume.taskId === taskId && resume.outcome !== "refused",
  );
  return last?.outcome === "answered" && last.isFollowed === undefined ? last : undefined;
}

/** Writes down a resume that is about to leave. */
export function resumeSending(
  execution: Execution,
  target: ResumeTarget,
  feedback: Feedback,
): Execution {
  const resume: SentResume = { ...target, feedback, outcome: "sending" };
  return { ...execution, resumes: [...execution.resumes, resume] };
}

/**
 * The crew took the feedback at `now` (milliseconds since 1970): what waited goes on. A new id (observed on deployed crews) is followed from now on, even by an
 * execution that seemed to have ended.
 */
export function resumeAnswered(
  execution: Execution,
  target: ResumeTarget,
  answer: ResumeAnswer,
  now?: number,
): Execution {
  const resume = lastOpen(execution, target);
  const said = answer.status ?? answer.kickoffId;
  const isNewId =
    answer.kickoffId !== undefined && !execution.kickoffIds.includes(answer.kickoffId);
  const settled = settle(execution, target, {
    outcome: "answered",
    ...(said === undefined ? {} : { answer: said }),
    ...(answer.message === undefined ? {} : { message: answer.message }),
    ...(now === undefined ? {} : { answeredAt: new Date(now).toISOString() }),
    ...(isNewId ? { isFollowed: true } : {}),
  });
  if (resume === undefined) {
    return settled;
  }
  const told = tellFeedback(settled, target, resume.feedback);
  const followed = isNewId ? { ...told, kickoffIds: [...told.kickoffIds, answer.kickoffId] } : told;
  return hasEnded(execution) && !isNewId ? followed : goOn(followed, target);
}

/** The crew refused the feedback, or it never reached the crew: nothing happened, and it may be sent anew. */
export function resumeRefused(
  execution: Execution,
  target: ResumeTarget,
  message: string,
  { isUnsent = false } = {},
): Execution {
  return settle(execution, target, {
    outcome: "refused",
    message,
    ...(isUnsent ? { isUnsent } : {}),
  });
}

/** No answer came: the feedback may have arrived. */
export function resumeUnanswered(
  execution: Execution,
  target: ResumeTarget,
  message?: string,
): Execution {
  return settle(execution, target, {
    outcome: "unanswered",
    ...(message === undefined ? {} : { message }),
  });
}

/** What was sent without an answer has arrived after all: the crew has gone on. */
function settleUnanswered(execution: Execution): Execution {
  let settled = execution;
  for (const resume of execution.resumes.filter((each) => each.outcome === "unanswered")) {
    settled = tellFeedback(
      settle(settled, resume, { outcome: "answered" }),
      resume,
      resume.feedback,
    );
  }
  return settled;
}

/** The crew was seen to go on: what it took is followed, and what was sent without an answer has arrived. */
export function crewGoesOn(execution: Execution): Execution {
  const settled = settleUnanswered(execution);
  const isNews = settled.resumes.some(
    (resume) => resume.outcome === "answered" && resume.isFollowed === undefined,
  );
  return isNews
    ? {
        ...settled,
        resumes: settled.resumes.map((resume) =>
          resume.outcome === "answered" ? { ...resume, isFollowed: true } : resume,
        ),
      }
    : settled;
}

function lastOpen(execution: Execution, { taskId, attempt }: ResumeTarget): SentResume | undefined {
  return execution.resumes.findLast(
    (resume) =>
      resume.taskId === taskId &&
      resume.attempt === attempt &&
      (resume.outcome === "sending" || resume.outcome === "unanswered"),
  );
}

function settle(
  execution: Execution,
  target: ResumeTarget,
  result: Pick<
    SentResume,
    "outcome" | "isUnsent" | "answer" | "message" | "answeredAt" | "isFollowed"
  >,
): Execution {
  const open = lastOpen(execution, target);
  return open === undefined
    ? execution
    : {
        ...execution,
        resumes: execution.resumes.map((resume) =>
          resume === open ? { ...resume, ...result } : resume,
        ),
      };
}

/** An approved output is final; a rejected one gives way to the next attempt. Both stay readable. */
function tellFeedback(
  execution: Execution,
  { taskId, attempt }: ResumeTarget,
  feedback: Feedback,
): Execution {
  const tasks = withTask(execution.tasks, taskId, (task) => ({
    ...task,
    attempts: withFeedback(task.attempts, attempt, feedback),
    state: hasEnded(execution) ? task.state : feedback.isApprove ? "completed" : "running",
  }));
  return { ...execution, tasks };
}

function goOn(execution: Execution, { taskId }: ResumeTarget): Execution {
  const open = without(
    execution,
    "mayBeWaiting",
    "stillPaused",
    "stateText",
    "endedAt",
    "watchingStoppedAt",
    "output",
    "outputJson",
    "error",
  );
  if (open.waiting !== undefined && open.waiting.taskId !== taskId) {
    return open;
  }
  return { ...without(open, "waiting"), state: "running" };
}
