import assert from "node:assert/strict";
import { taskPart } from "../../../src/views/document/task.ts";
import { taskRow } from "../../../src/views/tree/execution-rows.ts";
import { anExecution } from "../executions/samples.ts";

describe("the time of a task", () => {
  it("is the same in the tree and in the document", () => {
    const attempts = [{ number: 1 }, { number: 2 }];
    const task = { taskId: "review", state: "completed", attempts, times: { worked: 12 } } as const;
    const execution = anExecution({ state: "running", tasks: [task] });
    assert.ok(taskRow(task, execution).tooltip.includes("12 s"));
    assert.match(taskPart(task, execution).lines.join("\n"), /^\*\*Completed\*\* · 12 s$/m);
  });
});
