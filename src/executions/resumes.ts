import type { HeldCall, Question, ResumeAnswer, TaskReading } from "../api/types.ts";
import { defined } from "../base/json.ts";
import type { Execution, ExecutionSummary, Feedback, ResumeSummary, SentResume } from "./model.ts";
import { canBeAnswered, hasEnded, without } from "./model.ts";
import { attemptAt, completeOthers, taskIn, withAttempt, withTask } from "./tasks.ts";

/** The text of an empty approval: the specification asks for text, and later tasks read it. */
export const approved = "Approved.";

export interface ResumeTarget {
  readonly taskId: string;
  readonly attempt: number;
}

export function isAt(target: ResumeTarget | undefined, { taskId, attempt }: ResumeTarget): boolean {
  return target?.taskId === taskId && target.attempt === attempt;
}

/** The paused attempt, else the one after the last answered: a pause may be unreported. */
export function attemptToAnswer(execution: ExecutionSummary, taskId: string): number {
  const paused = execution.waiting ?? execution.stillPaused;
  if (paused?.taskId === taskId) return paused.attempt;
  const attempts = taskIn(execution.tasks, taskId)?.attempts.slice(-1) ?? [];
  const open = attempts.map(({ number, feedback }) => (feedback ? number + 1 : number));
  const answered = execution.resumes
    .filter((resume) => resume.taskId === taskId && resume.outcome === "answered")
    .map(({ attempt }) => attempt + 1);
  return Math.max(1, ...open, ...answered);
}

/** Whether a flow asks a person at this method, so that its output is neither approved nor rejected. */
export function asksFor({ waiting, resumes }: ExecutionSummary, taskId: string): boolean {
  if (waiting?.taskId === taskId) return waiting.options !== undefined;
  return resumes.some((sent) => sent.taskId === taskId && sent.feedback.isAnswer === true);
}

export function isForWhatWaits(target: ResumeTarget, execution: ExecutionSummary): boolean {
  const { taskId, attempt } = target;
  const isItsTask = execution.waiting === undefined || execution.waiting.taskId === taskId;
  return canBeAnswered(execution) && isItsTask && attempt === attemptToAnswer(execution, taskId);
}

export function resumesOf<Resume extends ResumeSummary>(
  execution: { readonly resumes: readonly Resume[] },
  target: ResumeTarget,
): readonly Resume[] {
  return execution.resumes.filter((resume) => isAt(resume, target) && resume.outcome !== "refused");
}

/** Feedback without a response, for what waits, else the last sent: actions are off. */
export function pendingResume(execution: ExecutionSummary): ResumeSummary | undefined {
  if (hasEnded(execution)) return undefined;
  const { waiting, resumes } = execution;
  const last = (waiting === undefined ? resumes : resumesOf(execution, waiting)).at(-1);
  return last?.outcome === "sending" || last?.outcome === "unanswered" ? last : undefined;
}

/** Feedback accepted for an output whose pause is still reported: the crew lags or failed. */
export function answeredPause(execution: ExecutionSummary): ResumeSummary | undefined {
  const paused = execution.waiting ?? execution.stillPaused;
  const last = paused === undefined ? undefined : resumesOf(execution, paused).at(-1);
  return last?.outcome === "answered" ? last : undefined;
}

/** Feedback that may be sent again: it has no response, or its pause is still reported. */
export function repeatable(execution: ExecutionSummary): ResumeSummary | undefined {
  const pending = pendingResume(execution);
  if (pending === undefined) return answeredPause(execution);
  return pending.outcome === "unanswered" ? pending : undefined;
}

/** Feedback already accepted, perhaps for the same output, and not seen to continue: warn before sending again. */
export function acceptedBefore(execution: ExecutionSummary, taskId: string) {
  const { waiting, stillPaused, resumes } = execution;
  const isPauseKnown = waiting !== undefined || stillPaused !== undefined;
  const last = isPauseKnown
    ? answeredPause(execution)
    : resumes.findLast((one) => one.taskId === taskId && one.outcome !== "refused");
  const isOpen = last?.taskId === taskId && last.outcome === "answered";
  return isOpen && (isPauseKnown || last.isFollowed === undefined) ? last : undefined;
}

export function resumeSending(
  execution: Execution,
  target: ResumeTarget,
  feedback: Feedback,
): Execution {
  const resumes = [...execution.resumes, { ...target, feedback, outcome: "sending" as const }];
  return { ...execution, resumes };
}

/** A new id (observed) is followed, even after an end. */
export function resumeAnswered(
  execution: Execution,
  target: ResumeTarget,
  { status, kickoffId, message }: ResumeAnswer,
  now?: number,
): Execution {
  const resume = lastOpen(execution, target);
  const isNewId = kickoffId !== undefined && !execution.kickoffIds.includes(kickoffId);
  const settled = settle(execution, resume, {
    outcome: "answered",
    ...defined({
      answer: status ?? kickoffId,
      message,
      answeredAt: now === undefined ? undefined : new Date(now).toISOString(),
      isFollowed: isNewId ? (true as const) : undefined,
    }),
  });
  if (resume === undefined) return settled;
  const recorded = withFeedback(settled, resume);
  if (!isNewId) return hasEnded(execution) ? recorded : resumed(recorded, target);
  return resumed({ ...recorded, kickoffIds: [...recorded.kickoffIds, kickoffId] }, target);
}

/** Nothing happened, so it may be sent again. */
export function resumeRefused(
  execution: Execution,
  target: ResumeTarget,
  message: string,
): Execution {
  return settle(execution, lastOpen(execution, target), { outcome: "refused", message });
}

export function resumeUnanswered(
  execution: Execution,
  target: ResumeTarget,
  message?: string,
): Execution {
  const result = { outcome: "unanswered", ...defined({ message }) } as const;
  const settled = settle(execution, lastOpen(execution, target), result);
  // Another window may have seen the end while this was being sent.
  const hasContinued = hasEnded(execution) && execution.state !== "stopped";
  return hasContinued ? crewContinued(settled) : settled;
}

/** The crew continued, so feedback without a response has arrived. */
export function crewContinued(execution: Execution): Execution {
  const unanswered = execution.resumes.filter(({ outcome }) => outcome === "unanswered");
  const settled = unanswered.reduce(withFeedback, execution);
  const resumes = settled.resumes.map((resume) =>
    resume.outcome === "answered" || resume.outcome === "unanswered"
      ? { ...resume, outcome: "answered" as const, isFollowed: true as const }
      : resume,
  );
  return { ...settled, resumes };
}

function lastOpen(execution: Execution, target: ResumeTarget): SentResume | undefined {
  return resumesOf(execution, target).findLast(({ outcome }) => outcome !== "answered");
}

function settle(
  execution: Execution,
  open: SentResume | undefined,
  result: Pick<SentResume, "outcome"> & Partial<SentResume>,
): Execution {
  const resumes = execution.resumes.map((each) => (each === open ? { ...each, ...result } : each));
  return { ...execution, resumes };
}

/** An approved output is final; a rejected one stays readable beside the next attempt. */
function withFeedback(execution: Execution, resume: SentResume): Execution {
  const { taskId, attempt, feedback } = resume;
  if (feedback.isCall === true) return execution;
  const isOver = hasEnded(execution) || isOvertaken(execution, resume);
  const tasks = withTask(execution.tasks, taskId, (task) => ({
    ...task,
    attempts: withAttempt(task.attempts, attempt, { feedback }),
    state: isOver ? task.state : feedback.isApprove ? "completed" : "running",
  }));
  return { ...execution, tasks };
}

/** Whether the next pause is known, from a callback that overtook the response to the feedback. */
function isOvertaken({ waiting }: Execution, { taskId, attempt }: ResumeTarget): boolean {
  return waiting?.taskId === taskId && waiting.attempt > attempt;
}

function resumed(execution: Execution, target: ResumeTarget): Execution {
  const open = reopened(execution);
  const isOther = open.waiting !== undefined && open.waiting.taskId !== target.taskId;
  if (isOther || isOvertaken(open, target)) return open;
  return { ...without(open, "waiting"), state: "running" };
}

type Pause = Pick<TaskReading, "taskId" | "output"> &
  Partial<Question> & { readonly call?: HeldCall };

/** It waits with this attempt, or with a call of a task's attempt. Other tasks that were open are completed, except those that still are. */
export function waitsAt(
  execution: Execution,
  { taskId, output, call, ...question }: Pause,
  attempt: number,
  now: number,
  { open = [], isHeard }: { readonly open?: readonly unknown[]; readonly isHeard?: true } = {},
): Execution {
  const { options, message, defaultOption } = question;
  const ofTask = call?.ofTask ?? taskId;
  const tasks =
    ofTask === ""
      ? execution.tasks
      : withTask(execution.tasks, ofTask, (task) => ({
          ...task,
          state: "waiting",
          ...(call === undefined && {
            attempts: withAttempt(task.attempts, attempt, { output, ...defined({ isHeard }) }),
          }),
        }));
  const target = { taskId, attempt };
  const known = call === undefined ? attemptAt(tasks, target)?.output : output;
  return {
    ...without(execution, "mayBeWaiting", "stateText", "stillPaused"),
    state: "waiting",
    tasks: ofTask === "" ? tasks : completeOthers(tasks, ...open, ofTask),
    waiting: {
      since: new Date(now).toISOString(),
      ...(isAt(execution.waiting, target) && execution.waiting),
      ...{ ...target, ...defined({ output: known, options, message, defaultOption, call }) },
    },
  };
}

/** The execution without its end, and without doubts about its state. */
export function reopened(execution: Execution): Execution {
  const doubts = ["mayBeWaiting", "stillPaused", "stateText"] as const;
  return without(execution, "endedAt", "output", "error", ...doubts);
}
