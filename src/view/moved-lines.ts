import {
  attemptSection,
  feedbackSection,
  type Rendered,
  type Section,
  sectionOf,
} from "./sections.ts";

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

/** For a line in the attempt that was answered here. */
export function nextAttempt(line: number, from: Rendered, to: Rendered): Section | undefined {
  for (const { id, start, end } of from.sections) {
    const [, taskId, number] = /^task ([^]*) attempt (\d+)(?: feedback \d+)?$/.exec(id) ?? [];
    if (taskId === undefined || line < start || line >= end) continue;
    const next = attemptSection(taskId, Number(number) + 1);
    const isNew = sectionOf(from, next) === undefined;
    const isAnswered = sectionOf(to, feedbackSection(taskId, Number(number), 1)) !== undefined;
    if (isNew && isAnswered) return sectionOf(to, next);
  }
  return undefined;
}
