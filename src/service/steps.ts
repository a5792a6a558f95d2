import type { Engine } from "./engine.ts";
import type { AttemptKey } from "./model.ts";

/** How often an attempt that fails is tried in all, unless it would fail in the same way again. */
export const taskTries = 3;

/** How often an attempt is begun in all. It is more than `taskTries`, because the service may restart for other reasons. */
const mostBegins = 10;

/** An attempt was begun too often, and must not cost money again. */
class BegunTooOften extends Error {}

/** @param count how often an attempt was begun, with this time @throws {BegunTooOften} */
export function checkBegins(count: number): void {
  if (count > mostBegins)
    throw new BegunTooOften(
      `It was begun ${mostBegins} times, and each time the service ended before it was done. Because each time can cost money, it isn't begun again.`,
    );
}

/** Whether an attempt that failed would fail in the same way again. */
export function isFinal(engine: Engine, error: unknown): boolean {
  return error instanceof BegunTooOften || engine.isFinal?.(error) === true;
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
