import assert from "node:assert/strict";
import type { ActivityEvent, TokenUsage } from "../../../src/api/types.ts";
import { activityOf } from "../../../src/executions/activity.ts";
import { withTimes } from "../../../src/executions/task-times.ts";
import { spanTokenUses, taskTokenUse, tokenUse } from "../../../src/executions/tokens.ts";
import { anEvent as event, anExecution } from "./samples.ts";

const usage = (prompt: number, completion: number): TokenUsage => ({
  total: prompt + completion,
  prompt,
  completion,
});

function call(id: string, taskName: string, model: string, tokens: TokenUsage): ActivityEvent[] {
  return [
    event(id, "llm_call_started", 3, { parentId: `task ${taskName}`, model }),
    event(`${id} end`, "llm_call_completed", 4, { startedId: id, tokens }),
  ];
}

const events = [
  event("task plan", "task_started", 2, { taskName: "plan" }),
  ...call("a", "plan", "small", usage(100, 10)),
  ...call("b", "plan", "large", usage(50, 5)),
  event("task plan end", "task_completed", 5, { startedId: "task plan" }),
  event("task write", "task_started", 6, { taskName: "write" }),
  ...call("c", "write", "small", usage(20, 2)),
];
const tasks = ["plan", "write"].map((taskId) => ({
  taskId,
  state: "completed" as const,
  attempts: [],
}));
const running = anExecution({ state: "running", tasks });
const counted = withTimes(running, { events, folded: {} });

describe("tokens", () => {
  it("of an execution and of a task are its model calls', by model", () => {
    assert.deepEqual(tokenUse(counted), {
      tokens: usage(170, 17),
      models: [
        { model: "small", tokens: usage(120, 12) },
        { model: "large", tokens: usage(50, 5) },
      ],
    });
    assert.deepEqual(counted.tasks.map(taskTokenUse), [
      {
        tokens: usage(150, 15),
        models: [
          { model: "small", tokens: usage(100, 10) },
          { model: "large", tokens: usage(50, 5) },
        ],
      },
      { tokens: usage(20, 2), models: [{ model: "small", tokens: usage(20, 2) }] },
    ]);
  });

  it("that only the crew reports are of a model that isn't known", () => {
    const rest = tokenUse({ ...counted, usage: usage(200, 20) });
    assert.deepEqual(rest?.tokens, usage(200, 20));
    assert.deepEqual(rest.models.at(-1), { tokens: usage(30, 3) });
    const all = tokenUse({ ...running, usage: { total: 9 } });
    assert.deepEqual(all, { tokens: { total: 9 }, models: [{ tokens: { total: 9 } }] });
  });

  it("are the only model's if the crew reports more than its calls", () => {
    const models = [{ model: "small", tokens: usage(1, 1) }];
    assert.deepEqual(tokenUse({ ...running, models, usage: usage(200, 20) }), {
      tokens: usage(200, 20),
      models: [{ model: "small", tokens: usage(200, 20) }],
    });
  });

  it("are unknown, not zero, without a report", () => {
    assert.equal(tokenUse(running), undefined);
    assert.deepEqual(running.tasks.map(taskTokenUse), [undefined, undefined]);
  });

  it("of a span are also those of what is below it", () => {
    const { spans } = activityOf(running, { events, folded: {} });
    const uses = spanTokenUses(spans);
    assert.deepEqual(uses.get("crew"), tokenUse(counted));
    assert.deepEqual(uses.get("task plan"), taskTokenUse(counted.tasks[0]!));
    assert.deepEqual(uses.get("b")?.models, [{ model: "large", tokens: usage(50, 5) }]);
    assert.equal(uses.get("queue"), undefined);
  });
});
