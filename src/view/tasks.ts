import * as l10n from "@vscode/l10n";
import type { Decision } from "../api/types.ts";
import { defined } from "../base/json.ts";
import { isOver, requestAt } from "../executions/flow-requests.ts";
import {
  type Execution,
  type ExecutionTask,
  hasEnded,
  isLocalCrew,
  type SentResume,
} from "../executions/model.ts";
import { isAt } from "../executions/resumes.ts";
import type { Step } from "../executions/steps.ts";
import type { Circumstances } from "./actions.ts";
import { taskBrief } from "./brief.ts";
import { inlineText } from "./markdown.ts";
import { formatTime, present } from "./words.ts";

export type TaskView = ReturnType<typeof tasksOf>[number];
export type AttemptView = TaskView["attempts"][number];
export type FeedbackView = AttemptView["feedback"][number];

export function tasksOf(
  execution: Execution,
  steps: readonly Step[],
  circumstances: Circumstances,
) {
  const { waiting } = execution;
  const viewOf = (task: ExecutionTask) => ({
    ...taskBrief(task, execution, circumstances),
    ...callAnswered(task, execution),
    ...(isKept(task, execution) && { label: keptLabel(circumstances), facts: [] }),
    ...defined({
      /** What a flow asks; Markdown of the crew. */
      question: waiting?.taskId === task.taskId ? waiting.message : undefined,
      note: noteOn(task, execution),
      isUnknown: execution.tasks.includes(task) ? undefined : true,
    }),
    attempts: attemptsOf(task, execution, steps),
  });
  return [...execution.tasks, ...unknownTasks(execution)].map(viewOf);
}

function callAnswered({ taskId }: ExecutionTask, { resumes }: Execution) {
  const last = resumes.findLast((each) => each.taskId === taskId && each.feedback.isCall === true);
  return last && { label: decisionIn(last.feedback).title };
}

function isKept(task: ExecutionTask, { request, tasks }: Execution): boolean {
  const first = tasks.findIndex(({ taskId }) => taskId === request?.runAgain?.taskId);
  return tasks.slice(0, Math.max(first, 0)).includes(task);
}

function keptLabel({ earlier }: Circumstances): string {
  return earlier === undefined ? l10n.t("Kept") : l10n.t("Kept from “{0}”", earlier);
}

function noteOn({ isSkipped, state, attempts }: ExecutionTask, execution: Execution) {
  if (isSkipped === true) return l10n.t("Its condition was not met, so it has no output.");
  // Until the end, a crew reports only the current task (vendor's OpenAPI).
  const comesLater = state === "completed" && attempts.length === 0 && !hasEnded(execution);
  return comesLater ? l10n.t("Output is available when the execution has ended.") : undefined;
}

/** Known only from feedback. Refused feedback doesn't count: most likely its task doesn't exist. */
function unknownTasks({ tasks, resumes }: Execution): readonly ExecutionTask[] {
  const answered = resumes.filter(({ outcome }) => outcome !== "refused");
  const taskIds = new Set(answered.map(({ taskId }) => taskId));
  for (const { taskId } of tasks) taskIds.delete(taskId);
  const isCall = (taskId: string) =>
    answered.some((each) => each.taskId === taskId && each.feedback.isCall);
  return [...taskIds].map((taskId) => ({
    ...{ taskId, state: isCall(taskId) ? "completed" : "waiting", attempts: [] },
  }));
}

function attemptsOf(
  { taskId, attempts, state }: ExecutionTask,
  execution: Execution,
  steps: readonly Step[],
) {
  const ofTask = (each: { readonly taskId?: string }) => each.taskId === taskId;
  const resumes = execution.resumes.filter(ofTask);
  // A task that was done once has no numbers in its events.
  const stepsByAttempt = Map.groupBy(steps.filter(ofTask), ({ attempt = 1 }) => attempt);
  const known = new Set([
    ...attempts.map(({ number }) => number),
    ...resumes.map(({ attempt }) => attempt),
  ]);
  return [...new Set([...known, ...stepsByAttempt.keys()])]
    .sort((one, other) => one - other)
    .map((number) => {
      const target = { taskId, attempt: number };
      const { output, feedback } = attempts.find((each) => each.number === number) ?? {};
      const before = attempts.findLast((each) => each.number < number && each.output !== undefined);
      // Feedback from elsewhere has no record here.
      const elsewhere: Sent[] = feedback === undefined ? [] : [{ feedback, outcome: "answered" }];
      const here = resumes.filter(({ attempt }) => attempt === number);
      const sent = here.length === 0 ? elsewhere : here;
      return {
        number,
        isOnly: attempts.length === 1 && sent.length === 0 && state !== "waiting",
        ...defined({
          output,
          previous: output === undefined ? undefined : before?.number,
          /** Of a flow's request that is over without an answer from here. */
          note:
            requestAt(execution, target) !== undefined && isOver(execution, target)
              ? l10n.t("This request no longer waits, and was not answered from here.")
              : undefined,
        }),
        isBegun: !known.has(number),
        feedback: sent.map((each) =>
          feedbackView(
            each,
            execution,
            execution.decisions?.find((one) => isAt(one, target)),
          ),
        ),
        steps: stepsByAttempt.get(number) ?? [],
      };
    });
}

type Sent = Pick<SentResume, "feedback" | "outcome" | "answer" | "message">;

function feedbackView(sent: Sent, execution: Execution, decision: Decision | undefined) {
  const { feedback, outcome } = sent;
  const { kind, title } = decisionIn(feedback);
  return {
    title: outcome === "refused" ? l10n.t("{0} – without effect", title) : title,
    kind,
    text: feedback.text,
    outcome: present(
      outcomeLabel(sent, execution),
      formatTime(feedback.at),
      // The token of a crew on this machine says nothing about a person.
      ...(outcome === "answered" && !isLocalCrew(execution.crew) ? auditFacts(decision) : []),
    ).join(" · "),
  };
}

export function decisionIn({ isAnswer, isApprove, isCall, isForRun }: SentResume["feedback"]) {
  if (isCall === true && isApprove) {
    const title = isForRun === true ? l10n.t("Allowed for this run") : l10n.t("Allowed");
    return { kind: "approved", title } as const;
  }
  if (isCall === true) return { kind: "rejected", title: l10n.t("Refused") } as const;
  if (isAnswer === true) return { kind: "answered", title: l10n.t("Your answer") } as const;
  return isApprove
    ? ({ kind: "approved", title: l10n.t("Approved") } as const)
    : ({ kind: "rejected", title: l10n.t("Rejected") } as const);
}

function auditFacts(decision: Decision | undefined): readonly string[] {
  if (decision === undefined) return [];
  const { type, name, sha256 } = decision;
  const tokens = new Map([
    ["organization", l10n.t("the organization's token")],
    ["user", l10n.t("the user token")],
    ["webhook", l10n.t("the feedback webhook")],
  ]);
  const by = name ?? tokens.get(type ?? "");
  return [
    ...(by === undefined ? [] : [l10n.t("By {0}", inlineText(by))]),
    l10n.t("SHA-256 of the text: {0}", sha256),
  ];
}

function outcomeLabel(sent: Sent, { kickoffIds }: Execution): string | undefined {
  const { outcome, answer, message } = sent;
  if (outcome === "sending") return l10n.t("Sending…");
  if (outcome === "unanswered") return l10n.t("May have been sent: no response arrived");
  if (outcome === "refused") return message && inlineText(message);
  // A deployed crew responds with the next id, which is below with the others. The message repeats the status.
  const isId = answer === undefined || kickoffIds.includes(answer);
  const said = message ?? (isId ? undefined : answer);
  return said === undefined
    ? l10n.t("Sent")
    : l10n.t("Sent · the crew answered “{0}”", inlineText(said));
}
