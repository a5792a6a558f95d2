import assert from "node:assert/strict";
import { statusPaths, tokenNotes } from "../../../src/crews/state-by-crew.ts";

describe("invalid global state", () => {
  it("is read as none, and overwritten", async () => {
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
      const [paths, notes] = [statusPaths(memento), tokenNotes(memento)];
      assert.equal(paths.read("url:a"), undefined);
      assert.equal(notes.read("url:a"), false);
      await paths.write("url:a", "/{kickoff_id}/status");
      await notes.write("url:a", true);
      const read = [paths.read("url:a"), notes.read("url:a")];
      assert.deepEqual(read, ["/{kickoff_id}/status", true]);
    }
  });
});
