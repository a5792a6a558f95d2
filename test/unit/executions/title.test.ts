import assert from "node:assert/strict";
import type { Execution } from "../../../src/executions/model.ts";
import { titleOf } from "../../../src/executions/title.ts";
import { anExecution } from "./samples.ts";

describe("titleOf", () => {
  const inputs = (values: NonNullable<Execution["request"]>["inputs"]) => ({
    request: { inputs: values, callbacks: {} },
  });
  const table: readonly [string, Partial<Execution>, string][] = [
    ["the person's label", { label: " My run ", ...inputs({ topic: "Otters" }) }, "My run"],
    ["the first input", inputs({ topic: "Otters", tone: "dry" }), "Otters"],
    ["the first input that isn't blank", inputs({ a: "  ", b: null, c: "Seals" }), "Seals"],
    ["a value that isn't text", inputs({ budget: { max: 3 } }), '{"max":3}'],
    [
      "one line, without control or direction marks",
      inputs({ topic: "One\n two\u0007\u202e three" }),
      "One two three",
    ],
    ["a long text, shortened", inputs({ topic: "x".repeat(100) }), `${"x".repeat(59)}…`],
    ["whole characters", inputs({ topic: "🦦".repeat(100) }), `${"🦦".repeat(59)}…`],
    ["the beginning of the id", { ...inputs({}), kickoffIds: ["abcdefgh-ijkl"] }, "abcdefgh"],
    [
      "the local id while there is no other",
      { ...inputs({}), kickoffIds: [], label: " " },
      "11111111",
    ],
  ];
  for (const [what, changes, title] of table) {
    it(`is ${what}`, () => assert.equal(titleOf(anExecution(changes)), title));
  }
});
