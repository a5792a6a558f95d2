import type { AttemptKey } from "./model.ts";

/** How often what failed is tried in all, unless a repeat would fail in the same way. */
export const taskTries = 3;

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
