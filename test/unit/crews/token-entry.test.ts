import assert from "node:assert/strict";
import { formatEntry, parseEntry, tokenInUse, withToken } from "../../../src/crews/token-format.ts";

describe("the secret of a crew", () => {
  it("holds both tokens and which is in use", () => {
    const both = { inUse: "userBearer", bearer: "one", userBearer: "two" } as const;
    assert.deepEqual(parseEntry(formatEntry(both)), both);
    assert.deepEqual(tokenInUse(both), { token: "two", type: "userBearer" });
  });

  it("adds a token of the other type, and uses it", () => {
    assert.deepEqual(
      withToken({ inUse: "bearer", bearer: "one" }, { token: "two", type: "userBearer" }),
      { inUse: "userBearer", bearer: "one", userBearer: "two" },
    );
    assert.deepEqual(
      withToken(
        { inUse: "userBearer", bearer: "one", userBearer: "two" },
        { token: "three", type: "bearer" },
      ),
      { inUse: "bearer", bearer: "three", userBearer: "two" },
    );
    assert.deepEqual(withToken(undefined, { token: "one", type: "bearer" }), {
      inUse: "bearer",
      bearer: "one",
    });
  });

  for (const text of [
    "half a secr",
    "null",
    "7",
    "{}",
    '{"inUse":"bearer"}',
    '{"inUse":"bearer","userBearer":"x"}',
    '{"inUse":"basic","basic":"x"}',
    '{"token":"x","type":"bearer"}',
  ]) {
    it(`is invalid if it is ${text}`, () => assert.equal(parseEntry(text), undefined));
  }
});
