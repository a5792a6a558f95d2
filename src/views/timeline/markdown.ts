import { lengthText } from "../lengths.ts";
import { hintOf, nameOf, timeText } from "./labels.ts";
import { fill, type TimelineTexts, type TimelineView } from "./messages.ts";
import type { Row } from "./rows.ts";

/** A table, with the tree as indentation. @param now milliseconds since 1970 */
export function timelineMarkdown(
  rows: readonly Row[],
  { title, crew, stateLabel, note }: Pick<TimelineView, "title" | "crew" | "stateLabel" | "note">,
  now: number,
  texts: TimelineTexts,
): string {
  const start = rows[0]?.span.start ?? now;
  const hasCost = rows.some(({ span }) => span.cost !== undefined);
  const cost = (text: string) => (hasCost ? [text] : []);
  const head = [
    ...[texts.name, texts.from, texts.time, texts.tokens],
    ...cost(texts.cost),
    texts.state,
  ];
  const body = rows.map(({ span, depth }) => {
    const hint = hintOf(span);
    const name = cell(nameOf(span, texts));
    return [
      `${"&emsp;".repeat(depth)}${depth === 0 ? `**${name}**` : name}${hint === undefined ? "" : ` – ${cell(hint)}`}`,
      lengthText(span.start - start, texts.units),
      timeText(span, now, texts),
      span.tokens?.total.toLocaleString("en") ?? "",
      ...cost(cell(span.cost?.short ?? "")),
      texts.states[span.state],
    ];
  });
  return [
    `## ${cell(fill(texts.label, title))}`,
    "",
    `${cell(crew)} · ${cell(stateLabel)}`,
    "",
    line(head),
    `|---|${"---:|".repeat(head.length - 2)}---|`,
    ...body.map(line),
    ...(note === undefined ? [] : ["", `*${cell(note)}*`]),
    "",
  ].join("\n");
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** Remote text as it is, on one line: no markup, no HTML, no end of the cell. */
function cell(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\`*_{}[\]<>#|~&!]/g, "\\$&");
}
