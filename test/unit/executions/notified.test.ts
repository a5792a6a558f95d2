import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { Intents } from "../../../src/sending/sends.ts";
import { ExecutionStore } from "../../../src/executions/store.ts";
import { ofCrew, ofEnd, sweepTold } from "../../../src/executions/notified.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { FakeClock } from "./fake-clock.ts";
import { anExecution, at } from "./samples.ts";

describe("sweepTold", () => {
  it("forgets the end of an execution when it is no news for any window, and nothing else of it", async () => {
    const folder = temporaryFolder("told");
    try {
      const told = new Intents(folder);
      const ended = [
        anExecution({ localId: "old-1", state: "failed", endedAt: new Date(at(0)).toISOString() }),
        anExecution({
          localId: "new-1",
          state: "failed",
          endedAt: new Date(at(90_000)).toISOString(),
        }),
      ];
      for (const key of [`${ofEnd}old-1-1`, "waiting-old-1-review-1", `${ofEnd}new-1-1`])
        await told.claim(key, {});
      await sweepTold({ list: () => ended, refresh: () => Promise.resolve() }, told, at(100_000));
      assert.deepEqual((await told.all()).map(({ key }) => key).sort(), [
        `${ofEnd}new-1-1`,
        "waiting-old-1-review-1",
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("forgets what was told of executions that are no longer tracked, and nothing else", async () => {
    const folder = temporaryFolder("told");
    const open = async () => {
      const store = new ExecutionStore({
        folder: path.join(folder, "executions"),
        clock: new FakeClock(),
        onProblem: (_message, error) => assert.fail(String(error)),
      });
      await store.open();
      return store;
    };
    const [mine, others] = [await open(), await open()];
    try {
      const told = new Intents(path.join(folder, "told"));
      await mine.add(anExecution({ localId: "kept-1" }));
      await mine.add(anExecution({ localId: "gone-1" }));
      await mine.remove("gone-1");
      await others.add(anExecution({ localId: "of-another-window" }));
      const kept = [
        "waiting-kept-1-review-1",
        "maybe-kept-1-k1-0",
        "waiting-of-another-window-review-1",
        `${ofCrew}url:https://crew.test`,
      ];
      for (const key of [
        ...kept,
        "waiting-gone-1-review-1",
        "waiting-gone-1-review-2",
        "maybe-gone-1-k1-0",
      ])
        await told.claim(key, {});
      await sweepTold(mine, told, at(0));
      assert.deepEqual((await told.all()).map(({ key }) => key).sort(), kept.sort());
    } finally {
      mine.dispose();
      others.dispose();
      await rm(folder, { recursive: true });
    }
  });
});
