import * as l10n from "@vscode/l10n";
import { defined } from "../../base/json.ts";
import { safeUrl } from "../../base/loopback.ts";
import { shortName } from "../../base/text.ts";
import { callbacksAgain, crewAndPlace } from "../../crews/identity.ts";
import type { Activity } from "../../executions/activity.ts";
import { requestAt } from "../../executions/flow-requests.ts";
import { type Execution, isLocalCrew } from "../../executions/model.ts";
import {
  answeredPause,
  asksFor,
  attemptToAnswer,
  isAt,
  pendingResume,
  type ResumeTarget,
} from "../../executions/resumes.ts";
import { attemptAt, taskIn } from "../../executions/tasks.ts";
import type { Action, Circumstances } from "../../view/actions.ts";
import { type ExecutionView, viewOf } from "../../view/execution-view.ts";
import { cleanText, mostCharacters, valueText } from "../../view/markdown.ts";
import { answerLabel, callQuestion } from "../../view/words.ts";
import type { FromPage } from "./messages.ts";

const mostSteps = 100;

export interface PageCircumstances extends Circumstances {
  /** The output that waits, or the task that a person answers though the crew reports no pause. */
  readonly target?: ResumeTarget | undefined;
}

export type PageModel = ReturnType<typeof pageModel>;
export type PageTask = PageModel["view"]["tasks"][number];
export type Review = NonNullable<PageModel["review"]>;

export function pageModel(
  execution: Execution,
  activity: Activity,
  circumstances: PageCircumstances = {},
) {
  const { inputs = {}, ...view } = viewOf(execution, activity, circumstances);
  const tasks = view.tasks.map((task) => ({
    ...task,
    attempts: task.attempts.map((attempt) => ({
      ...attempt,
      steps: attempt.steps.slice(-mostSteps),
      stepCount: attempt.steps.length,
    })),
  }));
  return withBeginnings({
    view: { ...view, tasks },
    inputs: Object.entries(inputs).map(([name, value]) => [name, valueText(value)] as const),
    links: linksOf(view, execution),
    // Its tools can be asked about.
    isWithTools: isLocalCrew(execution.crew) && execution.engine === "crewai",
    ...defined({ review: reviewOf(execution, view, circumstances) }),
  });
}

/** What is posted is JSON. Texts of the crew and of a person may have many megabytes. */
function withBeginnings<Model>(model: Model): Model {
  const cut = (_name: string, value: unknown) =>
    typeof value === "string" ? value.slice(0, mostCharacters) : value;
  return JSON.parse(JSON.stringify(model, cut)) as Model;
}

function linksOf({ notices, earlier }: ExecutionView, { crew }: Execution) {
  return notices.flatMap(({ id, lines }): { id: string; label: string; message: FromPage }[] => {
    if (id === "run again" && earlier !== undefined)
      return [{ id, label: l10n.t("Open “{0}”", earlier), message: { type: "openEarlier" } }];
    if (id !== "error" || !isLocalCrew(crew)) return [];
    return [
      ...filesIn(lines.join("\n")).map(({ file, line }) => ({
        id,
        label: line === undefined ? file : `${file}:${line}`,
        message: { type: "openFile" as const, file, ...defined({ line }) },
      })),
      { id, label: l10n.t("Show Log"), message: { type: "act", action: "showLog" } },
    ];
  });
}

function filesIn(text: string): readonly { readonly file: string; readonly line?: number }[] {
  const words = new Set(text.split(/[\s"'“”`(),;]+/));
  const files = [...words].flatMap((word) => {
    const [, file, line] = /^([\w./-]+\.(?:py|yaml|jsonc|toml)):(\d{1,6})/.exec(word) ?? [];
    if (file !== undefined) return [{ file, line: Number(line) }];
    return /^\.env[.:]?$/.test(word) ? [{ file: ".env" }] : [];
  });
  return files.slice(0, 3);
}

function reviewOf(
  execution: Execution,
  view: ExecutionView,
  { target = execution.waiting }: PageCircumstances,
) {
  const rejected =
    target === undefined && view.state === "running" ? rejectedOf(execution) : undefined;
  const shown = target ?? rejected;
  if (shown === undefined) return undefined;
  const { waiting } = execution;
  const { taskId, attempt } = shown;
  const call = isAt(waiting, shown) ? waiting?.call : undefined;
  const task = taskIn(execution.tasks, taskId);
  return {
    taskId,
    name: call === undefined ? shortName(taskId) : shortName(call.tool ?? l10n.t("budget")),
    attempt,
    ...defined({
      agent: task?.agent,
      output:
        call?.tool === undefined ? attemptAt(execution.tasks, shown)?.output : waiting?.output,
      call: call && (call.tool === undefined ? ("budget" as const) : ("tool" as const)),
      // A flow asks. It may name no answers.
      answers: waiting?.options?.map((text) => ({ label: answerLabel(text, waiting), text })),
    }),
    goesTo: placeOf(execution, shown),
    ...(rejected === undefined
      ? answerState(execution, view)
      : ({ status: "again" } satisfies AnswerState)),
  };
}

/** Where feedback goes, and what it does there. */
export function placeOf(execution: Execution, target: ResumeTarget): string {
  const request = requestAt(execution, target);
  const place =
    request === undefined ? crewAndPlace(execution) : safeUrl(request.callbackUrl)?.host;
  if (place === undefined)
    return l10n.t("Its address for the answer can't be used. Answer in the dashboard.");
  const call = isAt(execution.waiting, target) ? execution.waiting?.call : undefined;
  if (call !== undefined)
    return call.tool === undefined
      ? l10n.t("Goes to {0}. “Stop…” ends the execution.", place)
      : l10n.t("Goes to {0}. The agent reads why you refuse.", place);
  const goesTo =
    request !== undefined || asksFor(execution, target.taskId)
      ? l10n.t("Goes to {0}, and the flow continues with it.", place)
      : l10n.t("Goes to {0}. Your feedback becomes context for later tasks.", place);
  const again = request === undefined ? callbacksAgain(execution) : [];
  return again.length === 0
    ? goesTo
    : l10n.t("{0} Callbacks sent again: {1}.", goesTo, again.join(", "));
}

function rejectedOf(execution: Execution) {
  const last = execution.resumes.findLast(({ outcome }) => outcome !== "refused");
  if (last?.outcome !== "answered" || last.feedback.isApprove) return undefined;
  const isUnderWay =
    taskIn(execution.tasks, last.taskId)?.state === "running" &&
    attemptToAnswer(execution, last.taskId) === last.attempt + 1;
  return isUnderWay ? last : undefined;
}

interface AnswerState {
  readonly status: "waits" | "sending" | "unanswered" | "answered" | "again";
  /** Markdown; what a flow asks, or what happened to the feedback. */
  readonly note?: string;
  readonly action?: Action;
}

function answerState(execution: Execution, { notices, answers }: ExecutionView): AnswerState {
  const pending = pendingResume(execution);
  if (pending?.outcome === "sending") return { status: "sending" };
  // The reason is beside the button.
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
  const { call, message = call && callQuestion(call) } = execution.waiting ?? {};
  return { status: "waits", ...(message !== undefined && { note: cleanText(message) }) };
}
