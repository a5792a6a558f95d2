import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { runCommand } from "../support/commands.ts";
import type { Counts } from "../support/count-reporter.ts";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
import { standingOf } from "../support/standing.ts";

describe("the report of a suite", () => {
  let folder: string;

  beforeEach(() => {
    folder = temporaryFolder("report");
  });

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  for (const options of [[], ["--parallel"]])
    it(`names what failed, and why, and where the suite stood${options.length > 0 ? ", with --parallel, too" : ""}`, async () => {
      const test = path.join(folder, "one.test.cjs");
      writeFileSync(test, `it("works", () => { throw new Error("It is broken."); });`);
      const counts = path.join(folder, "counts.json");
      const { code } = await runCommand(
        process.execPath,
        ["node_modules/mocha/bin/mocha.js", ...options, test],
        { cwd: projectFolder, env: { ...process.env, CREWDECK_COUNTS: counts } },
      );
      assert.equal(code, 1);
      assert.deepEqual(JSON.parse(readFileSync(counts, "utf8")), {
        passed: 0,
        failed: 1,
        skipped: 0,
        failures: [{ title: "works", error: "It is broken." }],
      } satisfies Counts);
      assert.equal(standingOf(counts), "after “works”");
    });
});
