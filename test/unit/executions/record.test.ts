import assert from "node:assert/strict";
import { readExecution, readSummary, writeExecution } from "../../../src/executions/record.ts";
import { anExecution } from "./samples.ts";

describe("an execution's summary", () => {
  it("has true for an output, and omits an empty one, which the whole execution keeps", () => {
    const attempts = [{ number: 1 }, { number: 2, output: "Text." }];
    const execution = anExecution({
      state: "completed",
      output: "",
      tasks: [{ taskId: "write", state: "completed", attempts }],
    });
    const texts = writeExecution(execution);
    const summary = readSummary(texts.summary);
    assert.equal(summary.output, undefined);
    assert.deepEqual(summary.tasks[0]?.attempts, [{ number: 1 }, { number: 2, output: true }]);
    assert.deepEqual(readExecution(texts), execution);
  });
});
