import assert from "node:assert/strict";
import type { StoredToken } from "../../../src/crews/types.ts";
import { forgetTokens, keepTokens, prepareTokens } from "../../../src/local/service-tokens.ts";

describe("The tokens of a local service", () => {
  it("are kept both, and forgotten both", async () => {
    const secrets = new Map<string, StoredToken>();
    const store = {
      token: (id: string) => Promise.resolve(secrets.get(id)),
      setToken: (id: string, token: StoredToken | undefined) => (token === undefined ? secrets.delete(id) : secrets.set(id, token), Promise.resolve()),
    };
    const made = await prepareTokens(store, "local:x");
    await keepTokens(store, "local:x", made);
    assert.deepEqual(await prepareTokens(store, "local:x"), made);
    assert.deepEqual([...secrets.values()].map(({ token }) => token).sort(), [made.token, made.userToken].sort());
    await forgetTokens(store, "local:x");
    assert.equal(secrets.size, 0);
  });
});
