import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { runCommand } from "../support/commands.ts";
import type { Counts } from "../support/count-reporter.ts";
import { projectFolder, temporaryFolder } from "../support/folders.ts";

describe("tests that need crewAI, on a machine without Python", () => {
  let folder: string;

  beforeEach(() => {
    folder = temporaryFolder("no-python");
  });

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a suite where no program is found and nothing was installed before. */
  async function run(CI: string) {
    const counts = path.join(folder, "counts.json");
    const { code, output } = await runCommand(
      process.execPath,
      [
        "node_modules/mocha/bin/mocha.js",
        "test/crewai/*.test.ts",
        "test/ui/first-real-run.test.ts",
      ],
      {
        cwd: projectFolder,
        env: { CI, PATH: folder, CREWDECK_DOWNLOADS: folder, CREWDECK_COUNTS: counts },
      },
    );
    return { code, output, counts: JSON.parse(readFileSync(counts, "utf8")) as Counts };
  }

  it("are skipped, and say why", async () => {
    const { code, output, counts } = await run("");
    assert.equal(code, 0, output);
    assert.match(output, /skipped: crewAI can't be installed here: .*python3 ENOENT/);
    assert.deepEqual([counts.passed, counts.failed], [0, 0]);
    assert.ok(counts.skipped > 0);
  });

  it("fail in CI", async () => {
    const { code, counts } = await run("true");
    assert.notEqual(code, 0);
    assert.equal(counts.passed, 0);
    assert.match(counts.failures[0]?.error ?? "", /crewAI can't be installed here/);
  });
});
