import * as l10n from "@vscode/l10n";
import { oneLine, shortName } from "../../base/text.ts";
import {
  canRunAgainFrom,
  type ExecutionSummary,
  hasEnded,
  isStopping,
  mayWait,
  type TaskSummary,
} from "../../executions/model.ts";
import { answeredPause, pendingResume } from "../../executions/resumes.ts";
import { attemptPairs } from "../../executions/tasks.ts";
import { wholeTime } from "../../executions/times.ts";
import { tokenUse } from "../../executions/tokens.ts";
import { answersTo, type Circumstances, isUnwatched } from "../../view/actions.ts";
import { type BriefView, briefOf, taskBrief } from "../../view/brief.ts";
import {
  elapsedText,
  formatSpan,
  fullProgress,
  type Icon,
  isRehearsal,
  present,
  shortProgress,
  shortStart,
  startLabel,
  stateIcons,
  triggerFacts,
  useLabels,
} from "../../view/words.ts";
import type { GroupKind } from "./arrangement.ts";
import type { Row } from "./rows.ts";

const max = { inputs: 4, value: 80, error: 300 };

/** Characters of title, state, progress and time that the side bar shows at its default width. The title is shortened first; in a wide font, VS Code cuts the time off. */
const room = 36;
const titles = { shortest: 12, longest: 32 };
const warningColor = "list.warningForeground";
const taskIcons = {
  ...stateIcons,
  pending: { id: "circle-large-outline" },
  unknown: { id: "eye-closed" },
};

export function executionRow(
  execution: ExecutionSummary,
  now: number,
  circumstances: Circumstances = {},
  group: GroupKind = "crew",
): Row {
  const { isInterrupted = false, isKickingOff = false, doubt, prices = [] } = circumstances;
  const { state, waiting, pinned } = execution;
  const brief = briefOf(execution, circumstances);
  const { title, label, crew } = brief;
  // How long it ran is known only while it is watched.
  const isLost = doubt?.isLasting === true && !isInterrupted && !hasEnded(execution);
  const time = !isLost && elapsedText(brief.elapsed, now);
  const whole = wholeTime(execution);
  const saysState =
    !isKickingOff &&
    !isInterrupted &&
    (group === "waiting" ? waiting !== undefined : group === "state" && state !== "unknown");
  const essential = present(
    !saysState && label,
    state !== "completed" && shortProgress(execution),
    whole === undefined ? time : formatSpan(whole.seconds * 1_000, "coarse"),
  );
  const { taskId, attempt = 1 } = (isInterrupted ? undefined : waiting) ?? {};
  const others = present(
    taskId !== undefined && shortName(taskId),
    attempt > 1 && l10n.t("attempt {0}", attempt),
    ...warningsOf(execution, circumstances),
    pinned === true && l10n.t("pinned"),
    (execution.title?.number ?? 1) > 1 && shortStart(execution, now),
    group !== "crew" && crew,
    isRehearsal(execution) && l10n.t("rehearsal"),
  );
  const left = room - essential.join(" · ").length;
  const spoken = present(title, label, fullProgress(execution), time, ...others);
  return {
    label: shortTitle(title, Math.min(titles.longest, Math.max(titles.shortest, left))),
    description: [...essential, ...others].join(" · "),
    // Computed on demand: few of 10,000 rows are hovered over.
    get tooltip() {
      return present(
        ...spoken,
        ...useLabels(tokenUse(execution), prices),
        !hasEnded(execution) && doubt?.text,
        ...details(execution),
        l10n.t("Crew: {0}", crew),
        startLabel(execution),
        ...triggerFacts(execution).map(({ label, value }) => l10n.t("{0}: {1}", label, value)),
        ...execution.kickoffIds.map((id) => l10n.t("ID: {0}", id)),
      );
    },
    icon: iconOf(execution, circumstances),
    facts: factsOf(execution, brief),
    sentence: spoken.join(", "),
  };
}

export function taskRow(
  task: TaskSummary,
  execution: ExecutionSummary,
  circumstances: Circumstances = {},
): Row {
  const { name, label, agent, facts, state } = taskBrief(task, execution, circumstances);
  const attempt = task.attempts.at(-1);
  const { waiting } = execution;
  const waits = (waiting?.call?.ofTask ?? waiting?.taskId) === task.taskId;
  const shown = present(
    label,
    attempt !== undefined && attempt.number > 1 && l10n.t("attempt {0}", attempt.number),
    agent !== undefined && shortName(agent),
  );
  return {
    label: name,
    description: shown.join(" · "),
    tooltip: [name, ...shown, ...facts],
    icon: taskIcons[state],
    facts: present(
      "task",
      task.state,
      ...(waits ? answersTo(execution) : []).map(({ verb }) => verb),
      attempt?.output !== undefined && "output",
      attemptPairs({ tasks: [task] }).length > 0 && "attempts",
      canRunAgainFrom(execution) && "again",
    ).join(":"),
    sentence: l10n.t("Task {0}, {1}", name, shown.join(", ")),
  };
}

/** Keeps the number that tells it from others of the same title. */
function shortTitle(title: string, longest: number): string {
  const [, text = title, number = ""] = /^(.+)( \(\d+\))$/.exec(title) ?? [];
  return `${oneLine(text, longest - number.length)}${number}`;
}

function warningsOf(execution: ExecutionSummary, { doubt }: Circumstances): readonly string[] {
  if (hasEnded(execution)) return [];
  const { stop } = execution;
  const pending = pendingResume(execution);
  return present(
    pending?.outcome === "sending" && l10n.t("sending feedback…"),
    pending?.outcome === "unanswered" && l10n.t("feedback may have been sent"),
    answeredPause(execution) && l10n.t("answered, pause still reported"),
    isStopping(execution) && l10n.t("stopping…"),
    stop?.outcome === "unanswered" && l10n.t("request to stop may have been sent"),
    stop?.outcome === "ignored" && l10n.t("asked to stop, and goes on"),
    doubt?.short,
  );
}

function details({ request, error }: ExecutionSummary): readonly string[] {
  const inputs = Object.entries(request?.inputs ?? {}).slice(0, max.inputs);
  return present(
    error !== undefined && l10n.t("Error: {0}", oneLine(error, max.error)),
    ...inputs.map(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return l10n.t("{0}: {1}", shortName(name), oneLine(text, max.value));
    }),
  );
}

function factsOf(execution: ExecutionSummary, { answers, actions }: BriefView): string {
  const { state, output, waiting, kickoffIds, request, pinned, batch } = execution;
  return present(
    "execution",
    state,
    ...[...answers, ...actions].map(({ verb }) => verb),
    hasEnded(execution) && "ended",
    (output ?? (waiting?.call ? undefined : waiting?.output)) !== undefined && "output",
    attemptPairs(execution).length > 0 && "attempts",
    kickoffIds.length > 0 && "id",
    request !== undefined && "request",
    pinned === true && "pinned",
    batch !== undefined && "batch",
  ).join(":");
}

function iconOf(execution: ExecutionSummary, circumstances: Circumstances): Icon {
  const { isKickingOff, isInterrupted } = circumstances;
  const { state } = execution;
  if (isKickingOff === true) return stateIcons.running;
  if (isInterrupted === true) return stateIcons.interrupted;
  if (state === "running" && isUnwatched(execution, circumstances)) return taskIcons.unknown;
  return mayWait(execution) ? { ...stateIcons.unknown, color: warningColor } : stateIcons[state];
}
