import assert from "node:assert/strict";
import { readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { StatusPaths, TokenNotes } from "../../../src/crews/crew-values.ts";
import { Intents, resumeKey } from "../../../src/executions/intents.ts";
import { Lease } from "../../../src/executions/lease.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { waitFor } from "../../support/wait.ts";
import { FakeClock } from "./fake-clock.ts";

const nonsense = ["", "{", "null", "[]", '"text"', '{"version":9}'];

describe("state on disk that makes no sense", () => {
  let folder: string;

  beforeEach(() => {
    folder = temporaryFolder("corrupt");
  });
  afterEach(() => rm(folder, { recursive: true }));

  for (const text of nonsense) {
    it(`as a lease is free to take: ${JSON.stringify(text)}`, async () => {
      const clock = new FakeClock();
      await writeFile(path.join(folder, "lease.json"), text);
      const lease = new Lease({
        file: path.join(folder, "lease.json"),
        clock,
        owner: "me",
        onProblem: (message) => assert.fail(message),
      });
      try {
        await lease.start();
        await waitFor("the lease", async () => {
          await clock.pass(300);
          return lease.isHeld;
        });
      } finally {
        lease.dispose();
      }
    });
  }

  it("as a claim still keeps what it stands for from being sent again, and hides no other claim", async () => {
    const claims = new Intents(folder);
    const key = resumeKey("id", "task", 1);
    await claims.claim(key, {});
    const [file = ""] = await readdir(folder);
    for (const text of nonsense) {
      await writeFile(path.join(folder, file), text);
      await claims.claim("another", {});
      assert.deepEqual(
        (await claims.all()).map((claim) => claim.key),
        ["another"],
      );
      assert.equal(await claims.claim(key, {}), false, "whoever made the claim may have sent");
    }
  });

  it("as VS Code's global state reads as nothing, and is written over", async () => {
    for (const kept of [null, 5, "text", [], { "url:a": 5 }]) {
      const state = new Map<string, unknown>([
        ["crewdeck.statusPaths", kept],
        ["crewdeck.storedTokens", kept],
      ]);
      const memento = {
        keys: () => [...state.keys()],
        get: (key: string) => state.get(key),
        update: (key: string, value: unknown) => Promise.resolve(void state.set(key, value)),
      };
      const [paths, notes] = [new StatusPaths(memento), new TokenNotes(memento)];
      assert.equal(paths.read("url:a"), undefined);
      assert.deepEqual(notes.read("url:a"), []);
      await paths.write("url:a", "/{kickoff_id}/status");
      await notes.write("url:a", ["bearer"]);
      assert.deepEqual(
        [paths.read("url:a"), notes.read("url:a")],
        ["/{kickoff_id}/status", ["bearer"]],
      );
    }
  });
});
