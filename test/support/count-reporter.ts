import { writeFileSync } from "node:fs";
import Mocha from "mocha";
import { noteFailure } from "./open-windows.ts";
import { childrenOf, signal } from "./processes.ts";

/** A test that failed: its full title, and the first lines of its error. */
export interface Failure {
  title: string;
  error: string;
}

/** How a suite ended, as the reporter below writes it for `npm test` to add up. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  failures: Failure[];
}

/** What Mocha makes of all that is thrown. With --parallel it is no `Error`, because it came from another process. */
type Thrown = Pick<Error, "message">;

/**
 * Mocha's usual report. It also requests evidence of failures, and writes the results as JSON to the file that CREWDECK_COUNTS
 * names.
 */
export default class CountReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const failures: Failure[] = [];
    runner.on("fail", (test: Mocha.Test, error: Thrown) => note(test, error, failures));
    runner.once("end", () => {
      const file = process.env["CREWDECK_COUNTS"];
      if (file === undefined) return;
      const counts: Counts = {
        passed: this.stats.passes,
        failed: this.stats.failures,
        skipped: this.stats.pending,
        failures,
      };
      writeFileSync(file, JSON.stringify(counts));
    });
  }

  /** Mocha calls it at the end, after all hooks. What a failed test or hook left open would keep the suite from ending. */
  override done(failures: number, end: (failures: number) => void): void {
    end(failures);
    if (failures === 0) return;
    for (const pid of childrenOf(process.pid)) signal(pid, "SIGKILL");
    process.exit(process.exitCode ?? 1);
  }
}

function note(test: Mocha.Runnable, { message }: Thrown, into: Failure[]): void {
  const title = test.fullTitle();
  noteFailure(title);
  into.push({ title, error: message.split("\n").slice(0, 12).join("\n") });
}
