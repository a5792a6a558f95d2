import { fstatSync } from "node:fs";

/**
 * Calls `leave` when whoever started the service is gone, or asks it to end: its IPC channel closed, its standard input
 * ended, SIGTERM or SIGINT. The standard input counts with IPC when it is a pipe, else only with `--lifeline`: that of a
 * terminal, or none, says nothing of who still needs the service.
 */
export function watchLifeline(watchInput: boolean, leave: () => void): void {
  process.once("SIGTERM", leave);
  process.once("SIGINT", leave);
  if (process.send) process.once("disconnect", leave);
  if (!watchInput && !(process.send && isPipe(0))) return;
  process.stdin.once("end", leave);
  process.stdin.once("close", leave);
  process.stdin.once("error", leave);
  process.stdin.resume();
}

function isPipe(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    return stats.isFIFO() || stats.isSocket();
  } catch {
    // Closed from the start: there is nothing to watch, and IPC is.
    return false;
  }
}
