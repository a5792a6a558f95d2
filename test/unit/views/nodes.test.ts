import assert from "node:assert/strict";
import {
  idOf,
  showAttempt,
  type ExecutionNode,
  type TaskNode,
} from "../../../src/views/tree/arrangement.ts";
import { anExecution, notWaiting } from "./executions.ts";

describe("the rows of the tree as arguments of commands", () => {
  const row = {
    group: "crew url:https://crew.test",
    crew: "url:https://crew.test",
    localId: "local-1",
    kickoffId: "11111111-aaaa",
  };
  const waiting = anExecution({ waiting: { ...anExecution().waiting!, attempt: 2 } });

  it("name the waiting attempt that they show", () => {
    const execution: ExecutionNode = { kind: "execution", ...row };
    const [review, research] = ["review", "research"].map((taskId): TaskNode => ({
      kind: "task",
      ...row,
      taskId,
    }));
    for (const node of [execution, review!, research!]) showAttempt(node, waiting);
    assert.deepEqual([execution.attempt, review!.attempt], [2, 2]);
    assert.ok(!("attempt" in research!));
    showAttempt(execution, notWaiting());
    assert.ok(!("attempt" in execution));
  });

  it("have a constant ID, and another one for the same execution in another group", () => {
    const execution: ExecutionNode = { kind: "execution", ...row };
    const task: TaskNode = { kind: "task", ...row, taskId: "review" };
    const nodes = [
      execution,
      task,
      { ...execution, group: "waiting" },
      { ...task, group: "waiting" },
      { kind: "group", group: "waiting" },
      { kind: "crew", crew: row.crew },
      { kind: "hint", crew: row.crew },
    ] as const;
    assert.equal(new Set(nodes.map(idOf)).size, nodes.length);
    assert.equal(idOf({ ...execution, kickoffId: "other", attempt: 2 }), idOf(execution));
  });
});
