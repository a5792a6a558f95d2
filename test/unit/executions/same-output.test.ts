import assert from "node:assert/strict";
import { isSameOutput } from "../../../src/executions/tasks.ts";

describe("two outputs of a task", () => {
  const same: readonly (readonly [string, string, string])[] = [
    ["word for word", "one", "one"],
    ["with a line break at the end", "one", "one\n"],
    ["with white space around", "one", " \n one\t\n\n"],
    ["with the line endings of another system", "one\ntwo\n", "one\r\ntwo"],
    ["inside a code block", '{"a": 1}', '```json\n{"a": 1}\n```\n'],
    ["inside a code block without a language", "one\n\ntwo", "```\none\n\ntwo\n```"],
    ["that are empty", "", "\n"],
  ];
  for (const [how, one, other] of same) {
    it(`are the same ${how}`, () => {
      assert.ok(isSameOutput(one, other));
      assert.ok(isSameOutput(other, one));
    });
  }

  const different: readonly (readonly [string, string, string])[] = [
    ["by a word", "one", "two"],
    ["by a line break inside", "one two", "one\ntwo"],
    ["by the indentation inside", "a:\n  b", "a:\nb"],
    ["by one of two code blocks", "```js\na\n```\nand\n```js\nb\n```", "a\n```\nand\n```js\nb"],
  ];
  for (const [how, one, other] of different) {
    it(`differ ${how}`, () => assert.ok(!isSameOutput(one, other)));
  }
});
