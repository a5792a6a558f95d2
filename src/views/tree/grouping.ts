import * as l10n from "@vscode/l10n";
import { titleOf } from "../../executions/title.ts";
import { formatDay, present, stateName } from "../labels.ts";
import { waitsForPerson } from "../../executions/model.ts";
import type { ExecutionState, ExecutionSummary } from "../../executions/model.ts";

export const groupings = ["crew", "state", "day"] as const;
export type Grouping = (typeof groupings)[number];

/** Kinds of groups. Keys of groups: `waiting`, `crew <id>`, `state <state>`, `day 2026-10-21` (this machine's calendar). */
export type GroupKind = "waiting" | Grouping;

/** The states of groups and of the filter, in the order of the groups: what needs attention first. */
export const groupStates = [
  "waiting",
  "running",
  "queued",
  "unconfirmed",
  "unknown",
  "failed",
  "completed",
  "stopped",
] as const satisfies readonly ExecutionState[];

/** What may be waiting is grouped as waiting. */
export function groupStateOf(execution: ExecutionSummary): ExecutionState {
  return waitsForPerson(execution) ? "waiting" : execution.state;
}

export const waitingGroup = "waiting";

export function crewGroup(crewId: string): string {
  return `crew ${crewId}`;
}

/** Parses a group's key: `{kind: "day", of: "2026-10-21"}`. */
export function partsOf(group: string): { readonly kind: GroupKind; readonly of: string } {
  const kind = groupings.find((each) => group.startsWith(`${each} `)) ?? "waiting";
  return { kind, of: group.slice(kind.length + 1) };
}

/**
 * The groups of an execution, its usual one last. What waits is in the group at the top and stays in its usual one, so that rows don't
 * move when a pause begins or ends; by state, the top is its usual group.
 */
export function groupsOf(execution: ExecutionSummary, grouping: Grouping): readonly string[] {
  const top = waitsForPerson(execution) ? [waitingGroup] : [];
  switch (grouping) {
    case "crew":
      return [...top, crewGroup(execution.crew.id)];
    case "state":
      return top.length > 0 ? top : [`state ${execution.state}`];
    case "day":
      return [...top, `day ${formatDay(new Date(execution.startedAt))}`];
  }
}

export function inOrder(groups: readonly string[], grouping: "state" | "day"): readonly string[] {
  if (grouping === "day") return groups.toSorted().reverse();
  return groupStates.map((state) => `state ${state}`).filter((group) => groups.includes(group));
}

export function groupingLabel(grouping: Grouping): string {
  return { crew: l10n.t("Crew"), state: l10n.t("State"), day: l10n.t("Day") }[grouping];
}

/** Milliseconds since 1970 at the midnight after `now`. */
export function nextDay(now: number): number {
  return midnight(now, 1).getTime();
}

/** A day (`2026-10-21`) as it is called at `now`, in a language (BCP 47). */
export function dayLabel(day: string, now: number, language: string): string {
  if (day === formatDay(midnight(now, 0))) return l10n.t("Today");
  if (day === formatDay(midnight(now, -1))) return l10n.t("Yesterday");
  const isThisYear = day.startsWith(`${new Date(now).getFullYear()}-`);
  return new Intl.DateTimeFormat(language, {
    weekday: "long",
    day: "numeric",
    month: "long",
    ...(isThisYear ? {} : { year: "numeric" }),
  }).format(new Date(`${day}T00:00:00`));
}

function midnight(now: number, days: number): Date {
  const time = new Date(now);
  return new Date(time.getFullYear(), time.getMonth(), time.getDate() + days);
}

/** Which executions are shown: with all words of the text, in one of the states. Empty for all. */
export interface Filter {
  readonly text: string;
  readonly states: readonly ExecutionState[];
}

export const noFilter: Filter = { text: "", states: [] };

export function isSet({ text, states }: Filter): boolean {
  return text.trim() !== "" || states.length > 0;
}

export function filterLabel({ text, states }: Filter): string {
  return present(
    states.length > 0 && states.map(stateName).join(", "),
    text.trim() !== "" && l10n.t("“{0}”", text.trim()),
  ).join(" · ");
}

/** Local ids of the executions with a text in an input's value, ignoring case. */
export type FindsInput = (text: string) => ReadonlySet<string>;

/** Whether executions pass: a word is found in title, crew, ids or inputs, ignoring case. */
export function passes(
  { text, states }: Filter,
  withInput: FindsInput,
): (execution: ExecutionSummary) => boolean {
  const found = new Map<string, ReadonlySet<string>>();
  const words = text.toLowerCase().match(/\S+/g) ?? [];
  return (execution) => {
    if (states.length > 0 && !states.includes(groupStateOf(execution))) return false;
    if (words.length === 0) return true;
    const { crew, localId, kickoffIds } = execution;
    const own = [titleOf(execution), crew.name, localId, ...kickoffIds].join("\n").toLowerCase();
    return words.every((word) => {
      if (own.includes(word)) return true;
      const localIds = found.get(word) ?? withInput(word);
      found.set(word, localIds);
      return localIds.has(localId);
    });
  };
}
