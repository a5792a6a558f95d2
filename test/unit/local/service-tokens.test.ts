import assert from "node:assert/strict";
import { TokenKeeper } from "../../../src/local/service-tokens.ts";
import { MemoryTokens } from "./support.ts";

describe("The tokens of a local service", () => {
  it("are both stored, and stay the same over a restart, with the one in use that the person chose", async () => {
    const store = new MemoryTokens();
    const keeper = new TokenKeeper(store, () => ["local:x"], undefined);
    assert.equal(await keeper.read(), undefined);
    const made = await keeper.prepare();
    assert.equal(await keeper.read(), undefined, "another window's service may be first");
    await keeper.keep(made);
    const both = { bearer: made.token, userBearer: made.userToken };
    assert.deepEqual([...store.kept], [["local:x", { inUse: "bearer", ...both }]]);
    await store.setTokens("local:x", { inUse: "userBearer", ...both });
    assert.deepEqual(await keeper.prepare(), made);
    await keeper.keep(made);
    assert.deepEqual(await store.tokens("local:x"), { inUse: "userBearer", ...both });
  });

  it("are those of each crew that the service serves", async () => {
    const store = new MemoryTokens();
    const keeper = new TokenKeeper(store, () => ["local:x", "local:x#A", "local:x#B"], undefined);
    await store.setTokens("local:x#B", { inUse: "userBearer", bearer: "old" });
    const { token, userToken } = await keeper.prepare();
    await keeper.keep({ token, userToken });
    const both = { bearer: token, userBearer: userToken };
    for (const id of ["local:x", "local:x#A"])
      assert.deepEqual(await store.tokens(id), { inUse: "bearer", ...both });
    assert.deepEqual(await store.tokens("local:x#B"), { inUse: "userBearer", ...both });
  });
});
