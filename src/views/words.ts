import * as l10n from "@vscode/l10n";
import { type Duration, wholeTime } from "../executions/durations.ts";
import {
  hasEnded,
  hasRehearsalOutput,
  isNeverSeen,
  type ExecutionSummary,
  type TaskSummary,
} from "../executions/model.ts";

/** Where an execution stands, for a person: one or a few words. A word of the crew's own that nobody knows is shown as it came. */
export function stateInWords(execution: ExecutionSummary): string {
  switch (execution.state) {
    case "queued":
      return l10n.t("Queued");
    case "running":
      return l10n.t("Running");
    case "waiting":
      return l10n.t("Waiting for you");
    case "completed":
      return l10n.t("Completed");
    case "failed":
      return l10n.t("Failed");
    case "stopped":
      return l10n.t("Stopped");
    case "unconfirmed":
      return l10n.t("May have started");
    case "unknown":
      if (isNeverSeen(execution)) return l10n.t("Unknown to the crew – check the ID");
      if (execution.mayBeWaiting === true) return l10n.t("May be waiting for you");
      return execution.stateText ?? l10n.t("Not known yet");
  }
}

/** Where a task stands, for a person. What was last seen to run may be what waits, where the crew no longer tells. */
export function taskStateInWords(
  task: Pick<TaskSummary, "state">,
  execution: Pick<ExecutionSummary, "state" | "mayBeWaiting">,
): string {
  switch (task.state) {
    case "pending":
      return l10n.t("Not started");
    case "running":
      return execution.state === "unknown" && execution.mayBeWaiting === true
        ? l10n.t("Last seen running")
        : l10n.t("Running");
    case "waiting":
      return l10n.t("Waiting for you");
    case "completed":
      return l10n.t("Completed");
    case "failed":
      return l10n.t("Failed");
  }
}

/** "1/3", or "4 steps" where the crew does not know how many there will be; nothing before the crew tells. */
export function progressInWords({ progress }: ExecutionSummary): string | undefined {
  if (progress === undefined) return undefined;
  if (progress.total !== undefined) return `${progress.completed}/${progress.total}`;
  if (progress.completed === 0) return undefined;
  return progress.completed === 1
    ? l10n.t("1 {0}", progress.unit)
    : l10n.t("{0} {1}s", progress.completed, progress.unit);
}

/** "1 of 3 tasks done": the same where there is room, or where it is spoken. */
export function progressInFull(execution: ExecutionSummary): string | undefined {
  const { progress } = execution;
  if (progress?.total === undefined) return progressInWords(execution);
  if (progress.total === 1) return l10n.t("{0} of 1 {1} done", progress.completed, progress.unit);
  return l10n.t("{0} of {1} {2}s done", progress.completed, progress.total, progress.unit);
}

/** A time span for a person, in the two largest units that say something. Below a minute it moves in steps of ten seconds when `coarse`. */
export function spanInWords(milliseconds: number, coarse = false): string {
  const all = Math.max(0, Math.floor(milliseconds / 1000));
  const [days, hours, minutes, seconds] = [
    Math.floor(all / 86_400),
    Math.floor(all / 3600) % 24,
    Math.floor(all / 60) % 60,
    all % 60,
  ];
  if (days > 0) return hours > 0 ? l10n.t("{0} d {1} h", days, hours) : l10n.t("{0} d", days);
  if (hours > 0)
    return minutes > 0 ? l10n.t("{0} h {1} min", hours, minutes) : l10n.t("{0} h", hours);
  if (coarse)
    return minutes > 0 ? l10n.t("{0} min", minutes) : l10n.t("{0} s", seconds - (seconds % 10));
  if (minutes > 0)
    return seconds > 0 ? l10n.t("{0} min {1} s", minutes, seconds) : l10n.t("{0} min", minutes);
  return l10n.t("{0} s", seconds);
}

/** How long something took: what was only seen from here is no exact time. */
export function durationInWords({ seconds, isByCrew }: Duration): string {
  const span = spanInWords(seconds * 1000);
  return isByCrew ? span : l10n.t("about {0}", span);
}

/**
 * How long an execution took, or has been under way at `now` (milliseconds since 1970). Nothing where nobody knows: it may
 * not have started, or nobody watched its beginning or its end.
 */
export function elapsedInWords(execution: ExecutionSummary, now: number): string | undefined {
  if (execution.state === "unconfirmed") return undefined;
  const whole = wholeTime(execution);
  if (hasEnded(execution)) return whole && spanInWords(whole.seconds * 1000);
  const isKnown = execution.origin === "kickoff" && execution.watchingStoppedAt === undefined;
  return isKnown ? spanInWords(now - Date.parse(execution.startedAt), true) : undefined;
}

/** A moment as a person reads it on this machine: `2026-10-21 14:03:12`. */
export function timeInWords(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  const two = (part: number) => String(part).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

/** When an execution was started, short enough for a row: `14:03`, before the day of `now` (milliseconds since 1970) `2026-10-21 14:03`. */
export function startInShort(
  { startedAt }: Pick<ExecutionSummary, "startedAt">,
  now: number,
): string {
  const minute = timeInWords(startedAt).slice(0, 16);
  const today = timeInWords(new Date(now).toISOString()).slice(0, 11);
  return minute.startsWith(today) ? minute.slice(today.length) : minute;
}

/** When an execution was started, or since when it is followed. */
export function startInWords({
  origin,
  startedAt,
  state,
}: Pick<ExecutionSummary, "origin" | "startedAt" | "state">): string {
  if (state === "unconfirmed") return l10n.t("Kickoff sent: {0}", timeInWords(startedAt));
  return origin === "tracked"
    ? l10n.t("Followed since: {0}", timeInWords(startedAt))
    : l10n.t("Kicked off: {0}", timeInWords(startedAt));
}

/** Whether the rehearsal engine answered, in a local crew or in a service that was connected by its address; that is said wherever its answers show. */
export function isRehearsal(execution: ExecutionSummary): boolean {
  return execution.engine === "rehearsal" || hasRehearsalOutput(execution);
}

/** What is said of the rehearsal engine, in few words. */
export function rehearsalInWords(): string {
  return l10n.t("rehearsal – no language model is called");
}
