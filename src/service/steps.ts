import type { AttemptKey } from "./model.ts";

/** How often what failed is tried in all, unless a repeat would fail in the same way. */
export const taskTries = 3;

/** How often it is begun in all. It may be more, because a restart of the service isn't its fault. */
const mostBegins = 10;

/** Thrown before what would cost money once more. */
export class BegunTooOften extends Error {}

/** @param count with this time @throws {BegunTooOften} */
export function checkBegins(count: number): void {
  if (count > mostBegins)
    throw new BegunTooOften(
      `It was begun ${mostBegins} times, and each time the service ended before it was done. Because each time can cost money, it isn't begun again.`,
    );
}

/** A finished step never runs again after a crash, and a wait outlasts the process. */
export interface Steps {
  /** Repeats `action` until it resolves, and stores the result, which should be small. */
  run<T extends string | null>(name: string, action: () => Promise<T>): Promise<T>;
  wait(signal: string): Promise<void>;
}

/** What a run waits for while a person decides about an output. */
export function signalOf(key: AttemptKey): string {
  return `decision ${key.executionId} ${key.taskIndex} ${key.attempt}`;
}
