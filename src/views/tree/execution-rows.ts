import * as l10n from "@vscode/l10n";
import type { CrewApiError } from "../../api/errors.ts";
import { oneLine, shortName } from "../../base/text.ts";
import { attemptPairs } from "../../executions/tasks.ts";
import {
  hasEnded,
  isNeverSeen,
  type ExecutionSummary,
  type TaskSummary,
} from "../../executions/model.ts";
import { answeredPause, pendingResume } from "../../executions/resumes.ts";
import { sharesTitle, titleOf } from "../../executions/title.ts";
import { problemInWords } from "../problems.ts";
import {
  elapsedInWords,
  isRehearsal,
  progressInFull,
  progressInWords,
  rehearsalInWords,
  startInShort,
  startInWords,
  stateInWords,
  taskStateInWords,
} from "../words.ts";
import type { GroupKind } from "./grouping.ts";
import type { Row } from "./rows.ts";

/** Inputs that a tooltip names, and characters of each and of an error. */
const shown = { inputs: 4, value: 80, error: 300 };

/** What is known of an execution beside itself. */
export interface ExecutionCircumstances {
  /** Why the last question about it failed. */
  readonly problem?: CrewApiError | undefined;
  /** Whether its crew can be asked: it may have been removed, refuse the token, or be a local one that is stopped. */
  readonly crew?: "connected" | "gone" | "refusing" | "stopped";
  /** The group it stands in; a row does not say what its group says. */
  readonly group?: GroupKind;
}

/** The row of an execution at `now` (milliseconds since 1970). A side bar of usual width shows some 25 characters of what it says: its state, what is wrong and the time come first. */
export function executionRow(
  execution: ExecutionSummary,
  now: number,
  circumstances: ExecutionCircumstances = {},
): Row {
  const { group = "crew" } = circumstances;
  const title = titleOf(execution);
  const pending = pendingResume(execution);
  const troubles = troublesOf(execution, circumstances);
  const time =
    circumstances.crew === "gone" && !hasEnded(execution)
      ? undefined
      : elapsedInWords(execution, now);
  const isRehearsed = isRehearsal(execution);
  const isPinned = execution.pinned === true;
  const crew = l10n.t("Crew: {0}", execution.crew.name);
  const whole = told(situationOf(execution), progressInFull(execution), time, ...troubles);
  const description = told(
    ...stateFor(group, execution),
    ...troubles,
    isPinned ? l10n.t("pinned") : undefined,
    sharesTitle(execution) ? startInShort(execution, now) : undefined,
    time,
    group === "crew" ? undefined : execution.crew.name,
    // What is completed is all done.
    execution.state === "completed" ? undefined : progressInWords(execution),
    isRehearsed ? l10n.t("rehearsal") : undefined,
  );
  return {
    label: title,
    description: description.join(" · "),
    // Made when it is asked for: of ten thousand rows, few are pointed at.
    get tooltip() {
      const ids = execution.kickoffIds.map((id) => l10n.t("ID: {0}", id));
      return [
        title,
        ...whole,
        ...more(execution, circumstances),
        crew,
        startInWords(execution),
        ...ids,
      ];
    },
    icon: executionIcon(execution, unwatched(execution, circumstances) !== undefined),
    facts: executionFacts(execution, pending?.outcome ?? answeredPause(execution)?.outcome),
    sentence: told(
      title,
      ...whole,
      sharesTitle(execution) ? startInWords(execution) : undefined,
      isRehearsed ? l10n.t("rehearsal") : undefined,
      isPinned ? l10n.t("pinned") : undefined,
      group === "crew" ? undefined : crew,
    ).join(", "),
  };
}

/** The row of a task. */
export function taskRow(
  task: TaskSummary,
  execution: ExecutionSummary,
  circumstances: ExecutionCircumstances = {},
): Row {
  const isStale = task.state === "running" && unwatched(execution, circumstances) !== undefined;
  const state = isStale ? l10n.t("Last seen running") : taskStateInWords(task, execution);
  const attempt = task.attempts.at(-1);
  const name = shortName(task.taskId);
  const details = told(
    attempt !== undefined && attempt.number > 1 ? l10n.t("attempt {0}", attempt.number) : undefined,
    task.agent === undefined || task.agent === "" ? undefined : shortName(task.agent),
  );
  const waits = execution.waiting?.taskId === task.taskId;
  return {
    label: name,
    description: [task.state === "waiting" ? waitingInShort() : state, ...details].join(" · "),
    tooltip: [name, state, ...details],
    icon: isStale ? { id: "eye-closed" } : taskIcon(task.state),
    facts: [
      "task",
      ...(waits ? ["waiting"] : [task.state]),
      ...(attempt?.output === undefined ? [] : ["output"]),
      ...(attemptPairs({ tasks: [task] }).length === 0 ? [] : ["attempts"]),
    ].join(":"),
    sentence: l10n.t("Task {0}, {1}", name, [state, ...details].join(", ")),
  };
}

/** Where it stands, with the task that waits and its attempt: "Waiting for you at task review, attempt 2". */
function situationOf(execution: ExecutionSummary): string {
  const { waiting } = execution;
  const state = stateInWords(execution);
  if (waiting === undefined) return state;
  const task = shortName(waiting.taskId);
  return waiting.attempt > 1
    ? l10n.t("{0} at task {1}, attempt {2}", state, task, waiting.attempt)
    : l10n.t("{0} at task {1}", state, task);
}

/** What a row says first: its state, unless its group says that already. Of what waits, the task. */
function stateFor(group: GroupKind, execution: ExecutionSummary): readonly string[] {
  const { waiting, state } = execution;
  if (group === "waiting" && waiting !== undefined) {
    const task = shortName(waiting.taskId);
    return [waiting.attempt > 1 ? l10n.t("{0}, attempt {1}", task, waiting.attempt) : task];
  }
  return group === "state" && state !== "unknown" ? [] : [stateInShort(execution)];
}

/** The state in the fewest words: beside its icon, in the view whose first group says who is waited for. */
function stateInShort(execution: ExecutionSummary): string {
  if (execution.state === "waiting") return waitingInShort();
  if (isNeverSeen(execution)) return l10n.t("Unknown ID – check it");
  return execution.state === "unknown" && execution.mayBeWaiting === true
    ? l10n.t("May be waiting")
    : stateInWords(execution);
}

function waitingInShort(): string {
  return l10n.t("Waiting");
}

/** What a person should know of before the time: what is being sent, what is wrong. */
function troublesOf(
  execution: ExecutionSummary,
  circumstances: ExecutionCircumstances,
): readonly string[] {
  const { problem } = circumstances;
  const pending = pendingResume(execution);
  const noWatch = unwatched(execution, circumstances);
  return told(
    pending === undefined
      ? undefined
      : pending.outcome === "sending"
        ? l10n.t("sending feedback…")
        : l10n.t("feedback may have been sent"),
    answeredPause(execution) === undefined ? undefined : l10n.t("answered, pause still reported"),
    noWatch,
    noWatch !== undefined || problem === undefined || hasEnded(execution)
      ? undefined
      : problemInWords(problem),
  );
}

/** The words that there are. */
function told(...words: readonly (string | undefined)[]): readonly string[] {
  return words.filter((each) => each !== undefined);
}

/** Why nobody asks for an execution that has not ended; nothing where somebody does. */
function unwatched(
  execution: ExecutionSummary,
  { crew = "connected" }: ExecutionCircumstances,
): string | undefined {
  if (hasEnded(execution)) return undefined;
  if (crew === "gone") return l10n.t("not watched: crew is not connected");
  if (crew === "refusing") return l10n.t("not watched: token refused");
  if (crew === "stopped") return l10n.t("not watched: local crew is stopped");
  return execution.watchingStoppedAt === undefined ? undefined : l10n.t("no longer watched");
}

/** What only a tooltip has room for. */
function more(execution: ExecutionSummary, { problem }: ExecutionCircumstances): readonly string[] {
  const inputs = Object.entries(execution.request?.inputs ?? {});
  return [
    ...(problem === undefined || hasEnded(execution) ? [] : [problem.message, problem.remedy]),
    ...(isRehearsal(execution) ? [rehearsalInWords()] : []),
    ...(execution.pinned === true ? [l10n.t("Pinned: first in its group")] : []),
    ...(execution.error === undefined
      ? []
      : [l10n.t("Error: {0}", oneLine(execution.error, shown.error))]),
    ...inputs
      .slice(0, shown.inputs)
      .map(([name, value]) =>
        l10n.t(
          "{0}: {1}",
          shortName(name),
          oneLine(typeof value === "string" ? value : JSON.stringify(value), shown.value),
        ),
      ),
    ...(inputs.length > shown.inputs
      ? [l10n.t("and {0} more inputs", inputs.length - shown.inputs)]
      : []),
  ];
}

function executionFacts(execution: ExecutionSummary, sent: string | undefined): string {
  const { state, mayBeWaiting, watchingStoppedAt, output, waiting, kickoffIds, request, pinned } =
    execution;
  return [
    "execution",
    state,
    ...(hasEnded(execution) ? ["ended"] : []),
    ...(state === "unknown" && mayBeWaiting === true ? ["mayBeWaiting"] : []),
    ...(sent === undefined ? [] : [sent]),
    ...(watchingStoppedAt === undefined ? [] : ["unwatched"]),
    ...((output ?? waiting?.output) === undefined ? [] : ["output"]),
    ...(attemptPairs(execution).length === 0 ? [] : ["attempts"]),
    ...(kickoffIds.length === 0 ? [] : ["id"]),
    ...(request === undefined ? [] : ["request"]),
    ...(pinned === true ? ["pinned"] : []),
  ].join(":");
}

function executionIcon(
  { state, mayBeWaiting }: ExecutionSummary,
  isUnwatched: boolean,
): Row["icon"] {
  switch (state) {
    case "queued":
      return { id: "clock" };
    case "running":
      return isUnwatched ? { id: "eye-closed" } : { id: "sync~spin", color: "charts.blue" };
    case "waiting":
      return { id: "bell-dot", color: "list.warningForeground" };
    case "completed":
      return { id: "pass", color: "testing.iconPassed" };
    case "failed":
      return { id: "error", color: "testing.iconFailed" };
    case "stopped":
      return { id: "circle-slash" };
    case "unconfirmed":
      return { id: "warning", color: "list.warningForeground" };
    case "unknown":
      return mayBeWaiting === true
        ? { id: "question", color: "list.warningForeground" }
        : { id: "question" };
  }
}

function taskIcon(state: TaskSummary["state"]): Row["icon"] {
  switch (state) {
    case "pending":
      return { id: "circle-large-outline" };
    case "running":
      return { id: "sync~spin", color: "charts.blue" };
    case "waiting":
      return { id: "bell-dot", color: "list.warningForeground" };
    case "completed":
      return { id: "pass", color: "testing.iconPassed" };
    case "failed":
      return { id: "error", color: "testing.iconFailed" };
  }
}
