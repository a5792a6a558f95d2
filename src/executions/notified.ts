import { hasEnded } from "./model.ts";
import type { Intents } from "../sending/sends.ts";
import type { ExecutionStore } from "./store.ts";

/** Begins the keys of what is told of a crew; all others contain the local id of the execution they are of. */
export const ofCrew = "crew-";
/** Begins the keys of what is told of an execution's end. */
export const ofEnd = "ended-";

/** Milliseconds after which nobody tells of an end any more, whichever window and clock. */
const oldEnd = 24 * 60 * 60_000;

/**
 * Forgets what was told of executions that are no longer tracked, and of ends that are no news any more. A person who is told
 * of an execution later has tracked it anew, under another local id. `now` in milliseconds since 1970.
 */
export async function sweepTold(
  store: Pick<ExecutionStore, "list" | "refresh">,
  told: Pick<Intents, "all" | "release">,
  now: number,
): Promise<void> {
  const intents = await told.all();
  // After the claims are read, so that an execution which another window has only just told of is known.
  await store.refresh();
  const executions = store.list();
  for (const { key } of intents) {
    if (key.startsWith(ofCrew)) continue;
    const execution = executions.find(({ localId }) => key.includes(localId));
    const isOld =
      execution?.endedAt !== undefined &&
      hasEnded(execution) &&
      now - Date.parse(execution.endedAt) > oldEnd;
    if (execution === undefined || (isOld && key.startsWith(ofEnd))) await told.release(key);
  }
}
