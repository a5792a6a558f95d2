import * as l10n from "@vscode/l10n";
import { formatSpan, tickTexts } from "../../view/lengths.ts";
import { axisOf, extentOf, waitsOf } from "./axis.ts";
import { figuresOf, hintOf, markLine, markName, nameOf, stateText, timeText } from "./labels.ts";
import type { Look, SpanKind, TimelineView } from "./messages.ts";
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
  const list = marks.map((mark) => cell(markLine(mark, start)));
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

/** Pixels. */
const size = { width: 1200, row: 24, head: 76, name: 330, figure: 76, edge: 20, indent: 14 };
/** More would be no picture to look at. */
const mostRows = 500;

const style = `
  svg { background: #fff; font: 13px system-ui, "Segoe UI", sans-serif; }
  text { fill: #24292f; } .dim { fill: #57606a; } .line { stroke: #d8dee4; }
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

/** An SVG that needs nothing else, for light and dark pages. @param now milliseconds since 1970 */
export function timelinePicture(
  all: readonly Row[],
  { title, crew, stateLabel, spans, note }: TimelineView,
  look: Pick<Look, "zoom" | "isWhole">,
  now: number,
): string {
  const rows = all.slice(0, mostRows);
  const start = spans[0]?.start ?? now;
  const extent = extentOf([spans], now);
  const view = look.zoom ?? { from: 0, to: extent };
  const axis = axisOf(view, extent, look.isWhole ? [] : waitsOf([spans], extent), 8);
  const heads = [
    l10n.t("Time"),
    l10n.t("Tokens"),
    ...(rows.some(({ span }) => span.cost !== undefined) ? [l10n.t("Est. cost")] : []),
  ];
  const figure = (index: number) => size.name + size.figure * (index + 1);
  const [left, right] = [figure(heads.length - 1) + size.edge, size.width - size.edge];
  const at = (time: number) => left + Math.min(1, Math.max(0, axis.placeOf(time))) * (right - left);
  const more = all.length - rows.length;
  const notes = [
    ...(more > 0 ? [l10n.t("{0} more rows are not in this picture.", more)] : []),
    ...(note === undefined ? [] : [note]),
  ];
  const end = size.head + rows.length * size.row;
  const height = end + notes.length * size.row + size.edge;
  const text = (x: number, y: number, content: string, more = "") =>
    `<text x="${round(x)}" y="${y}"${more}>${escaped(content)}</text>`;
  const lines = rows.map(({ span, depth, isGroup }, index) => {
    const { kind, state } = span;
    const middle = size.head + index * size.row + size.row / 2;
    const [from, to] = [at(span.start - start), at((span.end ?? now) - start)];
    const bar = isGroup ? 6 : (heights[kind] ?? 12);
    const mark = state === "failed" ? "✕ " : "";
    const figures = figuresOf(span, now).slice(0, heads.length);
    const marks = (span.marks ?? []).flatMap((mark) => {
      const place = axis.placeOf(mark.at - start);
      if (place < 0 || place > 1) return [];
      const x = round(at(mark.at - start));
      const style = mark.error === undefined ? "mark" : "mark failed";
      return `<path d="M${x} ${middle - 4}l4 4-4 4-4-4z" class="${style}"><title>${escaped(markName(mark))}</title></path>`;
    });
    const name = `${mark}${nameOf(span)}`;
    return [
      text(
        size.edge + depth * size.indent,
        middle + 4,
        cut(name, 44 - depth * 2),
        depth === 0 ? ' font-weight="600"' : "",
      ),
      ...figures.map((each, index) =>
        text(figure(index), middle + 4, each.text, ' class="dim" text-anchor="end"'),
      ),
      `<rect x="${round(from)}" y="${middle - bar / 2}" width="${round(Math.max(2, to - from))}" height="${bar}" rx="2" class="${state === "failed" ? "failed" : kind}"><title>${escaped(name)}</title></rect>`,
      ...marks,
    ].join("");
  });
  const labels = tickTexts(axis.ticks);
  const ticks = axis.ticks.map((tick, index) => {
    const x = round(at(tick));
    return `<line class="line" x1="${x}" x2="${x}" y1="${size.head - 6}" y2="${end}"/>${text(x, size.head - 12, labels[index] ?? "", ' class="dim" font-size="11" text-anchor="middle"')}`;
  });
  // Below the times: one may be at the same place.
  const cuts = axis.cuts.map(({ from, to }) =>
    text(
      at((from + to) / 2),
      size.head - 1,
      "⋯",
      ' class="dim" font-size="11" text-anchor="middle"',
    ),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${height}" viewBox="0 0 ${size.width} ${height}">
<style>${style}
</style>
<defs><pattern id="hatch" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch" width="8" height="8"/><line class="hatch-line" x1="0" x2="0" y1="0" y2="8" stroke-width="4"/></pattern></defs>
${text(size.edge, 30, cut(title, 90), ' font-size="18" font-weight="600"')}
${text(size.edge, 52, `${crew} · ${stateLabel}`, ' class="dim"')}
${heads.map((head, index) => text(figure(index), size.head - 12, head, ' class="dim" font-size="11" text-anchor="end"')).join("\n")}
${[...ticks, ...cuts].join("\n")}
${lines.join("\n")}
${notes.map((each, index) => text(size.edge, end + (index + 1) * size.row, each, ' class="dim"')).join("\n")}
</svg>
`;
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
