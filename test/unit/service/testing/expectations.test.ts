import assert from "node:assert/strict";
import type { JsonObject } from "../../../../src/base/json.ts";
import {
  failureOf,
  mismatchesOf,
  type Outcome,
} from "../../../../src/service/testing/expectations.ts";
import type { Expectation } from "../../../../src/service/testing/test-file.ts";

const call = { task: "research", attempt: 1, tool: "search" };
const outcome: Outcome = {
  output: " A cup of tea\n",
  outputs: [
    { task: "research", attempt: 1, output: '{"leaves": 2}' },
    { task: "outline", attempt: 1, output: "Long outline" },
    { task: "outline", attempt: 2, output: "Short" },
  ],
  seconds: 2.5,
  tokens: 100,
  dollars: 0.01,
  grades: [{ task: "poem", attempt: 2, question: "Is it tea?", grade: 9, reason: "It is." }],
  calls: [
    { ...call, arguments: { for: "tea", limit: 3 } },
    { ...call, arguments: { for: "cups" } },
  ],
};

describe("What is expected of a run", () => {
  const met: readonly Expectation[] = [
    { contains: "cup of", matches: "^.A \\w+", equals: "A cup of tea", maxWords: 4 },
    { task: "outline", equals: "Short" },
    { task: "outline", attempt: 1, contains: "Long" },
    { task: "research", jsonSchema: { properties: { leaves: { type: "integer" } } } },
    { task: "research", calls: [{ tool: "search", min: 2, max: 2 }] },
    { calls: [{ tool: "Search", max: 1, arguments: { for: "tea" } }] },
    { task: "outline", calls: [{ tool: "search", min: 0, max: 0 }] },
    { maxSeconds: 2.5, maxTokens: 100, maxCost: 0.01 },
    { judge: "Is it tea?", minGrade: 9 },
  ];
  for (const expected of met)
    it(`is met: ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(mismatchesOf(expected, outcome), []));

  const unmet: readonly (readonly [Expectation, string])[] = [
    [{ contains: "coffee" }, 'The result has no "coffee".'],
    [{ matches: "^tea" }, "The result doesn't match /^tea/."],
    [{ equals: "a cup of tea" }, "The result is another text."],
    [{ maxWords: 3 }, "The result has 4 words, and at most 3 are expected."],
    [{ task: "outline", contains: "Long" }, 'The output of the task "outline" has no "Long".'],
    [
      { task: "outline", attempt: 1, equals: "Short" },
      'attempt 1 at the task "outline" is another',
    ],
    [{ task: "poem", contains: "" }, 'There is no output of the task "poem".'],
    [{ task: "outline", jsonSchema: {} }, "it is not JSON"],
    [{ task: "research", jsonSchema: { required: ["cups"] } }, "have required property 'cups'"],
    [{ task: "research", jsonSchema: { $ref: "#/a" } }, "the schema is not valid: can't resolve"],
    [{ calls: [{ tool: "search", min: 3 }] }, "called 2 times, and at least 3 are expected."],
    [
      { calls: [{ tool: "search", arguments: { for: "milk" } }] },
      'called 0 times with {"for":"milk"}',
    ],
    [{ maxSeconds: 2 }, "It took 2.5 s, and at most 2 s are expected."],
    [{ maxTokens: 99 }, "It took 100 tokens, and at most 99 are expected."],
    [{ maxCost: 0.001 }, "It cost $0.01, and at most $0.001 are expected."],
    [{ judge: "Is it tea?", minGrade: 9.5 }, "gives 9 of 10, and at least 9.5 is expected: It is."],
    [{ judge: "Is it tea?", attempt: 1 }, "The model gave no grade for: Is it tea?"],
    [{ judge: "Is it coffee?" }, "The model gave no grade for: Is it coffee?"],
  ];
  for (const [expected, message] of unmet)
    it(`is not met: ${JSON.stringify(expected)}`, () => {
      const [first, ...more] = mismatchesOf(expected, outcome);
      assert.ok(first?.message.includes(message), first?.message);
      assert.deepEqual(more, []);
    });
});

describe("A JSON schema that is expected", () => {
  const schemaProblems = (jsonSchema: JsonObject) =>
    mismatchesOf({ jsonSchema }, { ...outcome, output: '"2026-02-30"' }).map((one) => one.message);

  it("may be one of several with an $id, and of another draft", () => {
    const named = { $id: "tea", $schema: "https://json-schema.org/draft/2020-12/schema" };
    assert.deepEqual(schemaProblems({ ...named, type: "string" }), []);
    assert.deepEqual(schemaProblems({ ...named, type: "number" }), [
      "The result doesn't fit the JSON schema: it must be number.",
    ]);
  });

  it("has formats", () =>
    assert.match(schemaProblems({ format: "date" }).join(), /it must match format "date"/));
});

describe("The failure of an execution", () => {
  it("has what to compare, if the recording has another call", () => {
    const message = "Failed: The recording a has no such call.\n--- recorded\n+++ now\n {\n-a\n+b";
    const isUnrecorded = true;
    assert.deepEqual(failureOf(message), {
      message,
      expected: "{\na",
      actual: "{\nb",
      isUnrecorded,
    });
  });

  it("can be recorded again, also if the recording has no such call at all", () => {
    const message = "Failed: The recording a has no call of the model. Record again.";
    assert.deepEqual(failureOf(message), { message, isUnrecorded: true });
    assert.deepEqual(failureOf("No."), { message: "No." });
  });
});
