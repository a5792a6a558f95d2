import * as l10n from "@vscode/l10n";
import { defined } from "../../base/json.ts";
import { safeUrl } from "../../base/loopback.ts";
import { shortName } from "../../base/text.ts";
import type { Activity } from "../../executions/activity.ts";
import { requestAt } from "../../executions/flow-requests.ts";
import { type Execution, type FlowRequest, isLocalCrew } from "../../executions/model.ts";
import {
  answeredPause,
  asksFor,
  attemptToAnswer,
  pendingResume,
  type ResumeTarget,
} from "../../executions/resumes.ts";
import { taskIn } from "../../executions/tasks.ts";
import { callbacksAgain, crewAndPlace } from "../../crews/place.ts";
import type { Circumstances } from "../../view/actions.ts";
import { withLines } from "../../view/embed.ts";
import { type ExecutionView, viewOf } from "../../view/execution-view.ts";
import { cleanText } from "../../view/markdown.ts";
import type { Notice } from "../../view/notices.ts";
import type { AttemptView, TaskView } from "../../view/tasks.ts";
import { answerLabel, askLabel, formatTime } from "../../view/words.ts";
import { contentOf, valueContent } from "./content.ts";
import type { Notice as PageNotice, PageAttempt, PageModel, PageTask, Review } from "./messages.ts";

/** Steps of an attempt on the page: the last ones. */
const mostSteps = 100;
/** Links to files below an error. */
const mostFiles = 3;

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
    ...{ title: view.title, crew: view.crew, state: view.state, label },
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
    notices: view.notices
      .filter((notice) => !isInReview(notice, execution))
      .map((notice) => pageNotice(notice, execution, circumstances)),
    tasks: [...view.tasks, ...unknownTasks(oldDrafts, view.tasks)].map((task) =>
      pageTask(task, review, oldDrafts),
    ),
    inputs: Object.entries(inputs).map(([name, value]) => ({ name, value: valueContent(value) })),
    details: [...startAndEnd(execution), ...view.about, ...view.events],
  };
}

/** The page shows the pause at its output. */
function isInReview({ id }: Notice, { waiting }: Execution): boolean {
  return id === "waits" || (id === "answered pause" && waiting !== undefined);
}

function pageNotice(
  { id, kind, title, lines }: Notice,
  { crew, error = "" }: Execution,
  { earlier }: PageCircumstances,
): PageNotice {
  const text = lines.join("\n");
  const links: PageNotice["links"][number][] = [];
  if (id === "run again" && earlier !== undefined)
    links.push({ label: l10n.t("Open “{0}”", earlier), message: { type: "openEarlier" } });
  if (id === "error" && isLocalCrew(crew)) {
    for (const { file, line } of filesIn(`${error} ${text}`).slice(0, mostFiles))
      links.push({
        label: line === undefined ? file : `${file}:${line}`,
        message: { type: "openFile", file, ...defined({ line }) },
      });
    links.push({ label: l10n.t("Show Log"), message: { type: "act", action: "showLog" } });
  }
  return { id, kind, text: title === undefined ? text : `## ${title}\n\n${text}`, links };
}

/** The files of a project that a text names, such as `crew.py:17` and `.env`. */
function filesIn(text: string): readonly { readonly file: string; readonly line?: number }[] {
  const words = new Set(text.split(/[\s"'“”`(),;]+/));
  return [...words].flatMap((word) => {
    const [, file, line] = /^([\w./-]+\.(?:py|yaml|jsonc|toml)):(\d{1,6})/.exec(word) ?? [];
    if (file !== undefined) return [{ file, line: Number(line) }];
    return /^\.env[.:]?$/.test(word) ? [{ file: ".env" }] : [];
  });
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
  const place = crewAndPlace(execution);
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
  if (isSending || pending?.outcome === "sending") return { status: "sending" };
  // Why is beside the button.
  const isOffered = answers.some(({ verb }) => verb === "sendAgain");
  const again = isOffered && {
    action: { verb: "sendAgain" as const, label: l10n.t("Send Again…") },
  };
  if (pending !== undefined) {
    const note = l10n.t("Your feedback may have been sent: no response arrived.");
    return { status: "unanswered", note, ...again };
  }
  if (answeredPause(execution) !== undefined) {
    const taken = notices.find(({ id }) => id === "answered pause");
    return { status: "answered", note: taken?.lines.join("\n") ?? "", ...again };
  }
  const message = execution.waiting?.message;
  return { status: "waits", ...(message !== undefined && { note: cleanText(message) }) };
}

function pageTask(
  { attempts, ...task }: TaskView,
  review: Review | undefined,
  oldDrafts: readonly OldDraft[],
): PageTask {
  const drafts = oldDrafts.filter(({ taskId }) => taskId === task.taskId);
  const unknown = drafts.filter(({ attempt }) =>
    attempts.every(({ number }) => number !== attempt),
  );
  const all = [...attempts, ...unknown.map(({ attempt }) => unknownAttempt(attempt))];
  return {
    ...task,
    attempts: all
      .sort((one, other) => one.number - other.number)
      .map((attempt) => {
        const isIts = (target: ResumeTarget) =>
          target.taskId === task.taskId && target.attempt === attempt.number;
        const isInReview = review !== undefined && isIts(review);
        return {
          ...pageAttempt(attempt, isInReview),
          ...defined({ oldDraft: drafts.find(isIts)?.text }),
        };
      }),
  };
}

/** Nothing else is known of what a draft is for. */
function unknownAttempt(number: number): AttemptView {
  return { number, isOnly: false, feedback: [], steps: [] };
}

function unknownTasks(
  oldDrafts: readonly OldDraft[],
  known: readonly TaskView[],
): readonly TaskView[] {
  const ids = new Set(oldDrafts.map(({ taskId }) => taskId));
  for (const { taskId } of known) ids.delete(taskId);
  return [...ids].map((taskId) => ({
    ...{ taskId, name: shortName(taskId), state: "pending", label: "", facts: [], attempts: [] },
  }));
}

function pageAttempt(
  { output, feedback, steps, ...attempt }: AttemptView,
  isInReview: boolean,
): PageAttempt {
  const hiddenSteps = Math.max(0, steps.length - mostSteps);
  return {
    ...attempt,
    ...defined({ content: output === undefined ? undefined : contentOf(output) }),
    isInReview,
    feedback: feedback.map(({ text, ...sent }) => ({
      ...sent,
      content: contentOf(withLines(text)),
    })),
    steps: steps.slice(hiddenSteps),
    hiddenSteps,
  };
}

function startAndEnd({ origin, startedAt, endedAt }: Execution): PageModel["details"] {
  const began = origin === "tracked" ? l10n.t("Tracked since") : l10n.t("Kicked off");
  const end = { label: l10n.t("Finished"), value: formatTime(endedAt ?? "") };
  return [{ label: began, value: formatTime(startedAt) }, ...(endedAt === undefined ? [] : [end])];
}
