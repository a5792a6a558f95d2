import * as l10n from "@vscode/l10n";
import type { StatusReading } from "../api/types.ts";
import type { Execution } from "../executions/model.ts";
import type { ResumeTarget } from "../executions/resumes.ts";

/**
 * Why feedback for a pause is too late, by a status answer; nothing while it may still wait. Only what is definite counts:
 * at work, ended, another task, another attempt. "NOT FOUND" is what waiting looks like on a deployed crew.
 * @param now The execution with that answer in it.
 * @param shown The execution as the person saw it.
 */
export function whyStale(reading: StatusReading, now: Execution, shown: Execution, { taskId, attempt }: ResumeTarget): string | undefined {
  switch (reading.state) {
    case "running":
      return l10n.t("the task no longer waits, the crew is at work. It may have been answered elsewhere.");
    case "completed":
    case "failed":
    case "stopped":
      return l10n.t("the execution has ended.");
    case "waiting":
      break;
    default:
      return undefined;
  }
  if (reading.waiting === undefined) return undefined;
  if (reading.waiting.taskId !== taskId) return l10n.t("another task waits now: {0}.", reading.waiting.taskId);
  const waits = reading.waiting.attempt ?? now.waiting?.attempt;
  // A person who typed the task's id has not seen an output, so that there is no other one to mix it up with.
  const sawOutput = shown.waiting?.taskId === taskId;
  if (sawOutput && waits !== undefined && waits !== attempt) return l10n.t("a newer output of the task waits now. Read it first.");
  return undefined;
}
