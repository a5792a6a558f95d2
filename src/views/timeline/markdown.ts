import * as l10n from "@vscode/l10n";
import { formatSpan } from "../../view/lengths.ts";
import { hintOf, markLine, nameOf, stateText, timeText } from "./labels.ts";
import type { TimelineView } from "./messages.ts";
import type { Row } from "./rows.ts";

/** A table, with the tree as indentation, and a list of what took no time. @param now milliseconds since 1970 */
export function timelineMarkdown(
  rows: readonly Row[],
  { title, crew, stateLabel, note }: Pick<TimelineView, "title" | "crew" | "stateLabel" | "note">,
  now: number,
): string {
  const start = rows[0]?.span.start ?? now;
  const hasCost = rows.some(({ span }) => span.cost !== undefined);
  const cost = (text: string) => (hasCost ? [text] : []);
  const head = [
    ...[l10n.t("Name"), l10n.t("Start"), l10n.t("Time"), l10n.t("Tokens")],
    ...cost(l10n.t("Est. cost")),
    l10n.t("State"),
  ];
  const body = rows.map(({ span, depth }) => {
    const hint = hintOf(span);
    const name = cell(nameOf(span));
    return [
      `${"&emsp;".repeat(depth)}${depth === 0 ? `**${name}**` : name}${hint === undefined ? "" : ` – ${cell(hint)}`}`,
      formatSpan(span.start - start, "fine"),
      timeText(span, now),
      span.tokens?.total.toLocaleString("en") ?? "",
      ...cost(cell(span.cost?.short ?? "")),
      stateText(span.state),
    ];
  });
  const marks = rows
    .flatMap(({ span }) => span.marks ?? [])
    .toSorted((one, other) => one.at - other.at);
  const earlier = rows.reduce((sum, { span: { earlierMarks = 0 } }) => sum + earlierMarks, 0);
  const list = [
    ...(earlier === 0 ? [] : [l10n.t("{0} earlier ones", earlier)]),
    ...marks.map((mark) => cell(markLine(mark, start))),
  ];
  return [
    `## ${cell(l10n.t("Timeline of {0}", title))}`,
    "",
    `${cell(crew)} · ${cell(stateLabel)}`,
    "",
    line(head),
    `|---|${"---:|".repeat(head.length - 2)}---|`,
    ...body.map(line),
    ...(list.length === 0 ? [] : ["", `${l10n.t("Events")}:`, ""]),
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
