import * as l10n from "@vscode/l10n";
import MarkdownIt, { type Token } from "markdown-it";
import { formatSize } from "../base/text.ts";
import { isRehearsalOutput } from "../executions/model.ts";
import { cleanText, fencedLines, jsonText, mostCharacters, quotedLines } from "./markdown.ts";

export function outputPart(id: string, heading: readonly string[], output: string, level: number) {
  const above = heading.length === 0 ? [] : [...heading, ""];
  if (output.trim() === "") return { id, lines: [...above, `*${l10n.t("empty output")}*`] };
  if (output.length <= mostCharacters)
    return { id, lines: [...above, ...outputLines(output, level)] };
  const note = l10n.t(
    "This output is large: {0}. Here is its beginning; “Open Output” shows all of it.",
    formatSize(Buffer.byteLength(output)),
  );
  const text = output.slice(0, mostCharacters);
  const end = text.lastIndexOf("\n");
  const shown = `${end < mostCharacters / 2 ? text : text.slice(0, end)}\n\n…`;
  return { id, lines: [...above, ...quotedLines([note]), "", ...outputLines(shown, level)] };
}

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

/** Levels of quotes and lists. The parser leaves out what is deeper than 100. */
const deepest = 80;
const mayNeedChanges = /<[a-z/!?]|^[ \t>*+\-\d.)]*(?:#|=+[ \t]*$|-[ \t]*$|```|~~~)/im;

/**
 * Markdown of a crew as lines of a document: with headings below `level`, and with each code block closed. A text with
 * HTML, or of which the parser isn't sure, becomes a code block.
 */
function sanitizedLines(text: string, level: number): string[] {
  const lines = text.split("\n");
  if (!mayNeedChanges.test(text)) return lines;
  const lowered = withHeadings(lines, parser.parse(text, {}), level);
  const tokens = parser.parse(lowered.join("\n"), {});
  const isSafe = tokens.every(
    (token) => token.level <= deepest && levelOf(token) >= level && !hasHtml(token),
  );
  return isSafe ? [...lowered, ...openFence(lowered, tokens)] : fencedLines(text, "markdown");
}

function hasHtml({ type, content }: Token): boolean {
  if (type !== "inline" || !content.includes("<")) return type === "html_block";
  const found: Token[] = [];
  parser.inline.parse(content, parser, {}, found);
  // Tables need line breaks.
  return found.some((each) => each.type === "html_inline" && !/^<br\s*\/?>$/i.test(each.content));
}

function levelOf({ type, tag }: Token): number {
  return type === "heading_open" ? Number(tag.slice(1)) : Infinity;
}

/** What is underlined, mostly by a rule that follows without an empty line, is no heading any more. */
function withHeadings(lines: readonly string[], tokens: readonly Token[], level: number): string[] {
  const changed = [...lines];
  for (const token of tokens) {
    const { map, markup } = token;
    if (levelOf(token) === Infinity || map === null) continue;
    const marks = "#".repeat(Math.min(6, levelOf(token) + level - 1));
    const [at, pattern, text] = markup.startsWith("#")
      ? ([map[0], /#+/, marks] as const)
      : ([map[1] - 1, /(?<![=-])[=-]+\s*$/, ""] as const);
    changed[at] = (lines[at] ?? "").replace(pattern, text).trimEnd();
  }
  return changed;
}

function openFence(lines: readonly string[], tokens: readonly Token[]): readonly string[] {
  const last = tokens.at(-1);
  if (last?.type !== "fence" || last.level > 0 || last.map?.[1] !== lines.length) return [];
  const [, end = ""] = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(lines.at(-1) ?? "") ?? [];
  const isClosed = last.map[0] < lines.length - 1 && end.startsWith(last.markup);
  return isClosed ? [] : [last.markup];
}

/** Of a document, in which outputs are as {@link outputLines} makes them. `end` is the last line of what belongs to it that isn't blank. */
export function headingsOf(text: string) {
  const lines = text.split("\n");
  const tokens = parser.parse(text, {});
  const found = tokens.flatMap((token, at) => {
    if (token.type !== "heading_open" || token.level > 0 || token.map === null) return [];
    // Without escapes. VS Code refuses an empty name.
    const name = (tokens[at + 1]?.content ?? "").replace(/\\([!-/:-@[-`{-~])/g, "$1").trim() || "#";
    return [{ name, level: levelOf(token), line: token.map[0] }];
  });
  const next = Array<number>(7).fill(lines.length);
  const ended = found.toReversed().map((heading) => {
    const { level, line } = heading;
    let end = Math.min(...next.slice(1, level + 1)) - 1;
    while (end > line && lines[end]?.trim() === "") end--;
    next[level] = line;
    return { ...heading, end };
  });
  return ended.reverse();
}
