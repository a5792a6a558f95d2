import { beginTest, endTest } from "./ends.ts";
import { childrenOf, signal } from "./processes.ts";
import { noteFailure, openWindows, saveEvidenceOfFailure } from "./open-windows.ts";
import { noteEnd, noteTest } from "./standing.ts";
import { warmProcesses } from "./warm-python.ts";

let hasFailed = false;

/** Hooks for every suite: say which test runs, keep evidence of a failure, end what the test opened, and close all windows. */
export const mochaHooks = {
  beforeEach: [beginTest, noteTest],
  async afterEach(this: Mocha.Context): Promise<void> {
    const test = this.currentTest;
    // With --parallel, the reporter runs in another process.
    if (test !== undefined && !test.isPassed() && !test.isPending()) {
      hasFailed = true;
      noteFailure(test.fullTitle());
    }
    await saveEvidenceOfFailure();
    await endTest();
    noteEnd.call(this);
  },
  async afterAll(): Promise<void> {
    for (const window of openWindows()) await window.close();
    // With --parallel, the reporter can't end the services that a failed test left.
    if (!hasFailed) return;
    for (const pid of childrenOf(process.pid)) if (!warmProcesses.has(pid)) signal(pid, "SIGKILL");
  },
};
