import assert from "node:assert/strict";
import { fill, placeholders } from "../../../src/projects/types.ts";

describe("placeholders", () => {
  it("are names in braces, each once, in order of first appearance", () => {
    assert.deepEqual(
      placeholders(["{topic} for {audience}", "{year}, {topic}", "{constructor} {my-key_2}"]),
      ["topic", "audience", "year", "constructor", "my-key_2"],
    );
  });

  it("may hold spaces, points and letters of any language", () => {
    assert.deepEqual(placeholders(["{dietary needs} {größe} {都市} {user.name}"]), [
      "dietary needs",
      "größe",
      "都市",
      "user.name",
    ]);
  });

  it("are not JSON, code or empty braces", () => {
    assert.deepEqual(
      placeholders(['{"a": {"b": 1}} {} { } {2} {\'x\': y} {a: b} {a, b} {f(x)} {line\nbreak}']),
      [],
    );
  });
});

describe("fill", () => {
  it("replaces placeholders and leaves those without an input", () => {
    assert.equal(fill("{topic} for {audience}", { topic: "tea" }), "tea for {audience}");
  });

  it("writes values that aren't text as JSON", () => {
    assert.equal(
      fill("{n} {yes} {list} {none}", { n: 3, yes: true, list: ["a", { b: 1 }], none: null }),
      '3 true ["a",{"b":1}] null',
    );
  });

  it("ignores placeholders and patterns in values", () => {
    assert.equal(fill("{a} {b}", { a: "{b} $& $1", b: "x" }), "{b} $& $1 x");
  });

  it("ignores inherited properties", () => {
    assert.equal(fill("{constructor} {toString}", { toString: "own" }), "{constructor} own");
  });
});
