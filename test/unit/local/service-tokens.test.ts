import assert from "node:assert/strict";
import { keepTokens, prepareTokens } from "../../../src/local/crew-keeper.ts";
import { MemoryTokens } from "./support.ts";

describe("The tokens of a local service", () => {
  it("are both stored", async () => {
    const store = new MemoryTokens();
    const made = await prepareTokens(store, "local:x");
    await keepTokens(store, "local:x", made);
    assert.deepEqual(await prepareTokens(store, "local:x"), made);
    assert.deepEqual(
      [...store.kept],
      [["local:x", { inUse: "bearer", bearer: made.token, userBearer: made.userToken }]],
    );
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
});
