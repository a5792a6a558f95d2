import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { killSteps, runStep, type Step } from "../../scripts/run-step.ts";
import { temporaryFolder } from "../support/folders.ts";
import { isRunning } from "../support/processes.ts";
import { waitFor } from "../support/wait.ts";

describe("a suite that hangs", () => {
  let folder: string;
  let started: string;

  beforeEach(() => {
    folder = temporaryFolder("step");
    started = path.join(folder, "started");
  });

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
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
    assert.equal(failed, 1);
    assert.deepEqual(failures, [
      {
        title: "hanging",
        error:
          "The suite took more than 0.08 minutes, twice its usual time, and was ended. It stood in “one test”.",
      },
    ]);
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
