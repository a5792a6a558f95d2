import assert from "node:assert/strict";
import { stateByCrew } from "../../../src/crews/state-by-crew.ts";

describe("invalid global state", () => {
  it("is read as none, and overwritten", async () => {
    for (const kept of [null, 5, "text", [], { "url:a": 5 }]) {
      const state = new Map<string, unknown>([["crewdeck.stopRoutes", kept]]);
      const memento = {
        keys: () => [...state.keys()],
        get: (key: string) => state.get(key),
        update: (key: string, value: unknown) => Promise.resolve(void state.set(key, value)),
      };
      const routes = stateByCrew(memento, "crewdeck.stopRoutes", (route) => route !== false);
      assert.equal(routes.read("url:a"), true);
      await routes.write("url:a", false);
      assert.equal(routes.read("url:a"), false);
    }
  });
});
