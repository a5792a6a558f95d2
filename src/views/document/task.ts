import * as l10n from "@vscode/l10n";
import { requestAt, requestState } from "../../executions/flow-requests.ts";
import type { ResumeTarget } from "../../executions/resumes.ts";
import { hasEnded, type Attempt, type Execution } from "../../executions/model.ts";
import type { ExecutionTask, SentResume } from "../../executions/model.ts";
import type { Step } from "../../executions/steps.ts";
import { oneLine } from "../../base/text.ts";
import { formatSpan, formatTime, interruptedLabel, present, taskStateLabel } from "../labels.ts";
import { outputLines, outputPart, withLines } from "./embed.ts";
import { cleanText, inlineName, inlineText, quotedLines } from "./markdown.ts";
import { attemptSection, feedbackSection, isOnlyAttempt, stepSection } from "./sections.ts";
import { stepsSection, taskSection, type Part } from "./sections.ts";

const most = { steps: 30, characters: 300 };

function taskTitle(taskId: string): string {
  return l10n.t("Task: {0}", inlineName(taskId));
}

export function taskPart(
  task: ExecutionTask,
  execution: Execution,
  steps: readonly Step[] = [],
  isInterrupted = false,
): Part {
  const { taskId, agent, state, isSkipped } = task;
  const label =
    isInterrupted && state === "running" ? interruptedLabel() : taskStateLabel(task, execution);
  const facts = present(
    label,
    agent !== undefined && agent !== "" && l10n.t("by {0}", inlineName(agent)),
  ).join(" · ");
  const parts = attemptParts(task, execution);
  const { waiting } = execution;
  const question = waiting?.taskId === taskId ? waiting.message : undefined;
  const asked =
    question === undefined ? [] : ["", ...quotedLines(outputLines(withLines(question), 3))];
  // Until the end, a crew reports only the current task (vendor's OpenAPI).
  const comesLater =
    state === "completed" && parts.length === 0 && !hasEnded(execution)
      ? ["", `*${l10n.t("Output is available when the execution has ended.")}*`]
      : [];
  const note =
    isSkipped === true
      ? ["", `*${l10n.t("Its condition was not met, so it has no output.")}*`]
      : comesLater;
  return {
    id: taskSection(taskId),
    lines: [`## ${taskTitle(taskId)}`, "", facts, ...asked, ...note],
    strong: [{ line: 2, from: 0, to: label.length }],
    parts: [...parts, ...stepsPart(task, steps)],
  };
}

/** The last ones, short: the page and the timeline have more of their texts. */
function stepsPart({ taskId }: ExecutionTask, steps: readonly Step[]): Part[] {
  const own = steps.filter((step) => step.taskId === taskId);
  if (own.length === 0) return [];
  const shown = own.slice(-most.steps);
  const left = own.length - shown.length;
  const lines = [
    `### ${l10n.t("Steps")}`,
    "",
    ...(left === 0 ? [] : [l10n.t("{0} earlier ones are not shown.", left), ""]),
  ];
  const within = shown.map((step) => {
    const start = lines.length;
    lines.push(...stepLines(step));
    return { id: stepSection(step.id), start, end: lines.length };
  });
  return [{ id: stepsSection(taskId), lines, within }];
}

function stepLines({ attempt = 1, tool, start, end, thought, result, error, ...step }: Step) {
  const cut = step.isInterrupted && l10n.t("interrupted");
  const line = (label: string, text: string | undefined) =>
    text !== undefined && `  - ${label}: ${inlineText(oneLine(text, most.characters))}`;
  const time = end !== undefined && tool !== undefined && formatSpan(end - start, "fine");
  const name =
    step.picture !== undefined
      ? l10n.t("a picture, which the page opens")
      : tool === undefined
        ? l10n.t("no tool")
        : inlineName(tool);
  const again = attempt > 1 && l10n.t("attempt {0}", attempt);
  return present(
    `- ${present(name, again, cut, time).join(" · ")}`,
    line(l10n.t("thought"), thought),
    line(l10n.t("arguments"), step.arguments),
    line(l10n.t("result"), result),
    line(l10n.t("error"), error),
  );
}

export function unknownTaskParts(execution: Execution): Part[] {
  return unknownTasks(execution).map((task) => ({
    id: taskSection(task.taskId),
    lines: [`## ${taskTitle(task.taskId)}`],
    parts: attemptParts(task, execution),
  }));
}

/** Known only from feedback. Refused feedback doesn't count: most likely its task doesn't exist. */
export function unknownTasks(execution: Execution): readonly ExecutionTask[] {
  const known = new Set(execution.tasks.map(({ taskId }) => taskId));
  const unknown = execution.resumes.filter(
    ({ taskId, outcome }) => !known.has(taskId) && outcome !== "refused",
  );
  const taskIds = new Set(unknown.map(({ taskId }) => taskId));
  return [...taskIds].map((taskId) => ({ taskId, state: "waiting", attempts: [] }));
}

/** Also attempts known only from feedback. */
export function attemptsOf(task: ExecutionTask, execution: Execution): readonly Attempt[] {
  const reported = new Set(task.attempts.map(({ number }) => number));
  const answered = execution.resumes.flatMap(({ taskId, attempt }) =>
    taskId === task.taskId && !reported.has(attempt) ? [attempt] : [],
  );
  const attempts: Attempt[] = [
    ...task.attempts,
    ...[...new Set(answered)].map((number) => ({ number })),
  ];
  return attempts.sort((a, b) => a.number - b.number);
}

function attemptParts(task: ExecutionTask, execution: Execution): Part[] {
  return attemptsOf(task, execution).flatMap((attempt) => attemptPart(attempt, task, execution));
}

function attemptPart(attempt: Attempt, task: ExecutionTask, execution: Execution): Part[] {
  const { number, output } = attempt;
  const { taskId } = task;
  const id = attemptSection(taskId, number);
  const isPlain = isOnlyAttempt(attempt, task, execution);
  const heading = isPlain ? [] : [`### ${l10n.t("Attempt {0}", number)}`];
  const missing = `*${l10n.t("The crew has not returned this output.")}*`;
  return present<Part>(
    output !== undefined && outputPart(id, heading, output, isPlain ? 3 : 4),
    output === undefined && !isPlain && { id, lines: [...heading, "", missing] },
    isUnanswered(execution, { taskId, attempt: number }) && {
      id: `${id} over`,
      lines: [`*${unanswered()}*`],
    },
    ...feedbackOn(attempt, taskId, execution).map((resume, at) =>
      feedbackPart(feedbackSection(taskId, number, at + 1), resume, execution),
    ),
  );
}

/** Whether a flow's request is over without an answer from here. */
export function isUnanswered(execution: Execution, target: ResumeTarget): boolean {
  const isRequest = requestAt(execution, target) !== undefined;
  return isRequest && requestState(execution, target) === "over";
}

export function unanswered(): string {
  return l10n.t("This request no longer waits, and was not answered from here.");
}

type Sent = Pick<SentResume, "feedback" | "outcome" | "isUnsent" | "answer" | "message">;

export function feedbackOn(
  { number, feedback }: Attempt,
  taskId: string,
  { resumes }: Execution,
): readonly Sent[] {
  const sent = resumes.filter((resume) => resume.taskId === taskId && resume.attempt === number);
  // Feedback from elsewhere has no record here.
  return sent.length === 0 && feedback !== undefined ? [{ feedback, outcome: "answered" }] : sent;
}

function feedbackPart(id: string, sent: Sent, execution: Execution): Part {
  const { text, at } = sent.feedback;
  return {
    id,
    lines: [
      `### ${feedbackTitle(sent)}`,
      "",
      ...quotedLines(outputLines(withLines(cleanText(text)), 4)),
      "",
      `${outcomeLabel(sent, execution)} · ${formatTime(at)}`,
    ],
  };
}

export function feedbackTitle({ feedback, outcome, isUnsent }: Sent): string {
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
export function outcomeLabel(sent: Sent, { kickoffIds }: Execution): string {
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
