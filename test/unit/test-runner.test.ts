import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { killSteps, runStep, type Step } from "../../scripts/run-step.ts";
import { runCommand } from "../support/commands.ts";
import type { Counts } from "../support/count-reporter.ts";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
import { isRunning } from "../support/processes.ts";
import { standingOf } from "../support/standing.ts";
import { waitFor } from "../support/wait.ts";

let folder: string;

/** Runs files of tests as a suite does. */
async function runMocha(args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  const counts = path.join(folder, "counts.json");
  const { code, output } = await runCommand(
    process.execPath,
    ["node_modules/mocha/bin/mocha.js", ...args],
    { cwd: projectFolder, env: { ...env, CREWDECK_COUNTS: counts } },
  );
  return { code, output, counts: JSON.parse(readFileSync(counts, "utf8")) as Counts };
}

describe("a suite that hangs", () => {
  let started: string;
  beforeEach(() => {
    folder = temporaryFolder("step");
    started = path.join(folder, "started");
  });

  /** A suite that starts a process in a group of its own, and then does nothing. */
  function hanging(minutes: number): Step {
    const program = `
      const { writeFileSync, renameSync } = require("node:fs");
      writeFileSync(process.env.CREWDECK_COUNTS + ".at-1", "in “one test”");
      const child = require("node:child_process").spawn("sleep", ["600"], { detached: true });
      writeFileSync(${JSON.stringify(`${started}.new`)}, String(child.pid));
      renameSync(${JSON.stringify(`${started}.new`)}, ${JSON.stringify(started)});`;
    return { name: "hanging", args: ["-e", program], isSuite: true, minutes };
  }
  const startedProcess = () => Number(readFileSync(started, "utf8"));

  it("is ended after twice its usual time, with what it started, and the report says where it stood", async () => {
    const { failed, failures } = await runStep(hanging(0.04), folder);
    const error =
      "The suite took more than 0.08 minutes, twice its usual time, and was ended. It stood in “one test”.";
    assert.deepEqual([failed, failures], [1, [{ title: "hanging", error }]]);
    assert.ok(!isRunning(startedProcess()));
  });

  it("is ended with what it started when the run is ended", async () => {
    const ended = runStep(hanging(5), folder);
    await waitFor("the suite to start", () => existsSync(started));
    killSteps();
    assert.equal((await ended).failed, 1);
    await waitFor("its process to end", () => !isRunning(startedProcess()));
  });
});

describe("the report of a suite", () => {
  for (const options of [[], ["--parallel"]])
    it(`names what failed, and why, and where the suite stood${options.length > 0 ? ", with --parallel, too" : ""}`, async () => {
      folder = temporaryFolder("report");
      const test = path.join(folder, "one.test.cjs");
      writeFileSync(test, `it("works", () => { throw new Error("It is broken."); });`);
      const { code, counts } = await runMocha([...options, test]);
      const failures = [{ title: "works", error: "It is broken." }];
      assert.deepEqual([code, counts], [1, { passed: 0, failed: 1, skipped: 0, failures }]);
      assert.equal(standingOf(path.join(folder, "counts.json")), "after “works”");
    });
});

describe("tests that need crewAI, on a machine without Python", () => {
  /** Runs them where no program is found and nothing was installed before. */
  const run = (CI: string) => {
    folder = temporaryFolder("no-python");
    const env = { CI, PATH: folder, CREWDECK_DOWNLOADS: folder };
    return runMocha(["test/crewai/*.test.ts", "test/ui/first-real-run.test.ts"], env);
  };

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
