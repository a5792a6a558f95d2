import type { Intents } from "./intents.ts";
import type { ExecutionStore } from "./store.ts";

/** Begins the keys of what is told of a crew; all others contain the local id of the execution they are of. */
export const ofCrew = "crew-";

/**
 * Forgets what was told of executions that are no longer tracked. A person who is told of one later has tracked it anew, under
 * another local id.
 */
export async function sweepTold(store: Pick<ExecutionStore, "list" | "refresh">, told: Pick<Intents, "all" | "release">): Promise<void> {
  const intents = await told.all();
  // After the claims are read, so that an execution which another window has only just told of is known.
  await store.refresh();
  const localIds = store.list().map(({ localId }) => localId);
  for (const { key } of intents) {
    if (!key.startsWith(ofCrew) && !localIds.some((localId) => key.includes(localId))) await told.release(key);
  }
}
