import * as l10n from "@vscode/l10n";
import { escaped, oneLine } from "../../base/text.ts";
import { formatSpan, present, stateName, tickTexts } from "../../view/words.ts";
import { axisOf, timesOf } from "./axis.ts";
import { figuresOf, hintOf, markLine, markName, nameOf, timeText } from "./labels.ts";
import type { Span, SpanKind, TimelineView } from "./messages.ts";

export function timelineMarkdown(view: TimelineView): string {
  const { title, crew, stateLabel, spans, note, now } = view;
  const start = spans[0]?.start ?? now;
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const head = [
    ...[l10n.t("Name"), l10n.t("Start"), l10n.t("Time"), l10n.t("Tokens")],
    ...[l10n.t("Est. cost"), l10n.t("State")],
  ];
  const body = spans.map((span) => {
    const { depth, state, tokens, cost } = span;
    const name = cell(present(nameOf(span), hintOf(span)).join(" – "));
    return line([
      `${"&emsp;".repeat(depth)}${depth === 0 ? `**${name}**` : name}`,
      formatSpan(span.start - start, "fine"),
      timeText(span, now),
      tokens?.total.toLocaleString("en") ?? "",
      cell(cost ?? ""),
      stateName(state),
    ]);
  });
  const marks = spans
    .flatMap(({ marks = [] }) => marks)
    .toSorted((one, other) => one.at - other.at)
    .map((mark) => `- ${cell(markLine(mark, start))}`);
  return [
    `## ${cell(l10n.t("Timeline of {0}", title))}`,
    "",
    `${cell(crew)} · ${cell(stateLabel)}`,
    "",
    line(head),
    "|---|---:|---:|---:|---:|---|",
    ...body,
    ...(marks.length === 0 ? [] : ["", `${l10n.t("Events")}:`, "", ...marks]),
    ...(note === undefined ? [] : ["", `*${cell(note)}*`]),
    "",
  ].join("\n");
}

/** Remote text as it is, on one line: no markup, no HTML, no end of the cell. */
function cell(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\`*_{}[\]<>#|~&!]/g, "\\$&");
}

const size = { width: 1200, row: 24, head: 76, name: 330, figure: 76, edge: 20, indent: 14 };
const mostRows = 500;

const style = `
  svg { background: #fff; font: 13px system-ui, "Segoe UI", sans-serif; }
  text { fill: #24292f; } .dim { fill: #57606a; } .line { stroke: #d8dee4; } .break { fill: #eaeef2; } .small { font-size: 11px; } .strong { font-weight: 600; }
  .end { text-anchor: end; } .middle { text-anchor: middle; } .title { font-size: 18px; font-weight: 600; }
  .crew { fill: #8c959f; } .queue, .other { fill: #afb8c1; } .task { fill: #0969da; } .attempt { fill: #54a3ec; }
  .wait { fill: url(#hatch); stroke: #9a6700; } .hatch { fill: #fff3c4; } .hatch-line { stroke: #bf8700; }
  .mark { fill: #24292f; stroke: #fff; } .agent { fill: #8250df; } .model { fill: #1a7f37; } .tool { fill: #1b7c83; } .failed { fill: #cf222e; }
  @media (prefers-color-scheme: dark) {
    svg { background: #1f1f1f; } text { fill: #e6edf3; } .dim { fill: #9da7b3; } .line { stroke: #3d444d; } .break { fill: #2d333b; }
    .crew { fill: #7d8590; } .queue, .other { fill: #57606a; } .task { fill: #4493f8; } .attempt { fill: #79b8ff; }
    .wait { stroke: #d29922; } .hatch { fill: #3b2e0f; } .hatch-line { stroke: #d29922; }
    .mark { fill: #e6edf3; stroke: #1f1f1f; } .agent { fill: #ab7df8; } .model { fill: #3fb950; } .tool { fill: #39c5cf; } .failed { fill: #f85149; }
  }`;

const heights: Readonly<Partial<Record<SpanKind, number>>> = { crew: 4, queue: 6, agent: 6 };

export function timelinePicture(view: TimelineView): string {
  const { title, crew, stateLabel, note, now } = view;
  const spans = view.spans.slice(0, mostRows);
  const open = new Set(spans.map(({ parentId }) => parentId));
  const start = spans[0]?.start ?? now;
  const times = timesOf([view.spans], now);
  const axis = axisOf({ from: 0, to: times.extent }, times, 8);
  const heads = [l10n.t("Time"), l10n.t("Tokens"), l10n.t("Est. cost")];
  const figureAt = (index: number) => size.name + size.figure * (index + 1);
  const [left, right] = [figureAt(heads.length - 1) + size.edge, size.width - size.edge];
  const at = (time: number) => round(left + axis.placeOf(time) * (right - left));
  const drawn = (span: Span, index: number) => {
    const { id, kind, depth, marks = [] } = span;
    const isFailed = span.state === "failed";
    const middle = size.head + index * size.row + size.row / 2;
    const [from, to] = [at(span.start - start), at((span.end ?? now) - start)];
    const height = kind === "task" && open.has(id) ? 6 : (heights[kind] ?? 12);
    const name = `${isFailed ? "✕ " : ""}${nameOf(span)}`;
    const [x, shown] = [size.edge + depth * size.indent, oneLine(name, 44 - depth * 2)];
    return [
      text(x, middle + 4, shown, depth === 0 ? "strong" : ""),
      ...figuresOf(span, now).map((each, column) =>
        text(figureAt(column), middle + 4, each.text, "dim end"),
      ),
      `<rect x="${from}" y="${middle - height / 2}" width="${round(Math.max(2, to - from))}" height="${height}" rx="2" class="${isFailed ? "failed" : kind}"><title>${escaped(name)}</title></rect>`,
      ...marks.map(
        (mark) =>
          `<path d="M${at(mark.at - start)} ${middle - 4}l4 4-4 4-4-4z" class="mark${mark.error === undefined ? "" : " failed"}"><title>${escaped(markName(mark))}</title></path>`,
      ),
    ].join("");
  };
  const end = size.head + spans.length * size.row;
  const labels = tickTexts(axis.ticks);
  const more = view.spans.length - spans.length;
  const notes = present(more > 0 && l10n.t("{0} more rows are not in this picture.", more), note);
  const height = end + notes.length * size.row + size.edge;
  const parts = [
    text(size.edge, 30, oneLine(title, 90), "title"),
    text(size.edge, 52, `${crew} · ${stateLabel}`, "dim"),
    ...heads.map((head, column) => text(figureAt(column), size.head - 12, head, "dim small end")),
    ...axis.cuts.map(({ from, to }) => {
      const [x, width] = [at(from), round(at(to) - at(from))];
      return `<rect class="break" x="${x}" y="${size.head}" width="${width}" height="${end - size.head}"/>`;
    }),
    ...axis.ticks.map((tick, index) => {
      const x = at(tick);
      return `<line class="line" x1="${x}" x2="${x}" y1="${size.head - 6}" y2="${end}"/>${text(x, size.head - 12, labels[index] ?? "", "dim small middle")}`;
    }),
    ...spans.map(drawn),
    ...notes.map((each, index) => text(size.edge, end + (index + 1) * size.row, each, "dim")),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${height}" viewBox="0 0 ${size.width} ${height}">
<style>${style}
</style>
<defs><pattern id="hatch" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch" width="8" height="8"/><line class="hatch-line" x1="0" x2="0" y1="0" y2="8" stroke-width="4"/></pattern></defs>
${parts.join("\n")}
</svg>
`;
}

function text(x: number, y: number, content: string, names: string): string {
  return `<text x="${x}" y="${y}" class="${names}">${escaped(content)}</text>`;
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
