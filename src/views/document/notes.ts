import type { ExecutionSummary } from "../../executions/model.ts";
import type { ExecutionView } from "../../view/execution-view.ts";
import { attemptSection, sectionOf, taskSection, type Rendered } from "../../view/sections.ts";
import { countedLabel, present } from "../../view/words.ts";

/** Shown after a line, and no part of the text. */
export interface Note {
  readonly line: number;
  readonly text: string;
}

/** Times, tokens and cost, after the state and the tasks' headings. `now` in milliseconds since 1970. */
export function notesOf(
  { elapsed, use, tasks }: ExecutionView,
  rendered: Rendered,
  now: number,
): readonly Note[] {
  const note = (section: string, labels: readonly string[]): Note[] => {
    const line = sectionOf(rendered, section)?.start;
    return line === undefined || labels.length === 0 ? [] : [{ line, text: labels.join(" · ") }];
  };
  const time = typeof elapsed === "number" ? countedLabel(now - elapsed) : elapsed;
  return [
    ...note("state", present(time, ...use)),
    ...tasks.flatMap(({ taskId, facts }) => note(taskSection(taskId), facts)),
  ];
}

/** Its first and last line. */
export function waitingLines(
  { waiting }: ExecutionSummary,
  rendered: Rendered,
): readonly [first: number, last: number] | undefined {
  if (waiting === undefined) return undefined;
  const section = sectionOf(rendered, attemptSection(waiting.taskId, waiting.attempt));
  if (section === undefined) return undefined;
  const lines = rendered.text.split("\n").slice(section.start, section.end);
  return [section.start, section.start + lines.findLastIndex((line) => line.trim() !== "")];
}
