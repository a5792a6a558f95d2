import { withoutCommands } from "./markdown.ts";

/** Its lines, then inner parts. The ID is the same in every rendering. */
export interface Part {
  readonly id: string;
  readonly lines: readonly string[];
  readonly parts?: readonly Part[];
  /** Bold when shown, without marks in the text: places in its lines. */
  readonly strong?: readonly Strong[];
  /** Sections in its lines, which no blank line ends; `end` is exclusive. */
  readonly within?: readonly Section[];
}

/** Part of a line; `to` is exclusive. */
interface Strong {
  readonly line: number;
  readonly from: number;
  readonly to: number;
}

/** From 0; `end` is exclusive and includes blank lines. */
interface Section {
  readonly id: string;
  readonly start: number;
  readonly end: number;
}

/** Outer sections first. */
export interface Rendered {
  readonly text: string;
  readonly sections: readonly Section[];
  readonly lineCount: number;
  readonly strong: readonly Strong[];
}

/** No link runs a command. */
export function assemble(parts: readonly Part[]): Rendered {
  const lines: string[] = [];
  const sections: Section[] = [];
  const strong: Strong[] = [];
  const add = (part: Part) => {
    const start = lines.length;
    const at = sections.length;
    for (const { line, ...place } of part.strong ?? [])
      strong.push({ line: start + line, ...place });
    for (const { id, ...place } of part.within ?? [])
      sections.push({ id, start: start + place.start, end: start + place.end });
    if (part.lines.length > 0) lines.push(...part.lines.flatMap((line) => line.split("\n")), "");
    for (const inner of part.parts ?? []) add(inner);
    sections.splice(at, 0, { id: part.id, start, end: lines.length });
  };
  for (const part of parts) add(part);
  return { text: withoutCommands(lines.join("\n")), sections, lineCount: lines.length, strong };
}

export function sectionOf(rendered: Rendered, id: string): Section | undefined {
  return rendered.sections.find((section) => section.id === id);
}

export const resultSection = "result";
export const idsSection = "ids";
/** Where to give feedback if the waiting task isn't known. */
export const mayBeWaitingSection = "may be waiting";

export function taskSection(taskId: string): string {
  return `task ${taskId}`;
}

export function attemptSection(taskId: string, attempt: number): string {
  return `${taskSection(taskId)} attempt ${attempt}`;
}

export function stepsSection(taskId: string): string {
  return `${taskSection(taskId)} steps`;
}

export function stepSection(stepId: string): string {
  return `step ${stepId}`;
}

/** `time` counts the feedback on an attempt, from 1. */
export function feedbackSection(taskId: string, attempt: number, time: number): string {
  return `${attemptSection(taskId, attempt)} feedback ${time}`;
}

/** Of a document, in which every heading starts its line and every code block is closed. */
interface Heading {
  readonly name: string;
  /** From 1. */
  readonly level: number;
  readonly line: number;
  /** The last line of what belongs to it, without blank ones. */
  readonly end: number;
}

export function headingsOf(text: string): readonly Heading[] {
  const lines = text.split("\n");
  const found: Omit<Heading, "end">[] = [];
  let fence: string | undefined;
  for (const [line, content] of lines.entries()) {
    const [, marks] = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(content) ?? [];
    if (fence === undefined) fence = marks;
    else if (marks?.startsWith(fence) === true && content.trim() === marks) fence = undefined;
    const [, hashes, name] = /^(#{1,6}) (.*)$/.exec(content) ?? [];
    if (fence === undefined && hashes !== undefined && name !== undefined)
      found.push({ name: plain(name), level: hashes.length, line });
  }
  let filled = -1;
  /** For each line, the last one up to it that isn't blank. */
  const lastFilled = lines.map((each, line) => (filled = each.trim() === "" ? filled : line));
  /** By level: the next heading from below. */
  const next = Array<number>(7).fill(lines.length);
  const ended = found.toReversed().map((heading) => {
    const { level, line } = heading;
    const last = lastFilled[Math.min(...next.slice(1, level + 1)) - 1] ?? line;
    next[level] = line;
    return { ...heading, end: Math.max(line, last) };
  });
  return ended.reverse();
}

/** Without escapes. VS Code refuses an empty name. */
function plain(name: string): string {
  return name.replace(/\\([!-/:-@[-`{-~])/g, "$1").trim() || "#";
}

/** At the same distance from the start of the innermost common section. */
export function mapLine(line: number, from: Rendered, to: Rendered): number {
  const last = Math.max(0, to.lineCount - 1);
  if (line >= from.lineCount - 1) return last;
  const around = from.sections.filter(({ start, end }) => start <= line && line < end);
  for (const before of around.reverse()) {
    const now = sectionOf(to, before.id);
    if (now !== undefined && now.end > now.start)
      return Math.min(now.start + line - before.start, now.end - 1);
  }
  return Math.min(line, last);
}
