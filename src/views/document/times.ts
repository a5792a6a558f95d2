import * as l10n from "@vscode/l10n";
import { hasEnded, type Execution } from "../../executions/model.ts";
import { spanInWords, startInWords, timeInWords } from "../words.ts";
import { inlineText } from "./markdown.ts";
import type { Part } from "./sections.ts";
import { taskTimes, type TaskTime } from "./task-times.ts";

/** Characters of a bar that stands for the whole time. */
const barLength = 20;
/** Characters of a task's name beside its bar. */
const longestName = 40;

/** When an execution began and ended, how long it took, and how its tasks shared that time. */
export function timesPart(execution: Execution): Part {
  const { endedAt } = execution;
  const lines = [`- ${startInWords(execution)}`];
  if (endedAt !== undefined) lines.push(l10n.t("- Seen to end: {0}", timeInWords(endedAt)));
  const took = tookInWords(execution);
  if (took !== undefined) lines.push(took);
  const times = taskTimes(execution);
  const shares = times.length === 0 ? [] : [{ id: "shares", lines: sharesTable(times) }];
  return { id: "times", lines: [`## ${l10n.t("Times")}`, "", ...lines], parts: shares };
}

/** What a crew tells before the end is not how long it takes (observed: 0). */
function tookInWords(execution: Execution): string | undefined {
  const { origin, startedAt, endedAt, executionTime } = execution;
  if (!hasEnded(execution)) return undefined;
  if (executionTime !== undefined) return l10n.t("- Took: {0}, as the crew says", spanInWords(executionTime * 1000));
  return endedAt === undefined || origin === "tracked" ? undefined : l10n.t("- Took: {0}", spanInWords(Date.parse(endedAt) - Date.parse(startedAt)));
}

/** A table that also reads well as text: its words come before the bar, which a screen reader may leave out. */
function sharesTable(times: readonly TaskTime[]): string[] {
  const rows = times.map(({ taskId, seconds, isAbout, percent }) => {
    const span = spanInWords(seconds * 1000);
    return [cell(taskId), isAbout ? l10n.t("about {0}", span) : span, `${percent} %`, bar(percent)];
  });
  const all = [[l10n.t("Task"), l10n.t("Worked for"), l10n.t("Share"), ""], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(3, ...all.map((row) => Array.from(row[column] ?? "").length)));
  const line = (row: readonly string[]) => `| ${row.map((text, column) => text + " ".repeat((widths[column] ?? 0) - Array.from(text).length)).join(" | ")} |`;
  const [head = [], ...body] = all;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)];
}

/** A task's name in a table: a line upright would end its cell. */
function cell(taskId: string): string {
  const characters = Array.from(taskId);
  const short = characters.length <= longestName ? taskId : `${characters.slice(0, longestName - 1).join("").trimEnd()}…`;
  return inlineText(short).replaceAll("|", "\\|");
}

/** A bar of block characters; a share that is too small for one is still to be seen. */
function bar(percent: number): string {
  return "█".repeat(Math.round((percent / 100) * barLength)) || "▏";
}
