import assert from "node:assert/strict";
import { isFilled } from "../../../src/base/text.ts";
import { inputNames } from "../../../src/projects/types.ts";
import { fill } from "../../../src/service/engine.ts";

describe("names of inputs", () => {
  it("are what stands in braces, each once, in order of first appearance", () => {
    assert.deepEqual(
      inputNames(["{topic} for {audience}", "{year}, {topic}", "{constructor} {my-key_2}"]),
      ["topic", "audience", "year", "constructor", "my-key_2"],
    );
  });

  it("may hold spaces, points and letters of any language", () => {
    assert.deepEqual(inputNames(["{dietary needs} {größe} {都市} {user.name}"]), [
      "dietary needs",
      "größe",
      "都市",
      "user.name",
    ]);
  });

  it("may be JSON and code, as a deployed crew asks for them, and are also those that crewAI fills in there", () => {
    assert.deepEqual(
      inputNames([
        '{"a": {"b": 1}} {} { } {2} {\'x\': y} {f(x)} {line\nbreak} {{twice}} {"b": "{topic}"}',
      ]),
      [
        ...['"a": {"b": 1', "} { ", "2", "'x': y", "f(x)", "{twice", "twice"],
        ...['"b": "{topic', "topic"],
      ],
    );
  });
});

describe("what crewAI fills in", () => {
  it("are names of letters, digits, _ and -, which are the only ones that a kickoff needs", () => {
    const asked = inputNames(["{{topic}} {a-b_1} {größe} {my reader} {1st}"]);
    assert.deepEqual(asked.filter(isFilled), ["topic", "a-b_1"]);
    assert.equal(
      fill("{{topic}} {größe} {my reader}", { topic: "tea", größe: "x", "my reader": "x" }),
      "{tea} {größe} {my reader}",
    );
  });
});

describe("fill", () => {
  it("replaces placeholders and leaves those without an input", () => {
    assert.equal(fill("{topic} for {audience}", { topic: "tea" }), "tea for {audience}");
  });

  it("leaves JSON and code as they are, and replaces placeholders in them", () => {
    const text = 'Answer {"a": {"b": 1}} or {f(x)} about {"about": "{topic}"}';
    const inputs = { '"a": {"b": 1': "x", "f(x)": "x", '"about": "{topic': "x", topic: "tea" };
    assert.equal(fill(text, inputs), 'Answer {"a": {"b": 1}} or {f(x)} about {"about": "tea"}');
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
