import * as l10n from "@vscode/l10n";
import { safeUrl } from "../../base/loopback.ts";
import { defined } from "../../base/json.ts";
import { shortName } from "../../base/text.ts";
import type { Activity } from "../../executions/activity.ts";
import {
  canBeStopped,
  hasEnded,
  isLocalCrew,
  isStopping,
  mayWait,
  type Attempt,
  type Execution,
  type ExecutionTask,
  type FlowRequest,
} from "../../executions/model.ts";
import type { Price } from "../../executions/prices.ts";
import {
  answeredPause,
  asksFor,
  attemptToAnswer,
  pendingResume,
} from "../../executions/resumes.ts";
import { requestAt } from "../../executions/flow-requests.ts";
import { type Step, stepsOf } from "../../executions/steps.ts";
import { attemptPairs, taskIn } from "../../executions/tasks.ts";
import { titleOf } from "../../executions/title.ts";
import { taskTokenUse, tokenUse } from "../../executions/tokens.ts";
import { answerLabel, callbacksAgain, crewAndAddress } from "../../feedback/target.ts";
import { aboutOf, eventFacts } from "../document/about.ts";
import type { RenderCircumstances } from "../document/render.ts";
import { withLines } from "../document/embed.ts";
import { rehearsalNote, resultParts, situationParts, stateFacts } from "../document/result.ts";
import { mayBeWaitingSection, undeliveredSection } from "../document/sections.ts";
import {
  attemptsOf,
  feedbackOn,
  feedbackTitle,
  isUnanswered,
  outcomeLabel,
  unanswered,
  unknownTasks,
} from "../document/task.ts";
import { cleanText, inlineText } from "../document/markdown.ts";
import {
  askLabel,
  elapsedLabel,
  formatTime,
  interruptedLabel,
  isRehearsal,
  present,
  taskStateLabel,
  taskTimeLabels,
  useLabels,
} from "../labels.ts";
import { contentOf, valueContent } from "./content.ts";
import type { AttemptCard, Notice, PageAction, PageModel, Review, TaskCard } from "./messages.ts";
import { attemptsWithSteps, stepsIn } from "./steps.ts";

export interface PageCircumstances extends RenderCircumstances {
  readonly canStop: boolean;
  /** Feedback on the output that waits is being sent from this window. */
  readonly isSending: boolean;
  /** Of the output that waits, with the number of its newest keystroke. */
  readonly draft: { readonly text: string; readonly number: number };
  /** The execution has other drafts, for outputs that no longer wait. */
  readonly hasOldDrafts: boolean;
}

/** All that the page of an execution shows. */
export function pageModel(
  execution: Execution,
  activity: Activity,
  circumstances: PageCircumstances,
): PageModel {
  const { state, crew, request } = execution;
  const { isKickingOff = false, isInterrupted = false, prices = [] } = circumstances;
  const review = reviewOf(execution, circumstances);
  const steps = stepsOf(activity);
  const { label, facts } = stateFacts(execution, circumstances);
  const result = hasEnded(execution) ? execution.output : undefined;
  const tasks = [...execution.tasks, ...unknownTasks(execution)];
  return {
    title: titleOf(execution),
    crew: crew.name,
    state: isInterrupted ? "interrupted" : state,
    stateLabel: label,
    facts,
    spoken: spokenState(execution, label),
    ...defined({
      elapsed: elapsedOf(execution, circumstances),
      review,
      result: result === undefined ? undefined : contentOf(result),
      toCome: toComeLabel(execution, tasks.length),
    }),
    use: useLabels(tokenUse(execution), prices),
    actions: isKickingOff ? [] : actionsOf(execution, circumstances),
    notices: noticesOf(execution, circumstances),
    tasks: tasks.map((task) => taskCard(task, execution, { steps, prices, review, isInterrupted })),
    inputs: Object.entries(request?.inputs ?? {}).map(([name, value]) => ({
      name,
      value: valueContent(value),
    })),
    details: detailsOf(execution),
  };
}

/** A crew names a task when it begins. */
function toComeLabel(execution: Execution, named: number): string | undefined {
  const { progress } = execution;
  if (hasEnded(execution) || progress?.unit !== "task") return undefined;
  const count = (progress.total ?? 0) - named;
  if (count < 1) return undefined;
  return count === 1
    ? l10n.t("1 task is still to come.")
    : l10n.t("{0} tasks are still to come.", count);
}

function spokenState({ waiting }: Execution, label: string): string {
  if (waiting === undefined) return label;
  const { taskId, attempt } = waiting;
  const asks = askLabel(waiting);
  const where = l10n.t("{0}: task {1}, attempt {2}", label, shortName(taskId), attempt);
  return asks === undefined ? where : l10n.t("{0}: {1}", where, asks);
}

/** While it runs the page counts itself. */
function elapsedOf(
  execution: Execution,
  { isInterrupted = false }: PageCircumstances,
): string | number | undefined {
  const started = Date.parse(execution.startedAt);
  const label = elapsedLabel(execution, started, isInterrupted);
  return hasEnded(execution) || isInterrupted || label === undefined ? label : started;
}

function actionsOf(
  execution: Execution,
  { canStop, hasOldDrafts, isInterrupted = false }: PageCircumstances,
): readonly PageAction[] {
  const { state, request, watchingStoppedAt, waiting } = execution;
  const isUnconfirmed = state === "unconfirmed";
  const isDoubtful = waiting === undefined && mayWait(execution);
  const again = request !== undefined && (isUnconfirmed || hasEnded(execution));
  return present<PageAction>(
    isInterrupted && { name: "continueExecution", label: l10n.t("Continue") },
    isInterrupted && { name: "discardExecution", label: l10n.t("Discard…") },
    watchingStoppedAt !== undefined && { name: "watchAgain", label: l10n.t("Watch Again") },
    isDoubtful && { name: "giveFeedback", label: l10n.t("Give Feedback…") },
    isDoubtful && { name: "pasteCallback", label: l10n.t("Paste Received Callback…") },
    isUnconfirmed && { name: "trackExecution", label: l10n.t("Track by Its ID…") },
    canStop && !isInterrupted && canBeStopped(execution) && stopAction(execution),
    again && { name: "runAgain", label: l10n.t("Run Again…") },
    again && { name: "runAgainInForm", label: l10n.t("Run Again in Form…") },
    hasEnded(execution) && { name: "compareExecutions", label: l10n.t("Compare With…") },
    isUnconfirmed && { name: "untrackExecution", label: l10n.t("Remove from List") },
    hasOldDrafts && { name: "openDrafts", label: l10n.t("Unsent Drafts…") },
    // Feedback on what waits has its own place.
    waiting === undefined &&
      pendingResume(execution)?.outcome === "unanswered" && {
        name: "sendAgain",
        label: l10n.t("May have been sent – Send Again…"),
      },
  );
}

function stopAction(execution: Execution): PageAction {
  if (isStopping(execution)) return { label: l10n.t("Stopping…") };
  return isLocalCrew(execution.crew)
    ? { name: "stop", label: l10n.t("Stop…") }
    : { name: "tryToStop", label: l10n.t("Try to Stop…") };
}

function noticesOf(execution: Execution, circumstances: PageCircumstances): readonly Notice[] {
  const { doubt } = circumstances;
  const warnings = ["unconfirmed", mayBeWaitingSection, undeliveredSection];
  // The page shows the result itself, and the pause at its output.
  const results = resultParts(execution).filter(
    ({ id }) => id === "error" || execution.output === undefined,
  );
  const situation = situationParts(execution, circumstances).filter(
    ({ id }) => id !== "waits" && (id !== "answered pause" || execution.waiting === undefined),
  );
  return present<Notice>(
    doubt !== undefined && { id: "doubt", kind: "warning", text: inlineText(doubt) },
    isRehearsal(execution) && { id: "rehearsal", kind: "info", text: rehearsalNote() },
    ...[...situation, ...results].map(({ id, lines }) => ({
      id,
      kind:
        id === "error"
          ? ("error" as const)
          : warnings.includes(id)
            ? ("warning" as const)
            : ("info" as const),
      text: lines.join("\n"),
    })),
  );
}

function reviewOf(
  execution: Execution,
  { isSending, draft }: PageCircumstances,
): Review | undefined {
  const rejected = execution.waiting === undefined ? rejectedOf(execution) : undefined;
  const shown = execution.waiting ?? rejected;
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
      previous: previousOf(execution, taskId, attempt),
      answers,
    }),
    goesTo:
      again.length === 0
        ? goesTo
        : l10n.t("{0} Callbacks sent again: {1}.", goesTo, again.join(", ")),
    draft: draft.text,
    draftNumber: draft.number,
    ...(rejected === undefined ? answerState(execution, isSending) : { status: "again" }),
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
  isSending: boolean,
): Pick<Review, "status" | "note" | "action"> {
  const pending = pendingResume(execution);
  if (isSending || pending?.outcome === "sending") return { status: "sending" };
  if (pending !== undefined)
    return {
      status: "unanswered",
      note: l10n.t("Your feedback may have been sent: no response arrived."),
      action: { name: "sendAgain", label: l10n.t("Send Again…") },
    };
  const taken = answeredPause(execution);
  const message = execution.waiting?.message;
  if (taken === undefined)
    return { status: "waits", ...(message !== undefined && { note: cleanText(message) }) };
  const note = situationParts(execution).find(({ id }) => id === "answered pause");
  return {
    status: "answered",
    note: note?.lines.join("\n") ?? "",
    action: { name: "sendAgain", label: l10n.t("Send Again…") },
  };
}

function previousOf(execution: Execution, taskId: string, attempt: number): number | undefined {
  return attemptPairs(execution).find((pair) => pair.taskId === taskId && pair.attempt === attempt)
    ?.previous;
}

interface Surroundings {
  readonly isInterrupted: boolean;
  readonly steps: readonly Step[];
  readonly prices: readonly Price[];
  readonly review: Review | undefined;
}

function taskCard(task: ExecutionTask, execution: Execution, surroundings: Surroundings): TaskCard {
  const { taskId, agent, state } = task;
  const { steps, prices } = surroundings;
  const isInterrupted = surroundings.isInterrupted && state === "running";
  const known = attemptsOf(task, execution);
  const numbers = new Set(known.map(({ number }) => number));
  const begun = attemptsWithSteps(steps, taskId).filter((number) => !numbers.has(number));
  const attempts: readonly Attempt[] = [...known, ...begun.map((number) => ({ number }))];
  // Until the end, a crew reports only the current task (vendor's OpenAPI).
  const comesLater = state === "completed" && known.length === 0 && !hasEnded(execution);
  return {
    taskId,
    name: shortName(taskId),
    ...defined({
      agent: agent === undefined || agent === "" ? undefined : shortName(agent),
      note: comesLater ? l10n.t("Output is available when the execution has ended.") : undefined,
    }),
    state: isInterrupted ? "interrupted" : state,
    stateLabel: isInterrupted ? interruptedLabel() : taskStateLabel(task, execution),
    facts: [...taskTimeLabels(task, execution), ...useLabels(taskTokenUse(task), prices)],
    attempts: attempts
      .toSorted((one, other) => one.number - other.number)
      .map((attempt) => attemptCard(attempt, taskId, execution, surroundings)),
  };
}

function attemptCard(
  attempt: Attempt,
  taskId: string,
  execution: Execution,
  { steps, review }: Surroundings,
): AttemptCard {
  const { number, output } = attempt;
  return {
    number,
    ...defined({
      content: output === undefined ? undefined : contentOf(output),
      previous: previousOf(execution, taskId, number),
    }),
    ...(isUnanswered(execution, { taskId, attempt: number }) && { note: unanswered() }),
    isInReview: review?.taskId === taskId && review.attempt === number,
    feedback: feedbackOn(attempt, taskId, execution).map((sent) => ({
      title: feedbackTitle(sent),
      kind:
        sent.feedback.isAnswer === true
          ? ("answered" as const)
          : sent.feedback.isApprove
            ? ("approved" as const)
            : ("rejected" as const),
      content: contentOf(withLines(sent.feedback.text)),
      outcome: `${outcomeLabel(sent, execution)} · ${formatTime(sent.feedback.at)}`,
    })),
    ...stepsIn(steps, taskId, number),
  };
}

function detailsOf(execution: Execution): PageModel["details"] {
  const { origin, startedAt, endedAt } = execution;
  const began = origin === "tracked" ? l10n.t("Tracked since") : l10n.t("Kicked off");
  return present(
    { label: began, value: formatTime(startedAt) },
    endedAt !== undefined && { label: l10n.t("Finished"), value: formatTime(endedAt) },
    ...aboutOf(execution),
    ...eventFacts(execution),
  );
}
