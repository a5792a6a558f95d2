import * as l10n from "@vscode/l10n";
import { timeUse, wholeTime } from "../../executions/durations.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import { durationInWords, spanInWords, startInWords, timeInWords } from "../words.ts";
import { inlineText } from "./markdown.ts";
import type { Part } from "./sections.ts";

/** Characters of a bar that stands for the whole time. */
const barLength = 20;
/** Characters of a task's name beside its bar. */
const longestName = 40;

/** When an execution began and ended, how long it took, and how its tasks and the waiting for a person shared that time. */
export function timesPart(execution: ExecutionSummary): Part {
  const { endedAt } = execution;
  const lines = [`- ${startInWords(execution)}`];
  if (endedAt !== undefined) lines.push(l10n.t("- Seen to end: {0}", timeInWords(endedAt)));
  const took = tookInWords(execution);
  if (took !== undefined) lines.push(took);
  const table = tableOf(execution);
  const parts = table.length === 0 ? [] : [{ id: "shares", lines: table }];
  return { id: "times", lines: [`## ${l10n.t("Times")}`, "", ...lines], parts };
}

/** What a crew tells before the end is not how long it takes (observed: 0). */
function tookInWords(execution: ExecutionSummary): string | undefined {
  const whole = wholeTime(execution);
  if (whole === undefined) return undefined;
  const span = spanInWords(whole.seconds * 1000);
  return whole.isByCrew
    ? l10n.t("- Took: {0}, as the crew says", span)
    : l10n.t("- Took: {0}", span);
}

/** A table that also reads well as text: its text comes before the bar, which a screen reader may leave out. The time of a single task stands in its own section. */
function tableOf(execution: ExecutionSummary): string[] {
  const { tasks, waited, percents } = timeUse(execution);
  const isKnown =
    waited !== undefined || tasks.filter(({ duration }) => duration !== undefined).length > 1;
  if (!isKnown) return [];
  const times = [
    ...tasks.map(({ taskId, duration }) => [
      cell(taskId),
      duration === undefined ? l10n.t("not known") : durationInWords(duration),
    ]),
    ...(waited === undefined ? [] : [[`*${l10n.t("Waiting for you")}*`, durationInWords(waited)]]),
  ];
  const head = [l10n.t("Task"), l10n.t("Time")];
  if (percents === undefined) return table([head, ...times]);
  return table([
    [...head, l10n.t("Share"), ""],
    ...times.map((row, at) => [...row, `${percents[at] ?? 0} %`, bar(percents[at] ?? 0)]),
  ]);
}

/** The lines of a table whose first row is its head. */
function table(rows: readonly (readonly string[])[]): string[] {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) =>
    Math.max(3, ...rows.map((row) => Array.from(row[column] ?? "").length)),
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((text, column) => text + " ".repeat((widths[column] ?? 0) - Array.from(text).length)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)];
}

/** A task's name in a table: a line upright would end its cell. */
function cell(taskId: string): string {
  const characters = Array.from(taskId);
  const short =
    characters.length <= longestName
      ? taskId
      : `${characters
          .slice(0, longestName - 1)
          .join("")
          .trimEnd()}…`;
  return inlineText(short).replaceAll("|", "\\|");
}

/** A bar of block characters; a share that is too small for one is still to be seen. */
function bar(percent: number): string {
  return "█".repeat(Math.round((percent / 100) * barLength)) || "▏";
}
