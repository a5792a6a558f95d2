import * as l10n from "@vscode/l10n";
import type { CrewApiError } from "../../api/errors.ts";
import { attemptPairs } from "../../executions/attempts.ts";
import { hasEnded, type CrewRef, type Execution, type ExecutionTask } from "../../executions/model.ts";
import { titleOf } from "../../executions/title.ts";
import { pendingResume } from "../../feedback/pending.ts";
import { problemInWords } from "../problems.ts";
import { elapsedInWords, isRehearsal, progressInFull, progressInWords, rehearsalInWords, stateInWords, taskStateInWords, timeInWords } from "../words.ts";

/** How a row of the tree looks and sounds, without VS Code. */
export interface Row {
  readonly label: string;
  readonly description: string;
  /** Plain lines; whoever shows them escapes them. */
  readonly tooltip: readonly string[];
  /** A codicon and a theme colour. */
  readonly icon: { readonly id: string; readonly color?: string };
  /** Facts for the manifest's menus, joined by colons. */
  readonly facts: string;
  /** The row as a sentence, for a screen reader. */
  readonly sentence: string;
}

/** The row of a crew that is no longer connected, while executions of it are tracked. */
export function goneCrewRow({ id, name, url }: CrewRef): Row {
  const isLocal = id.startsWith("local:");
  const words = isLocal ? l10n.t("local crew, not started here") : l10n.t("not connected");
  return {
    label: name,
    description: words,
    tooltip: [name, url, isLocal ? l10n.t("Start the local crew to go on.") : l10n.t("Connect this crew again to go on.")],
    icon: { id: "debug-disconnect" },
    facts: isLocal ? "gone:local" : "gone:remote",
    sentence: l10n.t("Crew {0}, {1}", name, words),
  };
}

/** The row below a crew of which nothing is tracked. */
export function hintRow(): Row {
  const label = l10n.t("Kick off the first execution…");
  return { label, description: "", tooltip: [label], icon: { id: "play" }, facts: "hint", sentence: l10n.t("Nothing is tracked of this crew yet. {0}", label) };
}

/** The row of an execution at `now` (milliseconds since 1970). */
export function executionRow(execution: Execution, now: number, problem?: CrewApiError): Row {
  const title = titleOf(execution);
  const state = stateInWords(execution);
  const pending = pendingResume(execution);
  const sending = pending === undefined ? undefined : pending.outcome === "sending" ? l10n.t("sending feedback…") : l10n.t("feedback may have been sent");
  const trouble = problem === undefined || hasEnded(execution) ? undefined : problemInWords(problem);
  const details = [
    elapsedInWords(execution, now),
    sending,
    execution.watchingStoppedAt === undefined ? undefined : l10n.t("no longer watched"),
    trouble,
    isRehearsal(execution) ? l10n.t("rehearsal") : undefined,
  ].filter((detail) => detail !== undefined);
  const task = execution.waiting?.taskId;
  const [short, full] = [progressInWords(execution), progressInFull(execution)];
  const whole = [task === undefined ? state : l10n.t("{0} at task {1}", state, task), ...(full === undefined ? [] : [full]), ...details];
  return {
    label: title,
    description: [state, ...(short === undefined ? [] : [short]), ...details].join(" · "),
    tooltip: [
      title,
      ...whole,
      ...(problem === undefined || trouble === undefined ? [] : [problem.message, problem.remedy]),
      ...(isRehearsal(execution) ? [rehearsalInWords()] : []),
      l10n.t("Crew: {0}", execution.crew.name),
      l10n.t("Since: {0}", timeInWords(execution.startedAt)),
      ...execution.kickoffIds.map((id) => l10n.t("ID: {0}", id)),
    ],
    icon: executionIcon(execution),
    facts: executionFacts(execution, pending?.outcome),
    sentence: [title, ...whole].join(", "),
  };
}

/** The row of a task. */
export function taskRow(task: ExecutionTask, execution: Execution): Row {
  const state = taskStateInWords(task, execution);
  const attempt = task.attempts.at(-1);
  const details = [state, ...(attempt !== undefined && attempt.number > 1 ? [l10n.t("attempt {0}", attempt.number)] : []), ...(task.agent === undefined || task.agent === "" ? [] : [task.agent])];
  const waits = execution.waiting?.taskId === task.taskId;
  return {
    label: task.taskId,
    description: details.join(" · "),
    tooltip: [task.taskId, ...details],
    icon: taskIcon(task.state),
    facts: ["task", ...(waits ? ["waiting"] : [task.state]), ...(attempt?.output === undefined ? [] : ["output"]), ...(attemptPairs({ tasks: [task] }).length === 0 ? [] : ["attempts"])].join(":"),
    sentence: l10n.t("Task {0}, {1}", task.taskId, details.join(", ")),
  };
}

function executionFacts(execution: Execution, pending: string | undefined): string {
  const { state, mayBeWaiting, watchingStoppedAt, output, waiting, kickoffIds, request } = execution;
  return [
    "execution",
    state,
    ...(hasEnded(execution) ? ["ended"] : []),
    ...(state === "unknown" && mayBeWaiting === true ? ["mayBeWaiting"] : []),
    ...(pending === undefined ? [] : [pending]),
    ...(watchingStoppedAt === undefined ? [] : ["unwatched"]),
    ...((output ?? waiting?.output) === undefined ? [] : ["output"]),
    ...(attemptPairs(execution).length === 0 ? [] : ["attempts"]),
    ...(kickoffIds.length === 0 ? [] : ["id"]),
    ...(request === undefined ? [] : ["request"]),
  ].join(":");
}

function executionIcon({ state, mayBeWaiting, watchingStoppedAt }: Execution): Row["icon"] {
  switch (state) {
    case "queued":
      return { id: "clock" };
    case "running":
      return watchingStoppedAt === undefined ? { id: "sync~spin", color: "charts.blue" } : { id: "eye-closed" };
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
      return mayBeWaiting === true ? { id: "question", color: "list.warningForeground" } : { id: "question" };
  }
}

function taskIcon(state: ExecutionTask["state"]): Row["icon"] {
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
