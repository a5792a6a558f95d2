import * as l10n from "@vscode/l10n";
import type { Execution } from "../executions/model.ts";
import { titleOf } from "../executions/title.ts";

/** Something that a person is told of once. */
export interface ExecutionEvent {
  /** The same for the same event, in every window and after every start. */
  readonly key: string;
  readonly message: string;
}

/** What there is to tell of an execution as it stands. */
export function eventsOf(execution: Execution): readonly ExecutionEvent[] {
  const { localId, crew, state, waiting, mayBeWaiting, tasks, progress, kickoffIds, resumes } = execution;
  const title = titleOf(execution);
  if (state === "waiting" && waiting !== undefined) {
    const isAnswered = resumes.some((resume) => resume.taskId === waiting.taskId && resume.attempt === waiting.attempt && resume.outcome !== "refused");
    if (isAnswered) return [];
    return [{ key: `waiting-${localId}-${waiting.taskId}-${waiting.attempt}`, message: l10n.t("“{0}” of {1} waits for you at task “{2}”.", title, crew.name, waiting.taskId) }];
  }
  // An id that has never shown any work is likelier a wrong one than a pause.
  const hasWorked = tasks.length > 0 || progress !== undefined || execution.origin === "kickoff";
  if (state === "unknown" && mayBeWaiting === true && hasWorked) {
    return [{ key: `maybe-${localId}-${kickoffIds.at(-1) ?? ""}-${resumes.length}`, message: l10n.t("“{0}” of {1} may be waiting for you: the crew no longer shows it.", title, crew.name) }];
  }
  return [];
}
