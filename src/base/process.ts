import { randomUUID } from "node:crypto";

/** Identifies this process: the system reuses process IDs. */
export const session = randomUUID();

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
