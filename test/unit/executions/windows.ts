import { rm } from "node:fs/promises";
import type { Clock } from "../../../src/base/clock.ts";
import { ExecutionStore } from "../../../src/executions/store.ts";
import { Database } from "../../../src/store/database.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { FakeClock } from "./fake-clock.ts";

export class Windows {
  readonly folder = temporaryFolder("store");
  readonly problems: string[] = [];
  readonly #opened: { dispose(): void }[] = [];
  #last: ExecutionStore | undefined;

  /** Opens another window. With the default clock it reads what others wrote only at `refresh`. */
  open(clock: Clock = new FakeClock()): ExecutionStore {
    return this.openBoth(clock).store;
  }

  openBoth(clock: Clock = new FakeClock()): {
    readonly store: ExecutionStore;
    readonly database: Database;
  } {
    const onProblem = (message: string, error: unknown, about = "") =>
      this.problems.push(`${message} ${about} ${String(error)}`);
    const database = new Database({ folder: this.folder, clock, log: { problem: onProblem } });
    const store = new ExecutionStore({ database, clock, log: { problem: onProblem } });
    this.#opened.push(store, database);
    this.#last = store;
    store.open();
    return { store, database };
  }

  /** The last store, even if opening it failed. */
  get last(): ExecutionStore {
    if (this.#last === undefined) throw new Error("No store was opened.");
    return this.#last;
  }

  async close(): Promise<void> {
    for (const each of this.#opened) each.dispose();
    await rm(this.folder, { recursive: true });
  }
}
