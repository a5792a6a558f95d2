import assert from "node:assert/strict";
import { attemptPairs, isSameOutput } from "../../../src/executions/tasks.ts";

describe("attempts to compare", () => {
  it("are each attempt and the one before it, for every task, without unknown outputs", () => {
    const outputs = (...values: readonly (string | undefined)[]) =>
      values.map((output, at) => ({ number: at + 1, ...(output === undefined ? {} : { output }) }));
    const review = { taskId: "review", state: "waiting" as const };
    const tasks = [
      { taskId: "outline", state: "completed" as const, attempts: outputs("a", "b", "b") },
      { taskId: "draft", state: "completed" as const, attempts: outputs("a") },
      { ...review, attempts: outputs(undefined, "a", undefined, "b") },
      { taskId: "publish", state: "pending" as const, attempts: [] },
    ];
    assert.deepEqual(attemptPairs({ tasks }), [
      { taskId: "outline", previous: 1, attempt: 2 },
      { taskId: "outline", previous: 2, attempt: 3 },
      { taskId: "review", previous: 2, attempt: 4 },
    ]);
  });
});

describe("two outputs of a task", () => {
  for (const [how, one, other] of [
    ["word for word", "one", "one"],
    ["with a line break at the end", "one", "one\n"],
    ["with white space around", "one", " \n one\t\n\n"],
    ["with the line endings of another system", "one\ntwo\n", "one\r\ntwo"],
    ["inside a code block", '{"a": 1}', '```json\n{"a": 1}\n```\n'],
    ["inside a code block without a language", "one\n\ntwo", "```\none\n\ntwo\n```"],
    ["that are empty", "", "\n"],
  ] as const)
    it(`are the same ${how}`, () => {
      assert.ok(isSameOutput(one, other));
      assert.ok(isSameOutput(other, one));
    });

  for (const [how, one, other] of [
    ["by a word", "one", "two"],
    ["by a line break inside", "one two", "one\ntwo"],
    ["by the indentation inside", "a:\n  b", "a:\nb"],
    ["by one of two code blocks", "```js\na\n```\nand\n```js\nb\n```", "a\n```\nand\n```js\nb"],
  ] as const)
    it(`differ ${how}`, () => assert.ok(!isSameOutput(one, other)));
});
