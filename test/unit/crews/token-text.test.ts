import assert from "node:assert/strict";
import { tokenIn, tokenProblem } from "../../../src/crews/token-format.ts";

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
    assert.equal(tokenProblem(""), "empty");
    assert.equal(tokenProblem("abc def"), "notOneWord");
    assert.equal(tokenProblem("abc\r\nX-Other: 1"), "notOneWord");
    assert.equal(tokenProblem("abc…"), "notOneWord");
    assert.equal(tokenProblem("a".repeat(7001)), "tooLong");
    assert.equal(tokenProblem("a".repeat(7000)), undefined);
    assert.equal(tokenProblem("abc.123-_~+/="), undefined);
  });
});
