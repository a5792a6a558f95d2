import type { Clock } from "../../../src/base/clock.ts";
import type { ExecutionStore } from "../../../src/executions/store.ts";
import { atEndOfTest } from "../../support/ends.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { openWindow, type Window } from "../sending/window.ts";
import { FakeClock } from "./fake-clock.ts";

/** The windows of a test on one folder, which end with it. */
export class Windows {
  readonly folder = temporaryFolder("store");
  readonly problems: string[] = [];

  /** Opens another window. With the default clock it reads what others wrote only at `refresh`. */
  open(clock?: Clock): ExecutionStore {
    return this.openBoth(clock).store;
  }

  openBoth(clock: Clock = new FakeClock()): Window {
    const window = openWindow(this.folder, clock, (message, error, about = "") =>
      this.problems.push(`${message} ${about} ${String(error)}`),
    );
    atEndOfTest(() => window.dispose());
    return window;
  }
}
