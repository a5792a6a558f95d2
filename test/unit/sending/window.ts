import assert from "node:assert/strict";
import { type Clock, systemClock } from "../../../src/base/clock.ts";
import { ExecutionStore } from "../../../src/executions/store.ts";
import { type Intent, type Outbox, outboxOf } from "../../../src/sending/outbox.ts";
import { Database } from "../../../src/store/database.ts";
import { atEndOfTest } from "../../support/ends.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { noAddresses, noSecrets } from "../../support/secret-memory.ts";

export interface Window {
  readonly database: Database;
  readonly store: ExecutionStore;
  readonly outbox: Outbox;
  dispose(): void;
}

/** Opens a window on a folder, which several windows can share. */
export function openWindow(
  folder: string,
  clock: Clock = systemClock,
  onProblem: (message: string, error: unknown, about?: string) => void = (message, error) =>
    assert.fail(`${message} ${String(error)}`),
): Window {
  const database = new Database({ folder, clock, log: { problem: onProblem } });
  const store = new ExecutionStore({ database, clock, log: { problem: onProblem } });
  store.open();
  return {
    database,
    store,
    outbox: outboxOf({ database, clock, poll: () => undefined, log: { problem: onProblem } }),
    dispose() {
      store.dispose();
      database.dispose();
    },
  };
}

/** The windows of a test on one folder, which end with it. */
export class Windows {
  readonly folder = temporaryFolder("sending");

  open(clock?: Clock): Window {
    const window = openWindow(this.folder, clock);
    atEndOfTest(() => window.dispose());
    return window;
  }
}

export const senderParts = (
  { database, store }: Pick<Window, "database" | "store">,
  {
    clock = systemClock,
    poll = (): void => undefined,
    problem = (message: string): void => assert.fail(message),
  }: {
    clock?: Clock;
    poll?: (localId: string) => void;
    problem?: (message: string, error: unknown) => void;
  } = {},
) => ({
  database,
  store,
  secrets: noSecrets,
  addresses: noAddresses,
  clock,
  outbox: outboxOf({ database, clock, poll, log: { problem } }),
});

/** Sends a request whose outcome is never recorded. */
export async function sendOpenly<Recorded, Answer>(
  outbox: Outbox,
  intent: Intent,
  record: () => Recorded,
  post: (recorded: Recorded) => Promise<Answer>,
): Promise<Answer> {
  const notRecorded = () => {
    throw new Error("It is not recorded.");
  };
  return await outbox.send<Recorded, Answer, Answer>({
    ...{ intent, record, post, answered: notRecorded, refused: notRecorded },
    inDoubt: (error) => (error instanceof Error ? error : new Error(String(error))),
    unrecorded: (_, answer) => answer,
  });
}

/** Of a client in a test without flows. */
export function noAnswer(): Promise<never> {
  return Promise.reject(new Error("There is no flow's request."));
}

/** Makes every later write fail, as a full disk or a write-protected file does. */
export const failures: readonly (readonly [string, (database: Database) => void])[] = [
  ["disk is full", (database) => void database.all("PRAGMA max_page_count = 1")],
  ["database is read-only", (database) => void database.all("PRAGMA query_only = ON")],
];

/** The local IDs of the requests without an outcome, in order. */
export function intentsIn({ database }: Pick<Window, "database">): readonly unknown[] {
  return database
    .all("SELECT local_id FROM intents ORDER BY local_id")
    .map((row) => row["local_id"]);
}

/** Makes a window's requests look like those of a killed process. */
export function kill({ database }: Window): void {
  // No process has an ID this large.
  database.run("UPDATE intents SET pid = 1073741824");
}
