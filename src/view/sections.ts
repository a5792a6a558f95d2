import { withoutCommands } from "./markdown.ts";

/** Its lines, then inner parts. The ID is the same in every rendering. */
export interface Part {
  readonly id: string;
  readonly lines: readonly string[];
  readonly parts?: readonly Part[];
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
}

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
  return { text: withoutCommands(lines.join("\n")), sections };
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

/** `time` counts the feedback on an attempt, from 1. */
export function feedbackSection(taskId: string, attempt: number, time: number): string {
  return `${attemptSection(taskId, attempt)} feedback ${time}`;
}

/** At the same distance from the start of the innermost common section. */
export function mapLine(line: number, from: Rendered, to: Rendered): number {
  const lastOf = ({ text }: Rendered) => text.split("\n").length - 1;
  if (line >= lastOf(from)) return lastOf(to);
  const around = from.sections.filter(({ start, end }) => start <= line && line < end);
  for (const before of around.reverse()) {
    const now = sectionOf(to, before.id);
    if (now !== undefined && now.end > now.start)
      return Math.min(now.start + line - before.start, now.end - 1);
  }
  return Math.min(line, lastOf(to));
}
