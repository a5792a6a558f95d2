import * as l10n from "@vscode/l10n";
import { titleOf } from "../../executions/title.ts";
import { formatDay, present, stateName } from "../../view/words.ts";
import { waitsForPerson } from "../../executions/model.ts";
import type { ExecutionState, ExecutionSummary } from "../../executions/model.ts";

export const groupings = ["crew", "state", "day"] as const;
export type Grouping = (typeof groupings)[number];

/** Group keys: `waiting`, `crew <id>`, `state <state>`, `day 2026-10-21` (local calendar). */
export type GroupKind = "waiting" | Grouping;

/** In group order: what needs attention first. */
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

/** What may be waiting counts as waiting. */
function groupStateOf(execution: ExecutionSummary): ExecutionState {
  return waitsForPerson(execution) ? "waiting" : execution.state;
}

export const waitingGroup = "waiting";

export function crewGroup(crewId: string): string {
  return `crew ${crewId}`;
}

/** `{kind: "day", of: "2026-10-21"}`. */
export function partsOf(group: string): { readonly kind: GroupKind; readonly of: string } {
  const kind = groupings.find((each) => group.startsWith(`${each} `)) ?? "waiting";
  return { kind, of: group.slice(kind.length + 1) };
}

/** What waits is at the top, and nowhere else. */
export function groupOf(execution: ExecutionSummary, grouping: Grouping): string {
  if (waitsForPerson(execution)) return waitingGroup;
  switch (grouping) {
    case "crew":
      return crewGroup(execution.crew.id);
    case "state":
      return `state ${execution.state}`;
    case "day":
      return `day ${formatDay(new Date(execution.startedAt))}`;
  }
}

export function inOrder(groups: readonly string[], grouping: "state" | "day"): readonly string[] {
  if (grouping === "day") return groups.toSorted().reverse();
  return groupStates.map((state) => `state ${state}`).filter((group) => groups.includes(group));
}

export function groupingLabel(grouping: Grouping): string {
  return { crew: l10n.t("Crew"), state: l10n.t("State"), day: l10n.t("Day") }[grouping];
}

/** The midnight after `now` (milliseconds since 1970). */
export function nextDay(now: number): number {
  return midnight(now, 1).getTime();
}

/** A day (`2026-10-21`) as named at `now`, in a language (BCP 47). */
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

/** All words of the text and one of the states must match; empty matches all. */
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

/** Local IDs of executions with an input value containing a text, in any case. */
export type FindsInput = (text: string) => ReadonlySet<string>;

/** Searches title, crew, IDs and inputs, in any case. */
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
