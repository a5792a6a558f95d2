import type { Execution } from "../../executions/model.ts";
import { costOf, type Price } from "../../executions/prices.ts";
import { taskTokenUse, tokenUse, type TokenUse } from "../../executions/tokens.ts";
import { elapsedLabel, formatCost, formatTokens, present, taskTimeLabels } from "../labels.ts";
import { attemptSection, sectionOf, taskSection, type Rendered } from "./sections.ts";

/** Shown after a line, and no part of the text. */
export interface Note {
  readonly line: number;
  readonly text: string;
}

/** Times, tokens and cost, after the state and the tasks' headings. `now` in milliseconds since 1970. */
export function notesOf(
  execution: Execution,
  rendered: Rendered,
  prices: readonly Price[],
  now: number,
  isInterrupted = false,
): readonly Note[] {
  const note = (section: string, labels: readonly string[]): Note[] => {
    const line = sectionOf(rendered, section)?.start;
    return line === undefined || labels.length === 0 ? [] : [{ line, text: labels.join(" · ") }];
  };
  const used = (use: TokenUse | undefined) => {
    const cost = costOf(use, prices);
    return present(use && formatTokens({ total: use.tokens.total }), cost && formatCost(cost));
  };
  return [
    ...note(
      "state",
      present(elapsedLabel(execution, now, isInterrupted), ...used(tokenUse(execution))),
    ),
    ...execution.tasks.flatMap((task) =>
      note(taskSection(task.taskId), [
        ...taskTimeLabels(task, execution),
        ...used(taskTokenUse(task)),
      ]),
    ),
  ];
}

/** Its first and last line. */
export function waitingLines(
  { waiting }: Execution,
  rendered: Rendered,
): readonly [first: number, last: number] | undefined {
  if (waiting === undefined) return undefined;
  const section = sectionOf(rendered, attemptSection(waiting.taskId, waiting.attempt));
  if (section === undefined) return undefined;
  const lines = rendered.text.split("\n").slice(section.start, section.end);
  return [section.start, section.start + lines.findLastIndex((line) => line.trim() !== "")];
}
