import type { Clock } from "../base/clock.ts";
import { isAlive, type Intents, kickoffKey, resumeKey } from "./intents.ts";
import { type Execution, hasEnded, type SentResume } from "./model.ts";
import { resumeUnanswered } from "./resumes.ts";
import type { ExecutionStore } from "./store.ts";

/** Milliseconds after which no request can still be under way, whoever has its process's number by now. */
export const LONGEST_REQUEST = 10 * 60_000;

/** What a recovery looks through. */
export interface RecoverOptions {
  readonly store: Pick<ExecutionStore, "list" | "update" | "refresh">;
  readonly intents: Pick<Intents, "all" | "release">;
  readonly clock: Clock;
}

/**
 * After a crash: feedback whose sender is gone "may have been sent", and claims that guard nothing any more are given back.
 * (A kickoff needs nothing: its record is `unconfirmed` from before it is sent until its answer is written.)
 * May run in any window at any time, also while others are sending.
 */
export async function recoverSends({ store, intents, clock }: RecoverOptions): Promise<void> {
  await store.refresh();
  const alive = new Set<string>();
  for (const intent of await intents.all()) {
    if (isAlive(intent)) {
      alive.add(intent.key);
    } else if (guardsNothing(intent.key, store.list())) {
      await intents.release(intent.key);
    }
  }
  const isLost = (execution: Execution, resume: SentResume) =>
    resume.outcome === "sending" &&
    (clock.now() - Date.parse(resume.feedback.at) > LONGEST_REQUEST ||
      !resumeKeys(execution, resume).some((key) => alive.has(key)));
  for (const { localId } of store
    .list()
    .filter((each) => each.resumes.some((resume) => isLost(each, resume)))) {
    await store.update(localId, (execution) =>
      execution.resumes
        .filter((resume) => isLost(execution, resume))
        .reduce((changed, resume) => resumeUnanswered(changed, resume), execution),
    );
  }
}

/** The keys of the claims that may have gone before a resume: the first, and one for each "Send again". */
export function resumeKeys(
  execution: Execution,
  { taskId, attempt }: SentResume,
): readonly string[] {
  return [0, ...execution.resumes.keys()].map((again) =>
    resumeKey(execution.localId, taskId, attempt, again),
  );
}

/** A claim of an execution that is not tracked or has ended. A resume's claim is made for a record that is there, so nothing is under way. */
function guardsNothing(key: string, executions: readonly Execution[]): boolean {
  const execution = executions.find(
    ({ localId }) => key === kickoffKey(localId) || key.startsWith(`resume-${localId}-`),
  );
  return execution === undefined || hasEnded(execution) || key === kickoffKey(execution.localId);
}
