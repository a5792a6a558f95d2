import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { Executions } from "../../../src/executions/executions.ts";
import { Database } from "../../../src/store/database.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { FakeClock } from "./fake-clock.ts";
import { anExecution } from "./samples.ts";
import { waitFor } from "../../support/wait.ts";
import { SecretMemory } from "../../support/secret-memory.ts";

describe("Executions", () => {
  it("are watched while what is made ready for it hangs", async () => {
    const folder = temporaryFolder("executions");
    const clock = new FakeClock();
    const asked: string[] = [];
    const database = new Database({
      folder,
      clock,
      onProblem: (_message, error) => assert.fail(String(error)),
    });
    const executions = new Executions({
      database,
      folder,
      clock,
      keepEnded: () => 0,
      secrets: new SecretMemory(),
      clientFor: () =>
        Promise.resolve({
          status: (kickoffId) => (asked.push(kickoffId), new Promise(() => undefined)),
        }),
      onProblem: (_message, error) => assert.fail(String(error)),
    });
    let begun = 0;
    try {
      executions.open(() => (begun++, new Promise(() => undefined)));
      executions.store.add(anExecution({ kickoffIds: ["k-1"], state: "running" }));
      await waitFor("a question", async () => {
        await clock.pass(1000);
        return asked.length > 0;
      });
      assert.equal(begun, 1);
    } finally {
      executions.dispose();
      database.dispose();
      await rm(folder, { recursive: true });
    }
  });

  it("are watched though claims cannot be read and what comes first fails", async () => {
    const folder = temporaryFolder("executions");
    // Claims are files of a folder: a file in its place cannot be listed.
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, "intents"), "");
    const clock = new FakeClock();
    const problems: string[] = [];
    const asked: string[] = [];
    const database = new Database({
      folder,
      clock,
      onProblem: (_message, error) => assert.fail(String(error)),
    });
    const executions = new Executions({
      database,
      folder,
      clock,
      keepEnded: () => 0,
      secrets: new SecretMemory(),
      clientFor: () =>
        Promise.resolve({
          status: (kickoffId) => (asked.push(kickoffId), new Promise(() => undefined)),
        }),
      onProblem: (message) => problems.push(message),
    });
    try {
      executions.open(() => Promise.reject(new Error("no local crew")));
      executions.store.add(anExecution({ kickoffIds: ["k-1"], state: "running" }));
      await waitFor("a question", async () => {
        await clock.pass(1000);
        return asked.length > 0;
      });
      assert.deepEqual(
        [...new Set(problems)],
        [
          "What was being sent could not be looked through.",
          "What watching executions needs could not be made ready.",
        ],
      );
    } finally {
      executions.dispose();
      database.dispose();
      await rm(folder, { recursive: true });
    }
  });
});
