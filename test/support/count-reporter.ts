import { writeFileSync } from "node:fs";
import Mocha from "mocha";
import { noteFailure } from "./open-windows.ts";

/** How a suite ended, as the reporter below writes it for `npm test` to add up. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** Mocha's usual report; besides, failures are noted, and the counts go as JSON into the file that CREWDECK_COUNTS names. */
export default class CountReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.on("fail", (test) => noteFailure(test.fullTitle()));
    runner.once("end", () => {
      const file = process.env["CREWDECK_COUNTS"];
      if (file === undefined) return;
      const counts: Counts = { passed: this.stats.passes, failed: this.stats.failures, skipped: this.stats.pending };
      writeFileSync(file, JSON.stringify(counts));
    });
  }
}
