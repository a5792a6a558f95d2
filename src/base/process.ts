import { randomUUID } from "node:crypto";
import { codeOf } from "./errors.ts";

/** Identifies this process: the system reuses process IDs. */
export const session = randomUUID();

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process belongs to another user.
    return codeOf(error) === "EPERM";
  }
}
