import { withoutCommands } from "./markdown.ts";

/** A piece of a document: its own lines, then pieces inside it. Its id stays the same from one rendering to the next. */
export interface Part {
  readonly id: string;
  readonly lines: readonly string[];
  readonly parts?: readonly Part[];
}

/** Where a part stands in the text. Lines count from 0; `end` is the line after the last, blank lines included. */
export interface Section {
  readonly id: string;
  readonly start: number;
  readonly end: number;
}

/** A document's text and where its parts are, outer ones before those inside them. */
export interface Rendered {
  readonly text: string;
  readonly sections: readonly Section[];
  readonly lineCount: number;
}

/**
 * A Markdown document of parts below each other, a blank line after each. Whatever of a crew's or a person's text is in it, no link
 * in it runs a command.
 */
export function assemble(parts: readonly Part[]): Rendered {
  const lines: string[] = [];
  const sections: Section[] = [];
  const add = (part: Part) => {
    const start = lines.length;
    const at = sections.length;
    if (part.lines.length > 0) lines.push(...part.lines.flatMap((line) => line.split("\n")), "");
    for (const inner of part.parts ?? []) add(inner);
    sections.splice(at, 0, { id: part.id, start, end: lines.length });
  };
  for (const part of parts) add(part);
  return { text: withoutCommands(lines.join("\n")), sections, lineCount: lines.length };
}

/** A document of one section, of any language, with its text as it is. */
export function singleSection(id: string, text: string): Rendered {
  const lineCount = text.split("\n").length;
  return { text, sections: [{ id, start: 0, end: lineCount }], lineCount };
}

/** The section of that id. */
export function sectionOf(rendered: Rendered, id: string): Section | undefined {
  return rendered.sections.find((section) => section.id === id);
}

/**
 * Where a line of one rendering is in the next: as far from the start of the innermost section that both have. New text
 * stands at the end of its section, so this is the line that the reader was looking at.
 */
export function mapLine(line: number, from: Rendered, to: Rendered): number {
  if (line >= from.lineCount - 1) return Math.max(0, to.lineCount - 1);
  const around = from.sections
    .filter((section) => section.start <= line && line < section.end)
    .reverse();
  for (const old of around) {
    const now = sectionOf(to, old.id);
    if (now !== undefined && now.end > now.start)
      return Math.min(now.start + line - old.start, now.end - 1);
  }
  return Math.min(line, Math.max(0, to.lineCount - 1));
}
