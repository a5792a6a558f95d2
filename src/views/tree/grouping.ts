import * as l10n from "@vscode/l10n";
import type { ExecutionSummary } from "../../executions/model.ts";
import { standingOf, standings } from "./standing.ts";

/** What the executions can be grouped by. */
export const groupings = ["crew", "state", "day"] as const;

/** One of {@link groupings}. */
export type Grouping = (typeof groupings)[number];

/** What a group gathers, and the key it is known by: `waiting`, `crew <id>`, `state <standing>`, `day 2026-10-21` (of this machine's calendar). */
export type GroupKind = "waiting" | Grouping;

/** The group across crews at the top. */
export const waitingGroup = "waiting";

/** The group of a crew. */
export function crewGroup(crewId: string): string {
  return `crew ${crewId}`;
}

/** A group's key taken apart: `{kind: "day", of: "2026-10-21"}`. */
export function partsOf(group: string): { readonly kind: GroupKind; readonly of: string } {
  const kind = groupings.find((each) => group.startsWith(`${each} `));
  return kind === undefined
    ? { kind: "waiting", of: "" }
    : { kind, of: group.slice(kind.length + 1) };
}

/**
 * The groups an execution stands in, its usual place last. What waits stands at the top and stays where it was, so that nothing
 * moves under a person's hands when a pause begins or ends; by state, the top is its usual place.
 */
export function groupsOf(execution: ExecutionSummary, grouping: Grouping): readonly string[] {
  const standing = standingOf(execution);
  const top = standing === "waiting" ? [waitingGroup] : [];
  switch (grouping) {
    case "crew":
      return [...top, crewGroup(execution.crew.id)];
    case "state":
      return standing === "waiting" ? top : [`state ${standing}`];
    case "day":
      return [...top, `day ${dayOf(new Date(execution.startedAt))}`];
  }
}

/** Groups by state or day in the order they are shown in: states as in {@link standings}, the newest day first. */
export function inOrder(groups: readonly string[], grouping: "state" | "day"): readonly string[] {
  if (grouping === "day") return groups.toSorted().reverse();
  return standings.map((standing) => `state ${standing}`).filter((group) => groups.includes(group));
}

/** What groups are made by, in words for a choice. */
export function groupingInWords(grouping: Grouping): string {
  switch (grouping) {
    case "crew":
      return l10n.t("Crew");
    case "state":
      return l10n.t("State");
    case "day":
      return l10n.t("Day");
  }
}

/** A day of this machine's calendar as `2026-10-21`. */
function dayOf(time: Date): string {
  return `${time.getFullYear()}-${twoDigits(time.getMonth() + 1)}-${twoDigits(time.getDate())}`;
}

/** Milliseconds since 1970 at which the day after the one at `now` begins. */
export function nextDay(now: number): number {
  const time = new Date(now);
  return new Date(time.getFullYear(), time.getMonth(), time.getDate() + 1).getTime();
}

/** A day (`2026-10-21`) as a person calls it at `now`, in the words of a language (BCP 47). */
export function dayInWords(day: string, now: number, language: string): string {
  if (day === dayOf(new Date(now))) return l10n.t("Today");
  const today = new Date(now);
  if (day === dayOf(new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1)))
    return l10n.t("Yesterday");
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  const isThisYear = year === today.getFullYear();
  return new Intl.DateTimeFormat(language, {
    weekday: "long",
    day: "numeric",
    month: "long",
    ...(isThisYear ? {} : { year: "numeric" }),
  }).format(new Date(year, month - 1, date));
}

function twoDigits(part: number): string {
  return String(part).padStart(2, "0");
}
