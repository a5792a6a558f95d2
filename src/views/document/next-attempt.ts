import { sectionOf, type Rendered, type Section } from "./sections.ts";
import { attemptSection, feedbackSection } from "./section-ids.ts";

/**
 * Where the next attempt begins, if it has come for the attempt that stands in a line and was answered here: whoever rejected a
 * draft waits for the next one. Nothing for any other line, or where nothing new came for its task.
 */
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
