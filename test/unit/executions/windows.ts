import type { Clock } from "../../../src/base/clock.ts";
import { ExecutionStore } from "../../../src/executions/store.ts";
import { Database } from "../../../src/store/database.ts";
import { atEndOfTest } from "../../support/ends.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { FakeClock } from "./fake-clock.ts";

/** The windows of a test on one folder, which end with it. */
export class Windows {
  readonly folder = temporaryFolder("store");
  readonly problems: string[] = [];

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
    for (const each of [database, store]) atEndOfTest(() => each.dispose());
    store.open();
    return { store, database };
  }
}
