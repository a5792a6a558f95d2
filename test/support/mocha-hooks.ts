import { openWindows, saveEvidenceOfFailure } from "./open-windows.ts";

/** Hooks around every test of a suite: evidence of a failure is kept, and no window is left open. */
export const mochaHooks = {
  afterEach: saveEvidenceOfFailure,
  async afterAll(): Promise<void> {
    for (const window of openWindows()) await window.close();
  },
};
