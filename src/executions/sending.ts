import { postTimeout } from "../api/client.ts";
import type { Clock } from "../base/clock.ts";
import { type Intents, isAlive, kickoffKey } from "./intents.ts";
import type { Execution } from "./model.ts";
import { resumeKeys } from "./recover.ts";
import type { ExecutionStore } from "./store.ts";

/** Milliseconds in which a kickoff that is on record has been answered or given up, with time to write that down. */
const longestKickoff = postTimeout + 5_000;

/** What {@link sendingNow} looks through. */
export interface SendingOptions {
  readonly store: Pick<ExecutionStore, "list" | "refresh">;
  readonly intents: Pick<Intents, "all">;
  readonly clock: Clock;
}

/** The executions for which a kickoff or feedback is under way right now, in whichever window. What "may have been sent" is not under way. */
export async function sendingNow({
  store,
  intents,
  clock,
}: SendingOptions): Promise<readonly Execution[]> {
  const alive = new Set((await intents.all()).filter(isAlive).map(({ key }) => key));
  await store.refresh();
  return store.list().filter((execution) => {
    const { localId, state, startedAt, resumes } = execution;
    const isKickoff =
      state === "unconfirmed" &&
      alive.has(kickoffKey(localId)) &&
      clock.now() - Date.parse(startedAt) < longestKickoff;
    return (
      isKickoff ||
      resumes.some(
        (resume) =>
          resume.outcome === "sending" &&
          resumeKeys(execution, resume).some((key) => alive.has(key)),
      )
    );
  });
}
