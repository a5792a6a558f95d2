import * as l10n from "@vscode/l10n";
import type { CrewApiError } from "../../api/errors.ts";
import { oneLine, shortName } from "../../base/text.ts";
import { type Price, taskTokenUse, tokenUse } from "../../executions/tokens.ts";
import { sharesTitle, titleOf } from "../../executions/title.ts";
import { actionsOf, answersTo } from "../../view/actions.ts";
import { shortProblem } from "../doubt.ts";
import {
  askLabel,
  elapsedLabel,
  fullProgress,
  type Icon,
  interruptedLabel,
  isRehearsal,
  kickingOffLabel,
  present,
  rehearsalLabel,
  shortProgress,
  shortStart,
  startLabel,
  stateIcons,
  stateLabel,
  taskStateLabel,
  taskTimeLabels,
  triggerFacts,
  useLabels,
} from "../../view/words.ts";
import type { GroupKind } from "./grouping.ts";
import type { Row } from "./rows.ts";
import { attemptPairs } from "../../executions/tasks.ts";
import { answeredPause, pendingResume } from "../../executions/resumes.ts";
import {
  asksElsewhere,
  canRunAgainFrom,
  type ExecutionSummary,
  hasEnded,
  isNeverSeen,
  isStopping,
  mayWait,
  type TaskSummary,
  type WaitingSummary,
} from "../../executions/model.ts";
import { interruptedAt } from "../../executions/interruptions.ts";

const max = { inputs: 4, value: 80, error: 300 };

export interface RowCircumstances {
  /** Why its last status request failed. */
  readonly problem?: CrewApiError | undefined;
  /** `gone`: removed; `stopped`, `starting`: of a local crew; `interrupted`: a person is to decide about the execution. */
  readonly crew?: "connected" | "gone" | "refusing" | "stopped" | "starting" | "interrupted";
  readonly isKickingOff?: boolean;
  /** Whether its crew may be able to stop it. */
  readonly canStop?: boolean;
  /** The row doesn't repeat what its group shows. */
  readonly group?: GroupKind;
  readonly prices?: readonly Price[];
}

/** A side bar shows about 25 characters of the description. `now` in milliseconds since 1970. */
export function executionRow(
  execution: ExecutionSummary,
  now: number,
  circumstances: RowCircumstances = {},
): Row {
  const { group = "crew", prices = [] } = circumstances;
  const title = titleOf(execution);
  const warnings = warningsOf(execution, circumstances);
  const isLost = circumstances.crew === "gone" && !hasEnded(execution);
  const isInterrupted = circumstances.crew === "interrupted";
  const time =
    !isLost && elapsedLabel(execution, now, isInterrupted ? interruptedAt(execution) : undefined);
  const pinned = execution.pinned === true && l10n.t("pinned");
  const rehearsal = isRehearsal(execution) && l10n.t("rehearsal");
  const crew = l10n.t("Crew: {0}", execution.crew.name);
  const asks = askOf(execution);
  const start = startLabel(execution);
  const situation = present(
    situationOf(execution, circumstances),
    asks,
    fullProgress(execution),
    time,
    ...warnings,
  );
  return {
    label: title,
    description: present(
      groupedState(execution, circumstances),
      asks,
      // Its menu says what to do, and there is little room.
      ...(isInterrupted ? [] : warnings),
      pinned,
      sharesTitle(execution) && shortStart(execution, now),
      time,
      group !== "crew" && execution.crew.name,
      execution.state !== "completed" && shortProgress(execution),
      rehearsal,
    ).join(" · "),
    // Computed on demand: few of 10,000 rows are hovered over.
    get tooltip() {
      const ids = execution.kickoffIds.map((id) => l10n.t("ID: {0}", id));
      return [
        title,
        ...situation,
        ...useLabels(tokenUse(execution), prices),
        ...details(execution, circumstances),
        crew,
        start,
        ...triggerFacts(execution).map(({ label, value }) => l10n.t("{0}: {1}", label, value)),
        ...ids,
      ];
    },
    icon: iconOf(execution, circumstances),
    facts: factsOf(execution, circumstances),
    sentence: present(
      title,
      ...situation,
      sharesTitle(execution) && start,
      rehearsal,
      pinned,
      group !== "crew" && crew,
    ).join(", "),
  };
}

export function taskRow(
  task: TaskSummary,
  execution: ExecutionSummary,
  circumstances: RowCircumstances = {},
): Row {
  const isStale =
    task.state === "running" && unwatchedLabel(execution, circumstances) !== undefined;
  const isInterrupted = isStale && circumstances.crew === "interrupted";
  const staleLabel = isInterrupted ? interruptedLabel() : l10n.t("Last seen running");
  const state = isStale ? staleLabel : taskStateLabel(task, execution);
  const attempt = task.attempts.at(-1);
  const name = shortName(task.taskId);
  const more = present(
    execution.waiting?.taskId === task.taskId && askOf(execution),
    attempt !== undefined && attempt.number > 1 && l10n.t("attempt {0}", attempt.number),
    task.agent !== undefined && task.agent !== "" && shortName(task.agent),
  );
  return {
    label: name,
    description: [task.state === "waiting" ? l10n.t("Waiting") : state, ...more].join(" · "),
    tooltip: present(
      name,
      state,
      ...more,
      ...taskTimeLabels(task, execution),
      ...useLabels(taskTokenUse(task), circumstances.prices ?? []),
    ),
    icon: isStale
      ? staleIcon(circumstances)
      : task.state === "pending"
        ? { id: "circle-large-outline" }
        : stateIcons[task.state],
    facts: present(
      "task",
      task.state,
      ...(execution.waiting?.taskId === task.taskId ? answersTo(execution) : []).map(
        ({ verb }) => verb,
      ),
      attempt?.output !== undefined && "output",
      attemptPairs({ tasks: [task] }).length > 0 && "attempts",
      canRunAgainFrom(execution) && "again",
    ).join(":"),
    sentence: l10n.t("Task {0}, {1}", name, [state, ...more].join(", ")),
  };
}

function situationOf(
  execution: ExecutionSummary,
  { isKickingOff, crew }: RowCircumstances,
): string {
  const { waiting } = execution;
  if (isKickingOff === true) return kickingOffLabel();
  if (crew === "interrupted") return interruptedLabel();
  const state = stateLabel(execution);
  return waiting === undefined ? state : l10n.t("{0} at task {1}", state, taskAndAttempt(waiting));
}

/** What a flow still asks for. */
function askOf(execution: ExecutionSummary): string | undefined {
  const { waiting } = execution;
  const sent = pendingResume(execution) ?? answeredPause(execution);
  return waiting === undefined || sent !== undefined ? undefined : askLabel(waiting);
}

function groupedState(
  execution: ExecutionSummary,
  { group, isKickingOff, crew }: RowCircumstances,
): string | undefined {
  const { waiting, state } = execution;
  if (group === "waiting" && waiting !== undefined) return taskAndAttempt(waiting);
  if (isKickingOff === true) return kickingOffLabel();
  if (crew === "interrupted") return interruptedLabel();
  if (group === "state" && state !== "unknown") return undefined;
  if (state === "waiting") return l10n.t("Waiting");
  if (isNeverSeen(execution)) return l10n.t("Unknown ID – check it");
  return mayWait(execution) && !asksElsewhere(execution)
    ? l10n.t("May be waiting")
    : stateLabel(execution);
}

function taskAndAttempt({ taskId, attempt }: WaitingSummary): string {
  const task = shortName(taskId);
  return attempt > 1 ? l10n.t("{0}, attempt {1}", task, attempt) : task;
}

function warningsOf(execution: ExecutionSummary, circumstances: RowCircumstances) {
  const { problem } = circumstances;
  const pending = pendingResume(execution);
  const unwatched = unwatchedLabel(execution, circumstances);
  return present(
    pending?.outcome === "sending" && l10n.t("sending feedback…"),
    pending?.outcome === "unanswered" && l10n.t("feedback may have been sent"),
    answeredPause(execution) && l10n.t("answered, pause still reported"),
    isStopping(execution) && l10n.t("stopping…"),
    !hasEnded(execution) &&
      execution.stop?.outcome === "unanswered" &&
      l10n.t("request to stop may have been sent"),
    !hasEnded(execution) &&
      execution.stop?.outcome === "ignored" &&
      l10n.t("asked to stop, and goes on"),
    unwatched ?? (!hasEnded(execution) && problem && shortProblem(problem)),
  );
}

function unwatchedLabel(
  execution: ExecutionSummary,
  { crew = "connected" }: RowCircumstances,
): string | undefined {
  if (hasEnded(execution)) return undefined;
  switch (crew) {
    case "gone":
      return l10n.t("not watched: crew is not connected");
    case "refusing":
      return l10n.t("not watched: token refused");
    case "stopped":
      return l10n.t("not watched: local crew is stopped");
    case "starting":
      return l10n.t("local crew is starting…");
    case "interrupted":
      return l10n.t("continue or discard it");
    case "connected":
      return execution.watchingStoppedAt && l10n.t("no longer watched");
  }
}

function details(execution: ExecutionSummary, { problem }: RowCircumstances): readonly string[] {
  const { request, error, pinned } = execution;
  const inputs = Object.entries(request?.inputs ?? {});
  return present(
    ...(problem === undefined || hasEnded(execution) ? [] : [problem.message, problem.remedy]),
    isRehearsal(execution) && rehearsalLabel(),
    pinned === true && l10n.t("Pinned: first in its group"),
    error !== undefined && l10n.t("Error: {0}", oneLine(error, max.error)),
    ...inputs.slice(0, max.inputs).map(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return l10n.t("{0}: {1}", shortName(name), oneLine(text, max.value));
    }),
    inputs.length > max.inputs && l10n.t("and {0} more inputs", inputs.length - max.inputs),
  );
}

function factsOf(execution: ExecutionSummary, circumstances: RowCircumstances): string {
  const { state, output, waiting, kickoffIds, request, pinned } = execution;
  const { isKickingOff, canStop = false, crew } = circumstances;
  const can = {
    isKickingOff: isKickingOff === true,
    isInterrupted: crew === "interrupted",
    canStop: canStop && crew !== "gone",
  };
  return present(
    "execution",
    state,
    ...[...answersTo(execution, can), ...actionsOf(execution, can)].map(({ verb }) => verb),
    hasEnded(execution) && "ended",
    (output ?? waiting?.output) !== undefined && "output",
    attemptPairs(execution).length > 0 && "attempts",
    kickoffIds.length > 0 && "id",
    request !== undefined && "request",
    pinned === true && "pinned",
  ).join(":");
}

function staleIcon({ crew }: RowCircumstances): Icon {
  return crew === "interrupted"
    ? { id: "warning", color: "list.warningForeground" }
    : { id: "eye-closed" };
}

function iconOf(execution: ExecutionSummary, circumstances: RowCircumstances): Icon {
  const { state } = execution;
  if (circumstances.isKickingOff === true) return stateIcons.running;
  const isStale = unwatchedLabel(execution, circumstances) !== undefined;
  if (isStale && (state === "running" || circumstances.crew === "interrupted"))
    return staleIcon(circumstances);
  return mayWait(execution)
    ? { ...stateIcons.unknown, color: "list.warningForeground" }
    : stateIcons[state];
}
