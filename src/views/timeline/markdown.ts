import { lengthText } from "../../view/lengths.ts";
import { hintOf, markLine, nameOf, timeText } from "./labels.ts";
import { fill } from "../../kickoff/form/messages.ts";
import type { TimelineTexts, TimelineView } from "./messages.ts";
import type { Row } from "./rows.ts";

/** A table, with the tree as indentation, and a list of what took no time. @param now milliseconds since 1970 */
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
  const marks = rows
    .flatMap(({ span }) => span.marks ?? [])
    .toSorted((one, other) => one.at - other.at);
  const earlier = rows.reduce((sum, { span: { earlierMarks = 0 } }) => sum + earlierMarks, 0);
  const list = [
    ...(earlier === 0 ? [] : [fill(texts.earlierMarks, earlier)]),
    ...marks.map((mark) => cell(markLine(mark, start, texts))),
  ];
  return [
    `## ${cell(fill(texts.label, title))}`,
    "",
    `${cell(crew)} · ${cell(stateLabel)}`,
    "",
    line(head),
    `|---|${"---:|".repeat(head.length - 2)}---|`,
    ...body.map(line),
    ...(list.length === 0 ? [] : ["", `${texts.details.marks}:`, ""]),
    ...list.map((each) => `- ${each}`),
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
