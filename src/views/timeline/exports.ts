import * as l10n from "@vscode/l10n";
import { formatSpan, tickTexts } from "../../view/lengths.ts";
import { axisOf, extentOf, waitsOf } from "./axis.ts";
import { figuresOf, hintOf, markLine, markName, nameOf, stateText, timeText } from "./labels.ts";
import type { Look, SpanKind, TimelineView } from "./messages.ts";
import { type Row, rowsOf } from "./rows.ts";

/** As it is looked at: a table, with the tree as indentation, and a list of what took no time. */
export function timelineMarkdown(view: TimelineView, look: Look): string {
  const { title, crew, stateLabel, spans, note, now } = view;
  const { rows } = rowsOf(spans, look);
  const start = spans[0]?.start ?? now;
  const hasCost = rows.some(({ span }) => span.cost !== undefined);
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const head = [
    ...[l10n.t("Name"), l10n.t("Start"), l10n.t("Time"), l10n.t("Tokens")],
    ...(hasCost ? [l10n.t("Est. cost")] : []),
    l10n.t("State"),
  ];
  const body = rows.map(({ span, depth }) => {
    const hint = hintOf(span);
    const name = cell(nameOf(span));
    return line([
      `${"&emsp;".repeat(depth)}${depth === 0 ? `**${name}**` : name}${hint === undefined ? "" : ` – ${cell(hint)}`}`,
      formatSpan(span.start - start, "fine"),
      timeText(span, now),
      span.tokens?.total.toLocaleString("en") ?? "",
      ...(hasCost ? [cell(span.cost?.short ?? "")] : []),
      stateText(span.state),
    ]);
  });
  const marks = rows
    .flatMap(({ span }) => span.marks ?? [])
    .toSorted((one, other) => one.at - other.at);
  return [
    `## ${cell(l10n.t("Timeline of {0}", title))}`,
    "",
    `${cell(crew)} · ${cell(stateLabel)}`,
    "",
    line(head),
    `|---|${"---:|".repeat(head.length - 2)}---|`,
    ...body,
    ...(marks.length === 0 ? [] : ["", `${l10n.t("Events")}:`, ""]),
    ...marks.map((mark) => `- ${cell(markLine(mark, start))}`),
    ...(note === undefined ? [] : ["", `*${cell(note)}*`]),
    "",
  ].join("\n");
}

/** Remote text as it is, on one line: no markup, no HTML, no end of the cell. */
function cell(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\`*_{}[\]<>#|~&!]/g, "\\$&");
}

/** Pixels. */
const size = { width: 1200, row: 24, head: 76, name: 330, figure: 76, edge: 20, indent: 14 };
/** More would be no picture to look at. */
const mostRows = 500;

const style = `
  svg { background: #fff; font: 13px system-ui, "Segoe UI", sans-serif; }
  text { fill: #24292f; } .dim { fill: #57606a; } .line { stroke: #d8dee4; } .small { font-size: 11px; } .strong { font-weight: 600; }
  .end { text-anchor: end; } .middle { text-anchor: middle; } .title { font-size: 18px; font-weight: 600; }
  .crew { fill: #8c959f; } .queue, .other { fill: #afb8c1; } .task { fill: #0969da; } .attempt { fill: #54a3ec; }
  .wait { fill: url(#hatch); stroke: #9a6700; } .hatch { fill: #fff3c4; } .hatch-line { stroke: #bf8700; }
  .mark { fill: #24292f; stroke: #fff; } .agent { fill: #8250df; } .model { fill: #1a7f37; } .tool { fill: #1b7c83; } .failed { fill: #cf222e; }
  @media (prefers-color-scheme: dark) {
    svg { background: #1f1f1f; } text { fill: #e6edf3; } .dim { fill: #9da7b3; } .line { stroke: #3d444d; }
    .crew { fill: #7d8590; } .queue, .other { fill: #57606a; } .task { fill: #4493f8; } .attempt { fill: #79b8ff; }
    .wait { stroke: #d29922; } .hatch { fill: #3b2e0f; } .hatch-line { stroke: #d29922; }
    .mark { fill: #e6edf3; stroke: #1f1f1f; } .agent { fill: #ab7df8; } .model { fill: #3fb950; } .tool { fill: #39c5cf; } .failed { fill: #f85149; }
  }`;

const heights: Readonly<Partial<Record<SpanKind, number>>> = { crew: 4, queue: 6, agent: 6 };

/** As it is looked at: an SVG that needs nothing else, for light and dark pages. */
export function timelinePicture(view: TimelineView, look: Look): string {
  const { title, crew, stateLabel, spans, note, now } = view;
  const all = rowsOf(spans, look).rows;
  const rows = all.slice(0, mostRows);
  const start = spans[0]?.start ?? now;
  const extent = extentOf([spans], now);
  const shown = look.zoom ?? { from: 0, to: extent };
  const axis = axisOf(shown, extent, look.isWhole ? [] : waitsOf([spans], extent), 8);
  const hasCost = rows.some(({ span }) => span.cost !== undefined);
  const heads = [l10n.t("Time"), l10n.t("Tokens"), ...(hasCost ? [l10n.t("Est. cost")] : [])];
  const figureAt = (index: number) => size.name + size.figure * (index + 1);
  const [left, right] = [figureAt(heads.length - 1) + size.edge, size.width - size.edge];
  const at = (time: number) =>
    round(left + Math.min(1, Math.max(0, axis.placeOf(time))) * (right - left));
  const drawn = ({ span, depth, isGroup }: Row, index: number) => {
    const { kind, marks = [] } = span;
    const isFailed = span.state === "failed";
    const middle = size.head + index * size.row + size.row / 2;
    const [from, to] = [at(span.start - start), at((span.end ?? now) - start)];
    const height = isGroup ? 6 : (heights[kind] ?? 12);
    const name = `${isFailed ? "✕ " : ""}${nameOf(span)}`;
    const shownMarks = marks.filter((mark) => {
      const place = axis.placeOf(mark.at - start);
      return place >= 0 && place <= 1;
    });
    return [
      text(
        size.edge + depth * size.indent,
        middle + 4,
        cut(name, 44 - depth * 2),
        depth === 0 ? "strong" : "",
      ),
      ...figuresOf(span, now)
        .slice(0, heads.length)
        .map((each, column) => text(figureAt(column), middle + 4, each.text, "dim end")),
      `<rect x="${from}" y="${middle - height / 2}" width="${round(Math.max(2, to - from))}" height="${height}" rx="2" class="${isFailed ? "failed" : kind}"><title>${escaped(name)}</title></rect>`,
      ...shownMarks.map(
        (mark) =>
          `<path d="M${at(mark.at - start)} ${middle - 4}l4 4-4 4-4-4z" class="mark${mark.error === undefined ? "" : " failed"}"><title>${escaped(markName(mark))}</title></path>`,
      ),
    ].join("");
  };
  const end = size.head + rows.length * size.row;
  const labels = tickTexts(axis.ticks);
  const more = all.length - rows.length;
  const notes = [
    ...(more > 0 ? [l10n.t("{0} more rows are not in this picture.", more)] : []),
    ...(note === undefined ? [] : [note]),
  ];
  const height = end + notes.length * size.row + size.edge;
  const parts = [
    text(size.edge, 30, cut(title, 90), "title"),
    text(size.edge, 52, `${crew} · ${stateLabel}`, "dim"),
    ...heads.map((head, column) => text(figureAt(column), size.head - 12, head, "dim small end")),
    ...axis.ticks.map((tick, index) => {
      const x = at(tick);
      return `<line class="line" x1="${x}" x2="${x}" y1="${size.head - 6}" y2="${end}"/>${text(x, size.head - 12, labels[index] ?? "", "dim small middle")}`;
    }),
    // Below the times: one may be at the same place.
    ...axis.cuts.map(({ from, to }) =>
      text(at((from + to) / 2), size.head - 1, "⋯", "dim small middle"),
    ),
    ...rows.map(drawn),
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

function cut(text: string, longest: number): string {
  const characters = Array.from(text);
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join("")}…`;
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

/** Without what XML can't hold. */
function escaped(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu, "\ufffd")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;");
}
