import { randomUUID } from "node:crypto";

/** Names this process from its start to its end: the system gives the ids of processes out again. */
export const session = randomUUID();

/** Whether a process of this machine has this id. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0); // Signal 0 asks only whether the process is there.
    return true;
  } catch (error) {
    // There, but another user's.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
