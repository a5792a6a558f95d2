import assert from "node:assert/strict";
import { forgetTokens, keepTokens, prepareTokens } from "../../../src/local/service-tokens.ts";
import { MemoryTokens } from "./support.ts";

describe("The tokens of a local service", () => {
  it("are kept both, and forgotten both", async () => {
    const store = new MemoryTokens();
    const made = await prepareTokens(store, "local:x");
    await keepTokens(store, "local:x", made);
    assert.deepEqual(await prepareTokens(store, "local:x"), made);
    assert.deepEqual(
      [...store.kept],
      [["local:x", { inUse: "bearer", bearer: made.token, userBearer: made.userToken }]],
    );
    await forgetTokens(store, "local:x");
    assert.equal(store.kept.size, 0);
  });

  it("stay the same over a restart, with the one in use that the person chose", async () => {
    const store = new MemoryTokens();
    const made = await prepareTokens(store, "local:x");
    await store.setTokens("local:x", {
      inUse: "userBearer",
      bearer: made.token,
      userBearer: made.userToken,
    });
    await keepTokens(store, "local:x", await prepareTokens(store, "local:x"));
    assert.deepEqual(await store.tokens("local:x"), {
      inUse: "userBearer",
      bearer: made.token,
      userBearer: made.userToken,
    });
  });

  it("that version 0.1 kept in two entries are moved into one", async () => {
    const store = new MemoryTokens();
    store.kept.set("local:x", { inUse: "userBearer", userBearer: "user" });
    store.kept.set("local:x#spare", { inUse: "bearer", bearer: "organisation" });
    const prepared = await prepareTokens(store, "local:x");
    assert.deepEqual(prepared, { token: "organisation", userToken: "user" });
    await keepTokens(store, "local:x", prepared);
    assert.deepEqual(
      [...store.kept],
      [["local:x", { inUse: "userBearer", bearer: "organisation", userBearer: "user" }]],
    );
  });
});
