import type { ExecutionSummary } from "../executions/model.ts";
import { attemptToAnswer } from "../executions/resumes.ts";
import type { Draft } from "./drafts.ts";
import { wantsFeedback } from "./pending.ts";

/** Characters of a draft that a line shows. */
const shown = 80;

/** The first words of a draft, in one line. */
export function beginningOf({ text }: Pick<Draft, "text">): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length <= shown
    ? line
    : `${Array.from(line)
        .slice(0, shown - 1)
        .join("")}…`;
}

/** Whether a draft is for the output that waits now, so that one can go on writing. Any other is left over: its output was answered elsewhere, or its execution has ended. */
export function isForWhatWaits(
  { taskId, attempt }: Pick<Draft, "taskId" | "attempt">,
  execution: ExecutionSummary,
): boolean {
  const isItsTask = execution.waiting === undefined || execution.waiting.taskId === taskId;
  return wantsFeedback(execution) && isItsTask && attempt === attemptToAnswer(execution, taskId);
}
