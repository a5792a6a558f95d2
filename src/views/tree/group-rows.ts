import * as l10n from "@vscode/l10n";
import { dayInWords, partsOf } from "./grouping.ts";
import type { Row } from "./rows.ts";
import { standingInWords, standings, type Standing } from "./standing.ts";

/** What a group's row needs beside its key. */
export interface GroupCircumstances {
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** BCP 47; days are named in it. */
  readonly language: string;
}

/** The row of what waits, or of the executions of a state or day. */
export function groupRow(group: string, { size, now, language }: GroupCircumstances): Row {
  const { kind, of } = partsOf(group);
  const standing = standings.find((each) => each === of) ?? "waiting";
  const label = kind === "day" ? dayInWords(of, now, language) : standingInWords(standing);
  const count = size === 1 ? l10n.t("1 execution") : l10n.t("{0} executions", size);
  return {
    label,
    description: String(size),
    tooltip: [label, ...(kind === "day" && label !== of ? [of] : []), count],
    icon: kind === "day" ? { id: "calendar" } : iconOf(standing),
    facts: `group:${kind}`,
    sentence: l10n.t("{0}, {1}", label, count),
  };
}

/** The row below the executions of a large group that are shown. */
export function moreRow(hidden: number): Row {
  const label = l10n.t("Show more…");
  const words = l10n.t("{0} older ones", hidden);
  return {
    label,
    description: words,
    tooltip: [label, words],
    icon: { id: "ellipsis" },
    facts: "more",
    sentence: l10n.t("{0}, {1}", label, words),
  };
}

/** Whether a group's rows are shown before a person asks for them. What is over, or longer ago than yesterday, is looked for, not looked at. */
export function isOpenAtFirst(group: string, now: number): boolean {
  const { kind, of } = partsOf(group);
  if (kind === "day") return Date.parse(`${of}T00:00:00`) >= now - 2 * 24 * 60 * 60_000;
  return kind !== "state" || !["failed", "completed", "stopped"].includes(of);
}

function iconOf(standing: Standing): Row["icon"] {
  switch (standing) {
    case "waiting":
      return { id: "bell-dot", color: "list.warningForeground" };
    case "running":
      return { id: "sync" };
    case "queued":
      return { id: "clock" };
    case "unconfirmed":
      return { id: "warning" };
    case "unknown":
      return { id: "question" };
    case "failed":
      return { id: "error" };
    case "completed":
      return { id: "pass" };
    case "stopped":
      return { id: "circle-slash" };
  }
}
