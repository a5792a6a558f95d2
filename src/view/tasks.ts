import * as l10n from "@vscode/l10n";
import { defined } from "../base/json.ts";
import { shortName } from "../base/text.ts";
import { requestAt, requestState } from "../executions/flow-requests.ts";
import {
  type Attempt,
  type AttemptSummary,
  type Execution,
  type ExecutionSummary,
  type ExecutionTask,
  hasEnded,
  type SentResume,
  type TaskSummary,
} from "../executions/model.ts";
import { type Price, taskTokenUse } from "../executions/tokens.ts";
import type { ResumeTarget } from "../executions/resumes.ts";
import type { Step } from "../executions/steps.ts";
import { attemptPairs, taskIn } from "../executions/tasks.ts";
import { inlineText } from "./markdown.ts";
import { attemptSection, taskSection } from "./sections.ts";
import {
  formatTime,
  interruptedLabel,
  taskStateLabel,
  taskTimeLabels,
  useLabels,
} from "./words.ts";

/** Feedback from a person, and what became of it. */
export interface FeedbackView {
  readonly title: string;
  readonly kind: "approved" | "rejected" | "answered";
  readonly text: string;
  /** Markdown. */
  readonly outcome: string;
}

export interface AttemptView {
  readonly number: number;
  /** Undefined if the crew has not returned it. */
  readonly output?: string;
  /** Only its steps are known yet. */
  readonly isBegun?: true;
  /** The task's only output, without feedback. */
  readonly isOnly: boolean;
  /** The earlier attempt that can be compared with it. */
  readonly previous?: number;
  /** What became of a flow's request. */
  readonly note?: string;
  readonly feedback: readonly FeedbackView[];
  readonly steps: readonly Step[];
}

export interface TaskView {
  readonly taskId: string;
  readonly name: string;
  readonly agent?: string;
  readonly state: TaskSummary["state"] | "interrupted";
  readonly label: string;
  /** ExecutionList only from feedback. */
  readonly isUnknown?: true;
  /** Duration, tokens, cost. */
  readonly facts: readonly string[];
  /** What a flow asks; Markdown of the crew. */
  readonly question?: string;
  /** Why it has no output. */
  readonly note?: string;
  readonly attempts: readonly AttemptView[];
}

interface Surroundings {
  readonly steps: readonly Step[];
  readonly prices: readonly Price[];
  readonly isInterrupted: boolean;
}

export function tasksOf(execution: Execution, surroundings: Surroundings): readonly TaskView[] {
  return [
    ...execution.tasks.map((task) => taskView(task, execution, surroundings)),
    ...unknownTasks(execution).map((task) => ({
      ...taskView(task, execution, surroundings),
      isUnknown: true as const,
    })),
  ];
}

function taskView(
  task: ExecutionTask,
  execution: Execution,
  { steps, prices, isInterrupted }: Surroundings,
): TaskView {
  const { taskId, agent = "", state } = task;
  const isHeld = isInterrupted && state === "running";
  const { waiting } = execution;
  return {
    taskId,
    name: shortName(taskId),
    state: isHeld ? "interrupted" : state,
    label: isHeld ? interruptedLabel() : taskStateLabel(task, execution),
    facts: [...taskTimeLabels(task, execution), ...useLabels(taskTokenUse(task), prices)],
    ...defined({
      agent: agent === "" ? undefined : agent,
      question: waiting?.taskId === taskId ? waiting.message : undefined,
      note: noteOn(task, execution),
    }),
    attempts: attemptsOf(
      task,
      execution,
      steps.filter((step) => step.taskId === taskId),
    ),
  };
}

function noteOn(
  { isSkipped, state, attempts }: ExecutionTask,
  execution: Execution,
): string | undefined {
  if (isSkipped === true) return l10n.t("Its condition was not met, so it has no output.");
  // Until the end, a crew reports only the current task (vendor's OpenAPI).
  const comesLater = state === "completed" && attempts.length === 0 && !hasEnded(execution);
  return comesLater ? l10n.t("Output is available when the execution has ended.") : undefined;
}

/** ExecutionList only from feedback. Refused feedback doesn't count: most likely its task doesn't exist. */
export function unknownTasks(execution: Execution): readonly ExecutionTask[] {
  const known = new Set(execution.tasks.map(({ taskId }) => taskId));
  const unknown = execution.resumes.filter(
    ({ taskId, outcome }) => !known.has(taskId) && outcome !== "refused",
  );
  const taskIds = new Set(unknown.map(({ taskId }) => taskId));
  return [...taskIds].map((taskId) => ({ taskId, state: "waiting", attempts: [] }));
}

/** Also attempts known only from feedback, or from their steps. */
function attemptsOf(
  task: ExecutionTask,
  execution: Execution,
  steps: readonly Step[],
): readonly AttemptView[] {
  const own = ({ taskId }: { readonly taskId: string }) => taskId === task.taskId;
  const answered = execution.resumes.filter(own).map(({ attempt }) => attempt);
  // A task that was done once has no numbers in its events.
  const numberOf = ({ attempt = 1 }: Step) => attempt;
  const reported = new Map(task.attempts.map((attempt) => [attempt.number, attempt]));
  const known = new Set([...reported.keys(), ...answered]);
  const numbers = new Set([...known, ...steps.map(numberOf)]);
  const pairs = attemptPairs(execution).filter(own);
  return [...numbers]
    .sort((one, other) => one - other)
    .map((number) => {
      const attempt: Attempt = reported.get(number) ?? { number };
      const target = { taskId: task.taskId, attempt: number };
      const previous = pairs.find((pair) => pair.attempt === number)?.previous;
      const note = isUnanswered(execution, target) ? unanswered() : undefined;
      return {
        number,
        isOnly: isOnlyAttempt(attempt, task, execution),
        ...defined({ output: attempt.output, previous, note }),
        ...(!known.has(number) && { isBegun: true as const }),
        feedback: feedbackOn(attempt, task.taskId, execution).map((sent) =>
          feedbackView(sent, execution),
        ),
        steps: steps.filter((step) => numberOf(step) === number),
      };
    });
}

/** Whether a task has only one output without feedback, and so no attempt heading. */
function isOnlyAttempt(
  attempt: AttemptSummary,
  { taskId, attempts, state }: TaskSummary,
  { resumes }: ExecutionSummary,
): boolean {
  const isIts = (resume: ResumeTarget) =>
    resume.taskId === taskId && resume.attempt === attempt.number;
  const isAnswered = attempt.feedback !== undefined || resumes.some(isIts);
  return attempts.length === 1 && !isAnswered && state !== "waiting";
}

/** The section of the text with an attempt: the task's, if it has no heading of its own. */
export function sectionOfAttempt(
  { taskId, attempt }: ResumeTarget,
  execution: ExecutionSummary,
): string {
  const task = taskIn(execution.tasks, taskId);
  const found = task?.attempts.find(({ number }) => number === attempt);
  return task && found && isOnlyAttempt(found, task, execution)
    ? taskSection(taskId)
    : attemptSection(taskId, attempt);
}

/** Whether a flow's request is over without an answer from here. */
function isUnanswered(execution: Execution, target: ResumeTarget): boolean {
  const isRequest = requestAt(execution, target) !== undefined;
  return isRequest && requestState(execution, target) === "over";
}

function unanswered(): string {
  return l10n.t("This request no longer waits, and was not answered from here.");
}

type Sent = Pick<SentResume, "feedback" | "outcome" | "isUnsent" | "answer" | "message">;

function feedbackOn(
  { number, feedback }: Attempt,
  taskId: string,
  { resumes }: Execution,
): readonly Sent[] {
  const sent = resumes.filter((resume) => resume.taskId === taskId && resume.attempt === number);
  // Feedback from elsewhere has no record here.
  return sent.length === 0 && feedback !== undefined ? [{ feedback, outcome: "answered" }] : sent;
}

function feedbackView(sent: Sent, execution: Execution): FeedbackView {
  const { text, at, isAnswer, isApprove } = sent.feedback;
  return {
    title: feedbackTitle(sent),
    kind: isAnswer === true ? "answered" : isApprove ? "approved" : "rejected",
    text,
    outcome: `${outcomeLabel(sent, execution)} · ${formatTime(at)}`,
  };
}

function feedbackTitle({ feedback, outcome, isUnsent }: Sent): string {
  const { isApprove, isAnswer } = feedback;
  if (isAnswer === true) {
    if (outcome !== "refused") return l10n.t("Your answer");
    return isUnsent === true
      ? l10n.t("Your answer: not sent")
      : l10n.t("Your answer: not accepted");
  }
  if (outcome !== "refused")
    return isApprove ? l10n.t("Your feedback: approved") : l10n.t("Your feedback: rejected");
  if (isUnsent === true)
    return isApprove
      ? l10n.t("Your feedback: approval not sent")
      : l10n.t("Your feedback: rejection not sent");
  return isApprove
    ? l10n.t("Your feedback: approval not accepted")
    : l10n.t("Your feedback: rejection not accepted");
}

/** Markdown. */
function outcomeLabel(sent: Sent, { kickoffIds }: Execution): string {
  const { outcome, isUnsent, answer } = sent;
  const message = sent.message === undefined ? undefined : inlineText(sent.message);
  switch (outcome) {
    case "sending":
      return l10n.t("Sending…");
    case "unanswered":
      return l10n.t("May have been sent: no response arrived");
    case "refused": {
      const refused =
        sent.feedback.isAnswer === true
          ? l10n.t("Not accepted")
          : l10n.t("Not accepted by the crew");
      const label = isUnsent === true ? l10n.t("Not sent") : refused;
      return message === undefined ? label : l10n.t("{0}: {1}", label, message);
    }
    case "answered": {
      // A deployed crew responds with the next id, which is below with the others.
      const status =
        answer === undefined || kickoffIds.includes(answer) ? undefined : inlineText(answer);
      // The message repeats the status.
      const said = message ?? status;
      return said === undefined ? l10n.t("Sent") : l10n.t("Sent · the crew answered “{0}”", said);
    }
  }
}
