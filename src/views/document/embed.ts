import * as l10n from "@vscode/l10n";
import { formatSize } from "../../base/text.ts";
import { cleanText, fencedLines, jsonText, quotedLines } from "./markdown.ts";
import { isLarge } from "./outputs.ts";
import type { Part } from "./sections.ts";
import { isRehearsalOutput } from "../../executions/model.ts";

/** Characters shown of a large output. */
const beginning = 100_000;

export function outputPart(
  id: string,
  heading: readonly string[],
  output: string,
  level: number,
): Part {
  const above = heading.length === 0 ? [] : [...heading, ""];
  if (output.trim() === "") return { id, lines: [...above, `*${l10n.t("empty output")}*`] };
  if (!isLarge(output)) return { id, lines: [...above, ...outputLines(output, level)] };
  const note = l10n.t(
    "This output is large: {0}. Here is its beginning; “Open Output” shows all of it.",
    formatSize(Buffer.byteLength(output)),
  );
  const text = output.slice(0, beginning);
  const end = text.lastIndexOf("\n");
  const shown = `${end < beginning / 2 ? text : text.slice(0, end)}\n\n…`;
  return { id, lines: [...above, ...quotedLines([note]), "", ...outputLines(shown, level)] };
}

/**
 * Outputs are Markdown: lowers headings to `level`, closes a code block and escapes HTML. JSON
 * becomes a code block.
 */
export function outputLines(output: string, level: number): string[] {
  const text = cleanText(output);
  const json = jsonText(text);
  if (json !== undefined) return fencedLines(json, "json");
  const embedding = new Embedding(level);
  const readable = isRehearsalOutput(text) ? withLines(text) : text;
  for (const line of readable.replace(/^(?:[ \t]*\n)+|\s+$/g, "").split("\n")) embedding.add(line);
  return embedding.end();
}

export function withLines(text: string): string {
  return text.replace(/(\S)[ \t]*\n(?=[ \t]*\S)/g, "$1  \n");
}

/** Finds headings, code blocks and HTML line by line (CommonMark 0.31). */
class Embedding {
  readonly #lines: string[] = [];
  readonly #nesting = new Nesting();
  readonly #shift: number;
  #fence: string | undefined;
  #paragraph: { first: number; prefix: string; lines: string[] } | undefined;

  constructor(level: number) {
    this.#shift = level - 1;
  }

  add(raw: string): void {
    if (this.#fence !== undefined) {
      const inside = this.#nesting.inside(withoutTabs(raw));
      if (inside !== undefined) {
        this.#lines.push(raw);
        const closing = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(inside)?.[1];
        if (closing?.startsWith(this.#fence) === true) this.#fence = undefined;
        return;
      }
      this.#fence = undefined;
    }
    const line = withoutTabs(raw);
    const { prefix, text, kept, begins } = this.#nesting.read(line, this.#paragraph !== undefined);
    if (text.trim() === "") {
      this.#block(line.trimEnd());
      return;
    }
    const lazy = !kept && !begins && this.#paragraph !== undefined;
    if (begins || (!kept && !lazy)) this.#paragraph = undefined;
    if (!lazy && this.#underline(text)) return;
    const isCode = this.#paragraph === undefined && /^ {4}/.test(text);
    const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(text)?.[1];
    const [, marks, heading] = /^ {0,3}(#{1,6})(?=\s|$)(.*)$/.exec(text) ?? [];
    if (isCode || isRule(text)) this.#block(line);
    else if (fence !== undefined) this.#block(line, fence);
    else if (marks !== undefined && heading !== undefined)
      this.#block(prefix + this.#marks(marks.length) + withoutHtml(heading));
    else this.#text(prefix, withoutHtml(text), lazy);
  }

  end(): string[] {
    if (this.#fence !== undefined && this.#nesting.isOutermost) this.#lines.push(this.#fence);
    return this.#lines;
  }

  /** A line outside paragraphs; may open a code block. */
  #block(line: string, fence?: string): void {
    this.#fence = fence;
    this.#paragraph = undefined;
    this.#nesting.settle();
    this.#lines.push(line);
  }

  /** A lazy line continues a paragraph in a quote or list without their marks. */
  #text(prefix: string, text: string, lazy: boolean): void {
    if (!lazy) this.#nesting.settle();
    this.#paragraph ??= { first: this.#lines.length, prefix, lines: [] };
    this.#paragraph.lines.push(text.trim());
    this.#lines.push(prefix + text);
  }

  /** A paragraph underlined with `===` or `---` is a heading of level 1 or 2. */
  #underline(text: string): boolean {
    const mark = /^ {0,3}(=+|-+)[ \t]*$/.exec(text)?.[1];
    if (mark === undefined || this.#paragraph === undefined) return false;
    const { first, prefix, lines } = this.#paragraph;
    this.#lines.splice(first);
    this.#block(`${prefix}${this.#marks(mark.startsWith("=") ? 1 : 2)} ${lines.join(" ")}`);
    return true;
  }

  #marks(level: number): string {
    return "#".repeat(Math.min(6, level + this.#shift));
  }
}

function isRule(text: string): boolean {
  return /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$/.test(text);
}

/** Expands the tabs at the start of a line, which depend on the column. */
function withoutTabs(line: string): string {
  const lead = /^[\s>+*\-\d.)]*\t/.exec(line)?.[0];
  if (lead === undefined) return line;
  let wide = "";
  for (const character of lead)
    wide += character === "\t" ? " ".repeat(4 - (wide.length % 4)) : character;
  return wide + line.slice(lead.length);
}

/** Escapes HTML outside code spans, except line breaks and addresses in angle brackets. */
function withoutHtml(text: string): string {
  const spanOrTag =
    /\\.|(`+)(?!`)(?:.*?[^`])\1(?!`)|`+|<(?=[a-z/!?])(?!br\s*\/?>|[a-z][a-z0-9+.-]+:[^\s<>]*>|[^\s<>@/]+@[^\s<>]+>)/gi;
  return text.replace(spanOrTag, (found) => (found === "<" ? "\\<" : found));
}

/** A quote, or a list item with content indented by `width`; `empty` while it has none. */
type Container =
  | { readonly kind: "quote" }
  | { readonly kind: "item"; readonly width: number; readonly empty: boolean };

/** CommonMark 0.31, "Container blocks". */
class Nesting {
  #open: readonly Container[] = [];
  #next: readonly Container[] = [];

  get isOutermost(): boolean {
    return this.#open.length === 0;
  }

  /** A line without the open containers' marks; undefined if it leaves one. */
  inside(line: string): string | undefined {
    const { rest, kept } = this.#follow(line);
    return kept.length === this.#open.length ? rest : undefined;
  }

  /** `kept`: in all open containers. `settle` makes it so, since a lazy line closes nothing. */
  read(line: string, afterParagraph: boolean) {
    const { rest, kept } = this.#follow(line);
    const all = kept.length === this.#open.length;
    const blank = rest.trim() === "";
    // An item may begin with only one blank line.
    const next = kept
      .filter((one) => !(blank && one.kind === "item" && one.empty))
      .map((one) => (one.kind === "item" ? { ...one, empty: false } : one));
    const before = next.length;
    let text = rest;
    for (;;) {
      const begun = next.length > before;
      const mark = /^ {0,3}> ?/.exec(text)?.[0] ?? listMark(text, afterParagraph && all && !begun);
      if (mark === undefined) break;
      // An empty item's content is one column after the mark (CommonMark, "List items", rule 3).
      text = text.slice(mark.length);
      const width = Math.max(mark.length, mark.trimEnd().length + 1);
      next.push(
        mark.includes(">") ? { kind: "quote" } : { kind: "item", width, empty: text.trim() === "" },
      );
    }
    this.#next = next;
    const prefix = line.slice(0, line.length - text.length);
    return { prefix, text, kept: all, begins: next.length > before };
  }

  settle(): void {
    this.#open = this.#next;
  }

  #follow(line: string): { rest: string; kept: readonly Container[] } {
    let rest = line;
    const kept: Container[] = [];
    for (const container of this.#open) {
      const isQuote = container.kind === "quote";
      const quote = /^ {0,3}> ?/.exec(rest)?.[0].length;
      const lead = isQuote ? quote : itemLead(rest, container.width);
      if (lead === undefined) break;
      rest = rest.slice(lead);
      kept.push(container);
    }
    return { rest, kept };
  }
}

/** The length of an item's indentation; 0 for a blank line. */
function itemLead(rest: string, width: number): number | undefined {
  if (rest.trim() === "") return 0;
  return rest.startsWith(" ".repeat(width)) ? width : undefined;
}

/** Not a rule. Only a bullet or number 1 with text interrupts a paragraph. */
function listMark(text: string, interrupts: boolean): string | undefined {
  if (/^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,})$/.test(text)) return undefined;
  if (interrupts && !/^ {0,3}(?:[-+*]|1[.)])[ \t]+\S/.test(text)) return undefined;
  return /^ {0,3}(?:[-+*]|\d{1,9}[.)])(?=\s*$| {1,4}(?! )| (?= {4}))(?: (?=\s*$)| {1,4}(?=\S)| (?= {4})|(?=$))/.exec(
    text,
  )?.[0];
}
