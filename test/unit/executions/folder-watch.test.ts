import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { FolderWatch } from "../../../src/executions/folder-watch.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { waitFor } from "../../support/wait.ts";
import { FakeClock } from "./fake-clock.ts";

describe("FolderWatch", () => {
  it("looks now and then where the system gives no watch, and not after its end", async () => {
    const clock = new FakeClock();
    let looks = 0;
    let slowly = 60_000;
    const watch = new FolderWatch({
      folder: "/nowhere/at/all",
      clock,
      matters: () => true,
      slowly: () => slowly,
      look: async () => {
        await Promise.resolve(looks++);
      },
    });
    await clock.pass(59_999);
    assert.equal(looks, 0);
    await clock.pass(1);
    assert.equal(looks, 1);
    slowly = 5_000;
    watch.replan();
    await clock.pass(15_000);
    assert.equal(looks, 4);
    watch.dispose();
    assert.equal(clock.pending, 0);
    await clock.pass(600_000);
    assert.equal(looks, 4);
  });

  it("looks once after several changes that matter, and at none that does not", async () => {
    const folder = temporaryFolder("watch");
    const clock = new FakeClock();
    let looks = 0;
    const names: string[] = [];
    const matters = (name: string) => (names.push(name), name !== "dull");
    const watch = new FolderWatch({
      folder,
      clock,
      matters,
      slowly: () => 600_000,
      look: async () => {
        await Promise.resolve(looks++);
      },
    });
    const write = async (name: string) => {
      await writeFile(path.join(folder, name), "");
      await waitFor(`${name} to be seen`, () => names.includes(name));
    };
    try {
      await write("dull");
      await clock.pass(1_000);
      assert.equal(looks, 0);
      for (const name of ["a", "b", "c"]) await write(name);
      assert.equal(looks, 0, "more may come");
      await clock.pass(1_000);
      assert.equal(looks, 1);
    } finally {
      watch.dispose();
      await rm(folder, { recursive: true });
    }
  });
});
