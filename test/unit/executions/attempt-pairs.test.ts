import assert from "node:assert/strict";
import { attemptPairs } from "../../../src/executions/tasks.ts";

describe("attempts to compare", () => {
  it("are each attempt and the one before it, for every task, without unknown outputs", () => {
    const outputs = (...values: readonly (string | undefined)[]) =>
      values.map((output, at) => ({ number: at + 1, ...(output === undefined ? {} : { output }) }));
    const tasks = [
      { taskId: "outline", state: "completed" as const, attempts: outputs("a", "b", "b") },
      { taskId: "draft", state: "completed" as const, attempts: outputs("a") },
      {
        taskId: "review",
        state: "waiting" as const,
        attempts: outputs(undefined, "a", undefined, "b"),
      },
      { taskId: "publish", state: "pending" as const, attempts: [] },
    ];
    assert.deepEqual(attemptPairs({ tasks }), [
      { taskId: "outline", previous: 1, attempt: 2 },
      { taskId: "outline", previous: 2, attempt: 3 },
      { taskId: "review", previous: 2, attempt: 4 },
    ]);
  });
});
