import assert from "node:assert/strict";
import { inspect } from "node:util";
import { CrewClient, type CrewClientOptions } from "../../../src/api/client.ts";
import type { Clock } from "../../../src/base/clock.ts";
import { CrewApiError } from "../../../src/api/errors.ts";

/** A token that no other text includes. */
export const token = "tok-7f3a9c-SECRET";

/** A clock whose short waits end at once and are recorded, and whose time-outs never fire. */
export class HastyClock implements Clock {
  /** Milliseconds of every wait below 20 s, in order. */
  readonly waits: number[] = [];
  time = Date.parse("2026-01-02T03:04:05Z");

  now(): number {
    return this.time;
  }

  after(milliseconds: number, action: () => void): () => void {
    if (milliseconds >= 20_000) return () => undefined;
    this.waits.push(milliseconds);
    const immediate = setImmediate(() => {
      this.time += milliseconds;
      action();
    });
    return () => clearImmediate(immediate);
  }
}

/** A stopped clock whose waits end when the test calls `ring`. */
export class StoppedClock implements Clock {
  readonly waits = new Map<() => void, number>();

  now(): number {
    return 0;
  }

  after(milliseconds: number, action: () => void): () => void {
    this.waits.set(action, milliseconds);
    return () => this.waits.delete(action);
  }

  ring(): void {
    for (const action of [...this.waits.keys()]) action();
  }
}

/** A client that waits no real time between attempts. */
export function clientOf(url: string, options: CrewClientOptions = {}): CrewClient {
  return new CrewClient(url, token, { clock: new HastyClock(), random: () => 0.5, ...options });
}

/** The error of a call. Fails if the call succeeds, or if the error has the token anywhere. */
export async function errorOf(call: Promise<unknown>): Promise<CrewApiError> {
  const error = await call.then(
    () => assert.fail("no error was thrown"),
    (thrown: unknown) => thrown,
  );
  assert(error instanceof CrewApiError, inspect(error));
  assertNoToken(error);
  return error;
}

function assertNoToken(error: Error): void {
  for (const shown of [
    error.message,
    error.stack ?? "",
    JSON.stringify(error),
    inspect(error, { depth: null, showHidden: true }),
    String(error),
  ])
    assert(!shown.includes(token), `the token shows: ${shown}`);
}
