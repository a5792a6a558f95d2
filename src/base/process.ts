import { randomUUID } from "node:crypto";

/** Identifies this process: the system reuses process IDs. */
export const session = randomUUID();

/** Whether a process of this machine has this id. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0); // Signal 0 only asks whether the process exists.
    return true;
  } catch (error) {
    // It exists, but belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
