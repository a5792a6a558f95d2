import assert from "node:assert/strict";
import type { UnknownObject } from "../../../../src/base/json.ts";
import { outcomeOf } from "../../../../src/service/testing/run-tests.ts";

describe("The outcome of a test's execution", () => {
  it("has the calls of tools, also those beyond the limit, of which no texts are kept", async () => {
    const call = { kind: "tool", task_id: "research", name: "search" };
    const calls = [
      { ...call, number: 1 },
      { ...call, number: 2, is_dropped: true },
    ];
    const answers: Readonly<Record<string, UnknownObject>> = {
      "/executions/K/calls": { calls },
      "/executions/K/calls/1": { request: { for: "tea" }, response: "Assam" },
    };
    const json = (path: string) =>
      Promise.resolve(answers[path] ?? assert.fail(`There is no ${path}.`));
    const { outcome, error } = await outcomeOf({ json }, "K", { status: "completed" }, [], []);
    const made = { task: "research", tool: "search", attempt: 1 };
    assert.deepEqual(
      outcome.calls.map(({ task, tool, attempt, arguments: given }) => ({
        ...{ task, tool, attempt, given },
      })),
      [
        { ...made, given: { for: "tea" } },
        { ...made, given: undefined },
      ],
    );
    assert.equal(error, undefined);
  });
});
