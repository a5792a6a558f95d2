import assert from "node:assert/strict";
import {
  describeTokenProblem,
  parseEntry,
  tokenIn,
  tokenInUse,
  withToken,
} from "../../../src/crews/token-format.ts";

describe("the secret of a crew", () => {
  const both = { inUse: "userBearer", bearer: "one", userBearer: "two" } as const;

  it("holds both tokens and which is in use", () => {
    assert.deepEqual(parseEntry(JSON.stringify(both)), both);
    assert.deepEqual(tokenInUse(both), { token: "two", type: "userBearer" });
  });

  it("adds a token of the other type, and uses it", () => {
    const one = { inUse: "bearer", bearer: "one" } as const;
    assert.deepEqual(withToken(undefined, { token: "one", type: "bearer" }), one);
    assert.deepEqual(withToken(one, { token: "two", type: "userBearer" }), both);
    const three = { inUse: "bearer", bearer: "three", userBearer: "two" };
    assert.deepEqual(withToken(both, { token: "three", type: "bearer" }), three);
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

describe("a pasted token", () => {
  for (const pasted of [
    "abc.123",
    "  abc.123\n",
    "Bearer abc.123",
    "bearer   abc.123",
    "Authorization: Bearer abc.123",
    '"abc.123"',
    "`Bearer abc.123`",
  ]) {
    it(`is found in ${JSON.stringify(pasted)}`, () => {
      assert.equal(tokenIn(pasted), "abc.123");
    });
  }

  it("keeps a token that only starts like “Bearer”", () => {
    assert.equal(tokenIn("bearer-abc"), "bearer-abc");
    assert.equal(tokenIn("'abc"), "'abc");
  });

  it("is refused if a header can't hold it", () => {
    assert.match(describeTokenProblem("") ?? "", /^Paste/);
    for (const text of ["abc def", "abc\r\nX-Other: 1", "abc…", "a".repeat(7001)])
      assert.match(describeTokenProblem(text) ?? "", /not the value of a token/);
    assert.equal(describeTokenProblem("a".repeat(7000)), undefined);
    assert.equal(describeTokenProblem("abc.123-_~+/="), undefined);
  });
});
