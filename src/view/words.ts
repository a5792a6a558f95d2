import * as l10n from "@vscode/l10n";
import type { Budget, HeldCall, TokenUsage } from "../api/types.ts";
import { shortName } from "../base/text.ts";
import type { Duration } from "../executions/times.ts";
import { type Cost, costOf, type Price, type TokenUse } from "../executions/tokens.ts";
import {
  asksElsewhere,
  type ExecutionState,
  type ExecutionSummary,
  hasRehearsalOutput,
  isLocalCrew,
  isNeverSeen,
  mayWait,
} from "../executions/model.ts";

export function present<T = string>(...all: readonly (T | undefined | false)[]): T[] {
  return all.filter((each): each is T => each !== undefined && each !== false);
}

export function stateName(state: ExecutionState | "interrupted"): string {
  return {
    queued: l10n.t("Queued"),
    running: l10n.t("Running"),
    waiting: l10n.t("Waiting for you"),
    completed: l10n.t("Completed"),
    failed: l10n.t("Failed"),
    stopped: l10n.t("Stopped"),
    unconfirmed: l10n.t("May have started"),
    unknown: l10n.t("State not known"),
    interrupted: l10n.t("Interrupted"),
  }[state];
}

export type Icon = { readonly id: string; readonly color?: string };

export const stateIcons: Readonly<Record<ExecutionState | "interrupted", Icon>> = {
  queued: { id: "clock" },
  running: { id: "sync~spin", color: "charts.blue" },
  waiting: { id: "bell-dot", color: "list.warningForeground" },
  completed: { id: "pass", color: "testing.iconPassed" },
  failed: { id: "error", color: "testing.iconFailed" },
  stopped: { id: "circle-slash" },
  unconfirmed: { id: "warning", color: "list.warningForeground" },
  unknown: { id: "question" },
  interrupted: { id: "warning", color: "list.warningForeground" },
};

export function isStarting({ state, seenAt, progress }: ExecutionSummary): boolean {
  return state === "queued" && (seenAt === undefined || progress?.place === 0);
}

export function stateLabel(execution: ExecutionSummary): string {
  const { state, progress: { place } = {} } = execution;
  if (isStarting(execution)) return l10n.t("Starting");
  if (state === "queued" && place !== undefined) return l10n.t("Queued, place {0}", place);
  if (state !== "unknown") return stateName(state);
  if (isNeverSeen(execution)) return l10n.t("Unknown to the crew – check the ID");
  if (asksElsewhere(execution)) return l10n.t("A person is asked");
  if (mayWait(execution)) return l10n.t("May be waiting for you");
  return execution.stateText ?? l10n.t("Not asked yet");
}

export function answerLabel(answer: string, { defaultOption }: { defaultOption?: string }) {
  const name = shortName(answer);
  return answer === defaultOption ? l10n.t("{0} (default)", name) : name;
}

export function callQuestion({ tool, more }: HeldCall): string {
  if (tool !== undefined)
    return l10n.t("The agent wants to call the tool “{0}” with these arguments.", shortName(tool));
  return l10n.t(
    "The execution has used up its budget. It goes on once you give it as much again: {0}.",
    budgetText(more ?? {}),
  );
}

function budgetText({ tokens, dollars }: Budget): string {
  return present(
    tokens !== undefined && l10n.t("{0} tokens", formatCount(tokens)),
    dollars !== undefined && `$${dollars}`,
  ).join(", ");
}

/** Callbacks tell of tasks before a status does, and while a deployed crew waits, no status does. */
function completedIn({ progress, tasks }: ExecutionSummary): number {
  const { completed = 0, total = Infinity, unit } = progress ?? {};
  const ended = tasks.filter(({ state }) => state === "completed").length;
  return unit === "task" ? Math.max(completed, Math.min(ended, total)) : completed;
}

export function shortProgress(execution: ExecutionSummary): string | undefined {
  const { progress, state } = execution;
  const completed = completedIn(execution);
  if (progress?.total !== undefined) return `${completed}/${progress.total}`;
  // What was counted last may be less than a flow has done at its end.
  return completed === 0 || state === "completed" ? undefined : l10n.t("{0} done", completed);
}

export function fullProgress(execution: ExecutionSummary): string | undefined {
  const { total } = execution.progress ?? {};
  return total === undefined
    ? shortProgress(execution)
    : l10n.t("{0} of {1} done", completedIn(execution), total);
}

export function formatDuration({ seconds, isByCrew }: Duration): string {
  return isByCrew
    ? formatSpan(seconds * 1000, "fine")
    : l10n.t("about {0}", formatSpan(seconds * 1000));
}

export function formatCount(count: number): string {
  return count.toLocaleString("en");
}

export function formatTokens({ total, prompt, completion }: TokenUsage): string {
  if (prompt === undefined || completion === undefined)
    return l10n.t("{0} tokens", formatCount(total));
  return l10n.t(
    "{0} tokens ({1} in, {2} out)",
    formatCount(total),
    formatCount(prompt),
    formatCount(completion),
  );
}

/** Made once: a timeline has thousands of amounts, and each format takes some 30 µs. */
const formats: { small?: Intl.NumberFormat; other?: Intl.NumberFormat } = {};

/** "$1.25"; below ten cents, two digits: "$0.00012"; "> $1.25" if some tokens have no price. */
export function formatAmount({ amount, unpriced }: Cost): string {
  const format =
    amount > 0 && amount < 0.1
      ? (formats.small ??= new Intl.NumberFormat("en", { maximumSignificantDigits: 2 }))
      : (formats.other ??= new Intl.NumberFormat("en", {
          minimumFractionDigits: 2,
          maximumFractionDigits: 2,
        }));
  return `${unpriced === 0 ? "" : "> "}$${format.format(amount)}`;
}

export function useLabels(use: TokenUse | undefined, prices: readonly Price[]): readonly string[] {
  const cost = costOf(use, prices);
  return present(
    use && formatTokens(use.tokens),
    cost && l10n.t("estimated cost {0}", formatAmount(cost)),
  );
}

/** Of what took so long, or runs since then: steps of ten seconds, then minutes. Undefined if it has only begun. */
export function elapsedText(elapsed: string | number | undefined, now: number): string | undefined {
  if (typeof elapsed !== "number") return elapsed;
  const steps = Math.floor((now - elapsed) / 10_000);
  return steps < 1 ? undefined : formatSpan(steps * 10_000, "coarse");
}

export interface Fact {
  readonly label: string;
  readonly value: string;
}

/** Who or what started it, as the crew reports it: for the last section of page and text, and the tooltip of its row. */
export function triggerFacts({ trigger: { type, id, origin } = {} }: ExecutionSummary) {
  const by = present(type !== "unknown" && type?.replaceAll("_", " "), id).join(" ");
  // “api” is how everything comes that isn't started in the crew's own dashboard.
  const origins = new Map([
    ["ui", l10n.t("dashboard")],
    ["replay", l10n.t("run again from a task")],
    ["hitl-resume", l10n.t("continued after feedback")],
  ]);
  const how = origin !== "api" && (origins.get(origin ?? "") ?? origin);
  const value = present(by !== "" && shortName(by), how).join(" · ");
  return present<Fact>(value !== "" && { label: l10n.t("Started by"), value });
}

/** In this machine's time zone, as in Sweden: `2026-10-21 14:03:12`. @param at ISO 8601, or milliseconds since 1970 */
export function formatTime(at: string | number): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? String(at) : time.toLocaleString("sv-SE");
}

export function formatDay(time: Date): string {
  return time.toLocaleDateString("sv-SE");
}

/** `14:03`, or `2026-10-21 14:03` before the day of `now`. */
export function shortStart({ startedAt }: ExecutionSummary, now: number): string {
  const [minute, today] = [formatTime(startedAt).slice(0, 16), `${formatDay(new Date(now))} `];
  return minute.startsWith(today) ? minute.slice(today.length) : minute;
}

export function startLabel({ origin, startedAt }: ExecutionSummary): string {
  const time = formatTime(startedAt);
  return origin === "tracked"
    ? l10n.t("Tracked since: {0}", time)
    : l10n.t("Kicked off: {0}", time);
}

export function isRehearsal(execution: ExecutionSummary): boolean {
  return execution.engine === "rehearsal" || hasRehearsalOutput(execution);
}

/** A local crew's model didn't answer crewAI: no key, a wrong one, no connection, or an unknown name. */
export function failedAtModel({ crew, engine, error = "" }: ExecutionSummary): boolean {
  const said = /api[_ ]key|\bAPI call failed|to connect to \S+ API|\bmodel \S+ not found/i;
  return isLocalCrew(crew) && engine === "crewai" && said.test(error);
}

export function engineName(engine: string): string {
  return engine === "crewai" ? "crewAI" : engine;
}

const units = {
  milliseconds: (count: number | string) => l10n.t("{0} ms", count),
  seconds: (count: number | string) => l10n.t("{0} s", count),
  minutes: (count: number | string) => l10n.t("{0} min", count),
  hours: (count: number | string) => l10n.t("{0} h", count),
  days: (count: number | string) => l10n.t("{0} d", count),
};

/** `fine` has milliseconds below a second and tenths below ten; `coarse` has no seconds from a minute on. */
type Precision = "fine" | "seconds" | "coarse";

/** Of times on an axis: as short as possible, but no two are the same. */
export function tickTexts(ticks: readonly number[]): readonly string[] {
  const step = Math.min(...ticks.map((tick, at) => tick - (ticks[at - 1] ?? -Infinity)));
  const decimals = Math.max(0, Math.ceil(3 - Math.log10(step) - 1e-6));
  const secondsOf = (tick: number) => ((tick % 60_000) / 1_000).toFixed(decimals);
  return ticks.map((tick) => joined(partsOf(tick / 1_000, secondsOf(tick))));
}

/** @param rest below a minute */
function partsOf(seconds: number, rest: number | string) {
  return [
    [units.days, Math.floor(seconds / 86_400)],
    [units.hours, Math.floor(seconds / 3_600) % 24],
    [units.minutes, Math.floor(seconds / 60) % 60],
    [units.seconds, rest],
  ] as const;
}

function joined(parts: readonly ReturnType<typeof partsOf>[number][]): string {
  const shown = parts.filter(([, count]) => Number(count) > 0);
  const all = shown.length > 0 ? shown : parts.slice(-1);
  return all.map(([unit, count]) => unit(count)).join(" ");
}

export function formatSpan(milliseconds: number, precision: Precision = "seconds"): string {
  const all = Math.max(0, milliseconds);
  const isFine = precision === "fine";
  if (isFine && all > 0 && all < 1_000) return units.milliseconds(Math.floor(all));
  if (isFine && all < 10_000) return units.seconds(Math.floor(all / 100) / 10);
  const seconds = Math.floor(all / 1_000);
  const parts = partsOf(seconds, precision === "coarse" && seconds >= 60 ? 0 : seconds % 60);
  const first = parts.findIndex(([, count]) => Number(count) > 0);
  return joined(first === -1 ? parts : parts.slice(first, first + 2));
}
