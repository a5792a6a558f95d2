import type { Execution } from "../executions/model.ts";
import { resumeUnanswered } from "../executions/resumes.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Sends } from "./sends.ts";

/** What a recovery looks through. */
export interface RecoverOptions {
  readonly store: Pick<ExecutionStore, "list" | "find" | "update" | "refresh">;
  readonly sends: Pick<Sends, "lost" | "settleLost">;
}

/**
 * After a crash: feedback whose sender is gone "may have been sent". A kickoff needs nothing: its record is `unconfirmed` from before
 * it leaves until its answer is recorded. May run in any window at any time, also while others are sending.
 */
export function recoverSends({ store, sends }: RecoverOptions): void {
  store.refresh();
  for (const execution of store.list()) recoverResumes({ store, sends }, execution);
  for (const send of sends.lost())
    if (send.kind === "resume" && store.find(send.localId) === undefined)
      sends.settleLost(send, () => undefined);
}

/** As {@link recoverSends}, for one execution. */
export function recoverResumes(
  { store, sends }: Pick<RecoverOptions, "store" | "sends">,
  { localId, resumes }: Pick<Execution, "localId" | "resumes">,
): void {
  for (const { taskId, attempt } of resumes.filter(({ outcome }) => outcome === "sending"))
    sends.settleLost({ kind: "resume", localId, taskId, attempt }, () => {
      store.update(localId, (known) => resumeUnanswered(known, { taskId, attempt }));
    });
}
