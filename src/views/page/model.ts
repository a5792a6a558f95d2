import * as l10n from "@vscode/l10n";
import { defined } from "../../base/json.ts";
import { safeUrl } from "../../base/loopback.ts";
import { shortName } from "../../base/text.ts";
import type { Activity } from "../../executions/activity.ts";
import { requestAt } from "../../executions/flow-requests.ts";
import type { Execution, FlowRequest } from "../../executions/model.ts";
import {
  answeredPause,
  asksFor,
  attemptToAnswer,
  pendingResume,
  type ResumeTarget,
} from "../../executions/resumes.ts";
import type { Step } from "../../executions/steps.ts";
import { taskIn } from "../../executions/tasks.ts";
import { callbacksAgain, crewAndAddress } from "../../feedback/target.ts";
import type { Circumstances } from "../../view/actions.ts";
import { withLines } from "../../view/embed.ts";
import { type ExecutionView, viewOf } from "../../view/execution-view.ts";
import { formatSpan } from "../../view/lengths.ts";
import { cleanText } from "../../view/markdown.ts";
import type { Notice } from "../../view/notices.ts";
import type { AttemptView, TaskView } from "../../view/tasks.ts";
import { answerLabel, askLabel, formatTime } from "../../view/words.ts";
import { contentOf, valueContent } from "./content.ts";
import type { AttemptCard, PageModel, PageStep, Review, TaskCard } from "./messages.ts";

/** Steps of an attempt on the page: the last ones. */
const mostSteps = 100;

type OldDraft = ResumeTarget & { readonly text: string };

export interface PageCircumstances extends Circumstances {
  /** The output that waits, or the task that a person answers though the crew reports no pause. */
  readonly target?: ResumeTarget | undefined;
  /** Of that, with the number of its newest keystroke. */
  readonly draft?: { readonly text: string; readonly number: number };
  /** For outputs that no longer wait. */
  readonly oldDrafts?: readonly OldDraft[];
}

/** All that the page of an execution shows. */
export function pageModel(
  execution: Execution,
  activity: Activity,
  circumstances: PageCircumstances = {},
): PageModel {
  const view = viewOf(execution, activity, circumstances);
  const { label, result, elapsed, toCome, inputs = {} } = view;
  const review = reviewOf(execution, view, circumstances);
  const { oldDrafts = [] } = circumstances;
  return {
    ...{ title: view.title, crew: view.crew, state: view.state, stateLabel: label },
    ...{ facts: view.facts, use: view.use },
    spoken: spokenState(execution, label),
    ...defined({
      elapsed,
      review,
      toCome,
      noInputs: view.noInputs,
      result: result === undefined ? undefined : contentOf(result),
    }),
    actions: [
      // Those for what waits are beside it.
      ...(execution.waiting === undefined ? view.answers : []),
      ...view.actions,
    ],
    notices: view.notices.filter((notice) => !isInReview(notice, execution)).map(noticeText),
    tasks: oldDrafts.reduce(
      withDraft,
      view.tasks.map((task) => taskCard(task, review)),
    ),
    inputs: Object.entries(inputs).map(([name, value]) => ({ name, value: valueContent(value) })),
    details: [...startAndEnd(execution), ...view.about, ...view.events],
  };
}

/** The page shows the pause at its output. */
function isInReview({ id }: Notice, { waiting }: Execution): boolean {
  return id === "waits" || (id === "answered pause" && waiting !== undefined);
}

function noticeText({ id, kind, title, lines }: Notice): PageModel["notices"][number] {
  const text = lines.join("\n");
  return { id, kind, text: title === undefined ? text : `## ${title}\n\n${text}` };
}

function spokenState({ waiting }: Execution, label: string): string {
  if (waiting === undefined) return label;
  const { taskId, attempt } = waiting;
  const asks = askLabel(waiting);
  const where = l10n.t("{0}: task {1}, attempt {2}", label, shortName(taskId), attempt);
  return asks === undefined ? where : l10n.t("{0}: {1}", where, asks);
}

function reviewOf(
  execution: Execution,
  view: ExecutionView,
  {
    target = execution.waiting,
    isSending = false,
    draft = { text: "", number: 0 },
  }: PageCircumstances,
): Review | undefined {
  const rejected = target === undefined ? rejectedOf(execution) : undefined;
  const shown = target ?? rejected;
  if (shown === undefined) return undefined;
  const { taskId, attempt } = shown;
  const task = taskIn(execution.tasks, taskId);
  const output =
    (execution.waiting?.taskId === taskId ? execution.waiting.output : undefined) ??
    task?.attempts.find(({ number }) => number === attempt)?.output;
  const request = requestAt(execution, shown);
  const again = request === undefined ? callbacksAgain(execution) : [];
  const goesTo = placeOf(execution, request, asksFor(execution, taskId));
  const { waiting } = execution;
  const answers = waiting?.options?.map((text) => ({ label: answerLabel(text, waiting), text }));
  return {
    taskId,
    name: shortName(taskId),
    attempt,
    ...defined({
      agent: task?.agent,
      content: output === undefined ? undefined : contentOf(output),
      answers,
    }),
    goesTo:
      again.length === 0
        ? goesTo
        : l10n.t("{0} Callbacks sent again: {1}.", goesTo, again.join(", ")),
    draft: draft.text,
    draftNumber: draft.number,
    ...(rejected === undefined ? answerState(execution, view, isSending) : { status: "again" }),
  };
}

function placeOf(
  execution: Execution,
  request: FlowRequest | undefined,
  isAnswer: boolean,
): string {
  const place = crewAndAddress(execution);
  if (request === undefined)
    return isAnswer
      ? l10n.t("Goes to {0}, and the flow continues with it.", place)
      : l10n.t("Goes to {0}. All of it becomes context for later tasks.", place);
  const host = safeUrl(request.callbackUrl)?.host;
  return host === undefined
    ? l10n.t("Its address for the answer can't be used. Answer in the dashboard.")
    : l10n.t("Goes to {0}, and the flow continues with it.", host);
}

/** The task that runs again because of the last feedback from here. */
function rejectedOf(execution: Execution) {
  const { resumes, tasks, state } = execution;
  const last = resumes.findLast(({ outcome }) => outcome !== "refused");
  if (last?.outcome !== "answered" || last.feedback.isApprove || state !== "running")
    return undefined;
  const isUnderWay =
    taskIn(tasks, last.taskId)?.state === "running" &&
    attemptToAnswer(execution, last.taskId) === last.attempt + 1;
  return isUnderWay ? last : undefined;
}

function answerState(
  execution: Execution,
  { notices, answers }: ExecutionView,
  isSending: boolean,
): Pick<Review, "status" | "note" | "action"> {
  const pending = pendingResume(execution);
  const message = execution.waiting?.message;
  if (isSending || pending?.outcome === "sending") return { status: "sending" };
  const taken = notices.find(({ id }) => id === "answered pause");
  // Why is beside the button.
  const again = answers.flatMap(({ verb }) =>
    verb === "sendAgain" ? [{ verb, label: l10n.t("Send Again…") }] : [],
  );
  if (pending !== undefined)
    return {
      status: "unanswered",
      note: l10n.t("Your feedback may have been sent: no response arrived."),
      ...(again[0] && { action: again[0] }),
    };
  if (answeredPause(execution) === undefined)
    return { status: "waits", ...(message !== undefined && { note: cleanText(message) }) };
  return {
    status: "answered",
    note: taken?.lines.join("\n") ?? "",
    ...(again[0] && { action: again[0] }),
  };
}

function taskCard(task: TaskView, review: Review | undefined): TaskCard {
  const { taskId, name, agent, state, label, facts, note, attempts } = task;
  return {
    ...{ taskId, name, state, stateLabel: label, facts },
    ...defined({ agent: agent === undefined ? undefined : shortName(agent), note }),
    attempts: attempts.map((attempt) =>
      attemptCard(attempt, review?.taskId === taskId && review.attempt === attempt.number),
    ),
  };
}

/** At its attempt, even if nothing else is known of that. */
function withDraft(
  tasks: readonly TaskCard[],
  { taskId, attempt: number, text }: OldDraft,
): readonly TaskCard[] {
  const unknown: TaskCard = {
    ...{ taskId, name: shortName(taskId), state: "pending", stateLabel: "" },
    ...{ facts: [], attempts: [] },
  };
  const task = tasks.find((each) => each.taskId === taskId) ?? unknown;
  const others = task.attempts.filter((each) => each.number !== number);
  const attempt = task.attempts.find((each) => each.number === number) ?? {
    ...{ number, isInReview: false, feedback: [], steps: [], hiddenSteps: 0 },
  };
  const attempts = [...others, { ...attempt, oldDraft: text }];
  const changed = { ...task, attempts: attempts.sort((one, other) => one.number - other.number) };
  return task === unknown
    ? [...tasks, changed]
    : tasks.map((each) => (each === task ? changed : each));
}

function attemptCard(attempt: AttemptView, isInReview: boolean): AttemptCard {
  const { number, output, previous, note, feedback, steps } = attempt;
  const hiddenSteps = Math.max(0, steps.length - mostSteps);
  return {
    number,
    ...defined({ content: output === undefined ? undefined : contentOf(output), previous, note }),
    isInReview,
    feedback: feedback.map(({ text, ...sent }) => ({
      ...sent,
      content: contentOf(withLines(text)),
    })),
    steps: steps.slice(hiddenSteps).map(pageStep),
    hiddenSteps,
  };
}

function pageStep(step: Step): PageStep {
  const { id, start, end, tool, thought, result, error, picture } = step;
  const isTimed = end !== undefined && tool !== undefined;
  return {
    id,
    title: tool ?? (picture === undefined ? l10n.t("Thought") : l10n.t("Picture")),
    isTool: tool !== undefined,
    state: stepState(step),
    facts: isTimed ? formatSpan(end - start, "fine") : "",
    ...(picture !== undefined && { hasPicture: true }),
    ...defined({ thought, arguments: step.arguments, result, error }),
  };
}

function stepState({ end, isInterrupted, error }: Step): PageStep["state"] {
  if (isInterrupted === true) return "interrupted";
  if (error !== undefined) return "failed";
  return end === undefined ? "running" : "completed";
}

function startAndEnd({ origin, startedAt, endedAt }: Execution): PageModel["details"] {
  const began = origin === "tracked" ? l10n.t("Tracked since") : l10n.t("Kicked off");
  const end = { label: l10n.t("Finished"), value: formatTime(endedAt ?? "") };
  return [{ label: began, value: formatTime(startedAt) }, ...(endedAt === undefined ? [] : [end])];
}
