import { openWindows, saveEvidenceOfFailure } from "./open-windows.ts";

/** Hooks for every suite: keep evidence of a failure, and close all windows. */
export const mochaHooks = {
  afterEach: saveEvidenceOfFailure,
  async afterAll(): Promise<void> {
    for (const window of openWindows()) await window.close();
  },
};
