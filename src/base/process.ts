import { codeOf } from "./errors.ts";

/** Resolves on a signal, or when standard input closes if that is to end the process. */
export function untilAsked(watchInput: boolean): Promise<void> {
  return new Promise((resolve) => {
    const end = () => resolve();
    process.once("SIGTERM", end).once("SIGINT", end);
    if (!watchInput) return;
    for (const event of ["end", "close", "error"]) process.stdin.once(event, end);
    process.stdin.resume();
  });
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process belongs to another user.
    return codeOf(error) === "EPERM";
  }
}
