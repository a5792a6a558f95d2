import type { Clock } from "../api/clock.ts";
import type { Execution } from "./model.ts";
import { stopWatching } from "./reduce.ts";
import type { ExecutionStore } from "./store.ts";
import { canBeAsked, isTooOld } from "./watched.ts";

/** Marks an execution as no longer watched where nothing has happened to it for too long. Rejects as the store does. */
export async function giveUpByAge(store: Pick<ExecutionStore, "find" | "update">, localId: string, clock: Clock): Promise<void> {
  const isDue = (execution: Execution) => canBeAsked(execution) && execution.watchingStoppedAt === undefined && isTooOld(execution, clock.now());
  const execution = store.find(localId);
  if (execution !== undefined && isDue(execution)) {
    await store.update(localId, (current) => (isDue(current) ? stopWatching(current, clock.now()) : current));
  }
}
