import * as l10n from "@vscode/l10n";
import MarkdownIt, { type Token } from "markdown-it";
import { formatSize } from "../base/text.ts";
import { isRehearsalOutput } from "../executions/model.ts";
import { cleanText, fencedLines, jsonText, quotedLines } from "./markdown.ts";
import { isLarge } from "./outputs.ts";
import type { Part } from "./sections.ts";

/** Characters shown of a large output. */
const beginning = 100_000;
/** Lines and tags of an output that is shown whole: each takes time whenever the document is rendered. */
const mostMarks = 25_000;

export function outputPart(
  id: string,
  heading: readonly string[],
  output: string,
  level: number,
): Part {
  const above = heading.length === 0 ? [] : [...heading, ""];
  if (output.trim() === "") return { id, lines: [...above, `*${l10n.t("empty output")}*`] };
  if (!isLarge(output) && !hasManyMarks(output))
    return { id, lines: [...above, ...outputLines(output, level)] };
  const note = l10n.t(
    "This output is large: {0}. Here is its beginning; “Open Output” shows all of it.",
    formatSize(Buffer.byteLength(output)),
  );
  const text = output.slice(0, beginning);
  const end = text.lastIndexOf("\n");
  const shown = `${end < beginning / 2 ? text : text.slice(0, end)}\n\n…`;
  return { id, lines: [...above, ...quotedLines([note]), "", ...outputLines(shown, level)] };
}

function hasManyMarks(output: string): boolean {
  let marks = 0;
  for (let at = 0; at < output.length && marks <= mostMarks; at++)
    if (output[at] === "\n" || output[at] === "<") marks++;
  return marks > mostMarks;
}

/** An output's Markdown, with headings below `level`, and without HTML. JSON becomes a code block. */
export function outputLines(output: string, level: number): string[] {
  const text = cleanText(output);
  const json = jsonText(text);
  if (json !== undefined) return fencedLines(json, "json");
  const readable = isRehearsalOutput(text) ? withLines(text) : text;
  return sanitizedLines(readable.trimEnd().replace(/^(?:[ \t]*\n)+/, ""), level);
}

export function withLines(text: string): string {
  return text.replace(/(\S)[ \t]*\n(?=[ \t]*\S)/g, "$1  \n");
}

/** As VS Code's own preview: HTML is HTML. */
const parser = new MarkdownIt({ html: true });
parser.core.ruler.enableOnly(["normalize", "block"]);

interface Tags {
  /** The text that is parsed. An image's name is parsed as another one. */
  readonly text: string;
  /** Where it has HTML, apart from line breaks. */
  readonly found: number[];
}

/** Of what is parsed now: rules get no more than the parser's state. */
let tags: Tags = { text: "", found: [] };

parser.inline.ruler.at("html_inline", (state, silent) => {
  const start = /^<(?:br\s{0,9}\/?>|(?=[a-z/!?]))/i.exec(
    state.src.slice(state.pos, state.pos + 20),
  );
  if (start === null) return false;
  const length = Math.max(1, start[0].length);
  if (!silent && length === 1 && state.src === tags.text) tags.found.push(state.pos);
  if (!silent) state.pending += state.src.slice(state.pos, state.pos + length);
  state.pos += length;
  return true;
});

/** How often a text is parsed: what was HTML is text afterwards, in which there may be more. */
const mostTries = 5;
/** Levels of quotes and lists. The parser leaves out what is deeper than 100. */
const deepest = 80;

/** HTML, a heading, the line below one, or a code block. */
const mayNeedChanges = /<[a-z/!?]|^[ \t>*+\-\d.)]*(?:#|=+[ \t]*$|-[ \t]*$|```|~~~)/im;

/**
 * Markdown of a crew as lines of a document: without HTML, which is escaped, with headings below `level`, and with
 * each code block closed. The parser decides what is HTML and what is code. A text of which it is never sure becomes a
 * code block.
 */
function sanitizedLines(text: string, level: number): string[] {
  let lines: readonly string[] = text.split("\n");
  if (!mayNeedChanges.test(text)) return [...lines];
  let isLowered = false;
  for (let tries = 0; tries < mostTries; tries++) {
    const tokens = parser.parse(lines.join("\n"), {});
    if (tokens.some((token) => token.level > deepest)) break;
    const escaped = withoutHtml(lines, tokens);
    const isClean = escaped === lines;
    if (isClean && isLowered && tokens.every((token) => levelOf(token) >= level))
      return [...lines, ...openFence(lines, tokens)];
    lines = isClean ? withHeadings(lines, tokens, level) : escaped;
    isLowered ||= isClean;
  }
  return fencedLines(text, "markdown");
}

function levelOf({ type, tag }: Token): number {
  return type === "heading_open" ? Number(tag.slice(1)) : Infinity;
}

/** The same lines if there is no HTML. */
function withoutHtml(lines: readonly string[], tokens: readonly Token[]): readonly string[] {
  const columns = new Map<number, Set<number>>();
  const escape = (line: number, column: number) =>
    columns.set(line, (columns.get(line) ?? new Set()).add(column));
  const escapeAll = (line: number) => {
    for (const { index, 1: slashes = "" } of (lines[line] ?? "").matchAll(unescapedTags))
      if (slashes.length % 2 === 0) escape(line, index + slashes.length);
  };
  // The cells of a table have no place of their own: their row has.
  let [first, end] = [0, 0];
  for (const { type, map, content } of tokens) {
    [first, end] = map ?? [first, end];
    if (type === "html_block") for (let line = first; line < end; line++) escapeAll(line);
    if (type !== "inline" || !content.includes("<")) continue;
    tags = { text: content, found: [] };
    parser.inline.parse(content, parser, {}, []);
    if (tags.found.length === 0) continue;
    const places = map === null ? [] : placesOf(tags, lines, first);
    if (places.length === 0) escapeAll(first);
    for (const [line, column] of places)
      if (lines[line]?.[column] === "<") escape(line, column);
      else escapeAll(line);
  }
  return columns.size === 0
    ? lines
    : lines.map((line, at) => {
        const own = [...(columns.get(at) ?? [])].sort((one, other) => one - other);
        return [0, ...own].map((from, part) => line.slice(from, own[part])).join("\\");
      });
}

const unescapedTags = /(?<!\\)(\\*)<(?=[a-z/!?])/gi;

/** Lines and columns in the document. Before the text of a line are marks of quotes and lists, and maybe spaces after it. */
function placesOf(
  { text, found }: Tags,
  lines: readonly string[],
  first: number,
): readonly (readonly [line: number, column: number])[] {
  let [next, from] = [0, 0];
  return text.split("\n").flatMap((own, at) => {
    const end = from + own.length;
    const start = (lines[first + at] ?? "").lastIndexOf(own.trim()) - own.search(/\S|$/) - from;
    const places: [number, number][] = [];
    for (let place = found[next]; place !== undefined && place < end; place = found[++next])
      places.push([first + at, start + place]);
    from = end + 1;
    return places;
  });
}

function withHeadings(lines: readonly string[], tokens: readonly Token[], level: number): string[] {
  const changed: (string | undefined)[] = [...lines];
  for (const [at, token] of tokens.entries()) {
    const { map, markup } = token;
    if (levelOf(token) === Infinity || map === null) continue;
    const [first, end] = map;
    const marks = "#".repeat(Math.min(6, levelOf(token) + level - 1));
    const line = lines[first] ?? "";
    if (markup.startsWith("#")) changed[first] = line.replace(/#+/, marks);
    else {
      // Underlined: its lines become one. After it, an empty one: no table may begin with it.
      const words = (tokens[at + 1]?.content ?? "").split("\n").map((each) => each.trim());
      const prefix = line.slice(0, line.lastIndexOf(words[0] ?? ""));
      changed[first] = `${prefix}${marks} ${words.join(" ")}`;
      changed.fill(undefined, first + 1, end);
      changed[end - 1] = (lines[end - 1] ?? "").replace(/(?<![=-])[=-]+\s*$/, "").trimEnd();
    }
  }
  return changed.filter((line) => line !== undefined);
}

/** The marks that close a code block at the end, which would go on in what follows. */
function openFence(lines: readonly string[], tokens: readonly Token[]): readonly string[] {
  const last = tokens.at(-1);
  if (last?.type !== "fence" || last.level > 0 || last.map?.[1] !== lines.length) return [];
  const [, end = ""] = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(lines.at(-1) ?? "") ?? [];
  const isClosed = last.map[0] < lines.length - 1 && end.startsWith(last.markup);
  return isClosed ? [] : [last.markup];
}
