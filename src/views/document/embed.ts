import { isRehearsalOutput } from "../../executions/model.ts";
import { cleanText, fencedLines, jsonText } from "./markdown.ts";
import { Nesting } from "./nesting.ts";

/**
 * A crew's output as lines of our document. Outputs are Markdown documents of their own: their headings go below the one
 * they stand under (outline and folding stay true), an open code block is closed, and raw HTML is shown and not obeyed. JSON gets
 * a code block.
 * @param level Level that the output's first-level headings get.
 */
export function outputLines(output: string, level: number): string[] {
  const text = cleanText(output);
  const json = jsonText(text);
  if (json !== undefined) return fencedLines(json, "json");
  const embedding = new Embedding(level);
  for (const line of readableText(text)
    .replace(/^(?:[ \t]*\n)+|\s+$/g, "")
    .split("\n"))
    embedding.add(line);
  return embedding.end();
}

/** An output that stays what it is when Markdown is made of it: the rehearsal's lines do not run together in the preview. */
function readableText(output: string): string {
  return isRehearsalOutput(output) ? withLines(output) : output;
}

/** Text whose lines stay lines when Markdown is made of it: two blanks break a line there. */
export function withLines(text: string): string {
  return text.replace(/(\S)[ \t]*\n(?=[ \t]*\S)/g, "$1  \n");
}

/** Reads an output line by line for what makes headings, code blocks and HTML (CommonMark 0.31), and writes it anew. */
class Embedding {
  readonly #lines: string[] = [];
  readonly #nesting = new Nesting();
  readonly #shift: number;
  /** The opening marks of the code block that the next line is in. */
  #fence: string | undefined;
  /** The paragraph that the last line belongs to: where it begins, what stands before it, its words line by line. */
  #paragraph:
    { readonly first: number; readonly prefix: string; readonly words: string[] } | undefined;

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
    const [, marks, words] = /^ {0,3}(#{1,6})(?=\s|$)(.*)$/.exec(text) ?? [];
    if (isCode || isRule(text)) this.#block(line);
    else if (fence !== undefined) this.#block(line, fence);
    else if (marks !== undefined && words !== undefined)
      this.#block(prefix + this.#marks(marks.length) + withoutHtml(words));
    else this.#text(prefix, withoutHtml(text), lazy);
  }

  end(): string[] {
    if (this.#fence !== undefined && this.#nesting.isOutermost) this.#lines.push(this.#fence);
    return this.#lines;
  }

  /** A line that is no paragraph's; it may open a code block. */
  #block(line: string, fence?: string): void {
    this.#fence = fence;
    this.#paragraph = undefined;
    this.#nesting.settle();
    this.#lines.push(line);
  }

  /** A line of a paragraph. A lazy one goes on with a paragraph in a quote or a list without their marks. */
  #text(prefix: string, text: string, lazy: boolean): void {
    if (!lazy) this.#nesting.settle();
    this.#paragraph ??= { first: this.#lines.length, prefix, words: [] };
    this.#paragraph.words.push(text.trim());
    this.#lines.push(prefix + text);
  }

  /** A paragraph underlined by `===` or `---` is a heading of level 1 or 2: it becomes one with number signs. */
  #underline(text: string): boolean {
    const mark = /^ {0,3}(=+|-+)[ \t]*$/.exec(text)?.[1];
    if (mark === undefined || this.#paragraph === undefined) return false;
    const { first, prefix, words } = this.#paragraph;
    this.#lines.splice(first);
    this.#block(`${prefix}${this.#marks(mark.startsWith("=") ? 1 : 2)} ${words.join(" ")}`);
    return true;
  }

  #marks(level: number): string {
    return "#".repeat(Math.min(6, level + this.#shift));
  }
}

/** A rule across the page. */
function isRule(text: string): boolean {
  return /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$/.test(text);
}

/** Blanks for the tabs before a line's words: what they mean depends on the column. */
function withoutTabs(line: string): string {
  const lead = /^[\s>+*\-\d.)]*\t/.exec(line)?.[0];
  if (lead === undefined) return line;
  let wide = "";
  for (const character of lead)
    wide += character === "\t" ? " ".repeat(4 - (wide.length % 4)) : character;
  return wide + line.slice(lead.length);
}

/** Marks HTML as text, outside code spans; line breaks and addresses in angle brackets stay what they are. */
function withoutHtml(text: string): string {
  const spanOrTag =
    /\\.|(`+)(?!`)(?:.*?[^`])\1(?!`)|`+|<(?=[a-z/!?])(?!br\s*\/?>|[a-z][a-z0-9+.-]+:[^\s<>]*>|[^\s<>@/]+@[^\s<>]+>)/gi;
  return text.replace(spanOrTag, (found) => (found === "<" ? "\\<" : found));
}
