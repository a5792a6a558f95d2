import type { ExecutionSummary } from "../executions/model.ts";
import { resumeUnanswered } from "../executions/resumes.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Sends } from "./sends.ts";

interface Recovering {
  readonly store: Pick<ExecutionStore, "update">;
  readonly sends: Pick<Sends, "settleLost">;
}

/** What a recovery looks through. */
export interface RecoverOptions extends Recovering {
  readonly store: Pick<ExecutionStore, "list" | "summary" | "update" | "refresh">;
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
    if (send.kind === "resume" && store.summary(send.localId) === undefined)
      sends.settleLost(send, () => undefined);
}

/** As {@link recoverSends}, for one execution. */
export function recoverResumes(
  { store, sends }: Recovering,
  { localId, resumes }: Pick<ExecutionSummary, "localId" | "resumes">,
): void {
  for (const { taskId, attempt } of resumes.filter(({ outcome }) => outcome === "sending"))
    sends.settleLost({ kind: "resume", localId, taskId, attempt }, () => {
      store.update(localId, (known) => resumeUnanswered(known, { taskId, attempt }));
    });
}
