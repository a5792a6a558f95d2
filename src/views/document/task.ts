import * as l10n from "@vscode/l10n";
import { taskTime } from "../../executions/durations.ts";
import {
  hasEnded,
  type Attempt,
  type Execution,
  type ExecutionTask,
  type SentResume,
} from "../../executions/model.ts";
import { durationInWords, taskStateInWords, timeInWords } from "../words.ts";
import { outputLines, withLines } from "./embed.ts";
import { cleanText, inlineText, quotedLines } from "./markdown.ts";
import { outputPart } from "./output.ts";
import { attemptSection, feedbackSection, isOnlyAttempt, taskSection } from "./section-ids.ts";
import type { Part } from "./sections.ts";

/** What stands in a task's heading. */
export function taskTitle(taskId: string): string {
  return l10n.t("Task: {0}", inlineText(taskId));
}

/** A task: its state, then each attempt with what a person said of it. */
export function taskPart(task: ExecutionTask, execution: Execution): Part {
  const id = taskSection(task.taskId);
  const duration = taskTime(task, execution);
  const facts = [
    `**${taskStateInWords(task, execution)}**`,
    ...(task.agent === undefined || task.agent === ""
      ? []
      : [l10n.t("by {0}", inlineText(task.agent))]),
    ...(duration === undefined ? [] : [durationInWords(duration)]),
  ];
  const attempts = attemptsOf(task, execution).flatMap((attempt) =>
    attemptParts(attempt, task, execution),
  );
  // Until the end a crew names only the task under way (vendor's OpenAPI).
  const comesLater =
    task.state === "completed" && attempts.length === 0 && !hasEnded(execution)
      ? ["", `*${l10n.t("The crew tells its output when the execution has ended.")}*`]
      : [];
  return {
    id,
    lines: [`## ${taskTitle(task.taskId)}`, "", facts.join(" · "), ...comesLater],
    parts: attempts,
  };
}

/** Feedback sent for tasks that the crew has told nothing of: their ids came from a person, and one that was only refused is most likely no task. */
export function unknownTaskParts(execution: Execution): Part[] {
  const known = new Set(execution.tasks.map((task) => task.taskId));
  const unknown = new Set(
    execution.resumes.flatMap(({ taskId, outcome }) =>
      known.has(taskId) || outcome === "refused" ? [] : [taskId],
    ),
  );
  return [...unknown].map((taskId) => {
    const task: ExecutionTask = { taskId, state: "waiting", attempts: [] };
    const id = taskSection(taskId);
    const parts = attemptsOf(task, execution).flatMap((attempt) =>
      attemptParts(attempt, task, execution),
    );
    return { id, lines: [`## ${taskTitle(taskId)}`], parts };
  });
}

/** The attempts that the crew told, and those that a person gave feedback to without seeing them. */
function attemptsOf(task: ExecutionTask, { resumes }: Execution): Attempt[] {
  const answered = resumes
    .filter((resume) => resume.taskId === task.taskId)
    .map((resume) => resume.attempt);
  const unseen = [...new Set(answered)].filter(
    (number) => !task.attempts.some((attempt) => attempt.number === number),
  );
  return [...task.attempts, ...unseen.map((number) => ({ number }))].sort(
    (a, b) => a.number - b.number,
  );
}

function attemptParts(attempt: Attempt, task: ExecutionTask, execution: Execution): Part[] {
  const id = attemptSection(task.taskId, attempt.number);
  const sent = execution.resumes.filter(
    (resume) => resume.taskId === task.taskId && resume.attempt === attempt.number,
  );
  const isPlain = isOnlyAttempt(attempt, task, execution);
  const heading = isPlain ? [] : [`### ${l10n.t("Attempt {0}", attempt.number)}`];
  const parts: Part[] = [];
  if (attempt.output !== undefined)
    parts.push(outputPart(id, heading, attempt.output, isPlain ? 3 : 4));
  else if (!isPlain)
    parts.push({
      id,
      lines: [...heading, "", `*${l10n.t("The crew has not told this output.")}*`],
    });
  const feedback = sent.map((resume, at) =>
    feedbackPart(feedbackSection(task.taskId, attempt.number, at + 1), resume, execution),
  );
  // Feedback that another window or person sent, known from elsewhere, has no record of sending here.
  if (feedback.length === 0 && attempt.feedback !== undefined)
    feedback.push(
      feedbackPart(
        feedbackSection(task.taskId, attempt.number, 1),
        { feedback: attempt.feedback, outcome: "answered" },
        execution,
      ),
    );
  return [...parts, ...feedback];
}

function feedbackPart(
  id: string,
  sent: Pick<SentResume, "feedback" | "outcome" | "isUnsent" | "answer" | "message">,
  execution: Execution,
): Part {
  const { feedback } = sent;
  return {
    id,
    lines: [
      `### ${feedbackTitle(sent)}`,
      "",
      ...quotedLines(outputLines(withLines(cleanText(feedback.text)), 4)),
      "",
      `${outcomeInWords(sent, execution)} · ${timeInWords(feedback.at)}`,
    ],
  };
}

/** A try that the crew never took approved and rejected nothing. */
function feedbackTitle({
  feedback,
  outcome,
  isUnsent,
}: Pick<SentResume, "feedback" | "outcome" | "isUnsent">): string {
  if (outcome === "refused" && isUnsent === true)
    return feedback.isApprove
      ? l10n.t("Your feedback: approval not sent")
      : l10n.t("Your feedback: rejection not sent");
  if (outcome === "refused")
    return feedback.isApprove
      ? l10n.t("Your feedback: approval not taken")
      : l10n.t("Your feedback: rejection not taken");
  return feedback.isApprove ? l10n.t("Your feedback: approved") : l10n.t("Your feedback: rejected");
}

function outcomeInWords(
  {
    outcome,
    isUnsent,
    answer,
    message,
  }: Pick<SentResume, "outcome" | "isUnsent" | "answer" | "message">,
  { kickoffIds }: Execution,
): string {
  switch (outcome) {
    case "sending":
      return l10n.t("Sending…");
    case "unanswered":
      return l10n.t("May have been sent: no answer came");
    case "refused":
      if (isUnsent === true)
        return message === undefined
          ? l10n.t("Not sent")
          : l10n.t("Not sent: {0}", inlineText(message));
      return message === undefined
        ? l10n.t("Not taken by the crew")
        : l10n.t("Not taken by the crew: {0}", inlineText(message));
    case "answered":
      // A deployed crew answers with the id to follow, which stands below with the others.
      return [
        l10n.t("Sent"),
        ...(answer === undefined || kickoffIds.includes(answer)
          ? []
          : [l10n.t("the crew answered “{0}”", inlineText(answer))]),
        ...(message === undefined ? [] : [inlineText(message)]),
      ].join(" · ");
  }
}
