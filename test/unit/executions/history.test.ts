import assert from "node:assert/strict";
import { withHistory } from "../../../src/executions/reduce.ts";
import type { Execution } from "../../../src/executions/model.ts";
import { anExecution, notWaiting } from "../views/executions.ts";

const now = Date.parse("2026-10-21T12:05:00.000Z");
const at = "2026-10-21T12:05:00.000Z";
const seenAt = "2026-10-21T12:04:30.000Z";

describe("the history of states", () => {
  it("grows only when the state, its task or its attempt changes", () => {
    const progress = { completed: 0, unit: "task", current: "publish" } as const;
    const running = notWaiting({ seenAt, progress });
    const next = withHistory(notWaiting({ state: "queued", seenAt }), running, now);
    assert.deepEqual(next.history, [{ at, state: "running", taskId: "publish" }]);
    assert.equal(withHistory(running, next, now), next);
    const paused = anExecution({ seenAt, history: next.history ?? [] });
    const waiting = withHistory(next, paused, now + 1000);
    assert.deepEqual(waiting.history?.slice(1), [
      { at: "2026-10-21T12:05:01.000Z", state: "waiting", taskId: "review", attempt: 1 },
    ]);
    const second: Execution = { ...waiting, waiting: { ...waiting.waiting!, attempt: 2 } };
    assert.deepEqual(withHistory(waiting, second, now).history?.length, 3);
    const renamed = { ...waiting, label: "Another title" };
    assert.equal(withHistory(waiting, renamed, now).history?.length, 2);
  });

  it("doesn't have a task that was approved and that the crew still reports", () => {
    const tasks = [{ taskId: "research", state: "completed", attempts: [] }] as const;
    const progress = { completed: 0, unit: "task", current: "research" };
    const waited = withHistory(anExecution({ seenAt }), notWaiting({ tasks, progress }), now);
    assert.deepEqual(waited.history, [{ at, state: "running" }]);
  });

  it("knows the running task even if the crew doesn't name the current one", () => {
    const tasks = [{ taskId: "research", state: "running", attempts: [] }] as const;
    const running = notWaiting({ tasks, progress: { completed: 0, unit: "task" } });
    const after = withHistory(notWaiting({ state: "queued", seenAt }), running, now);
    assert.equal(after.history?.[0]?.taskId, "research");
  });

  it("has the earliest time of a change that was seen long after the last answer", () => {
    const before = notWaiting({ seenAt: "2026-10-21T12:01:00.000Z" });
    assert.deepEqual(withHistory(before, { ...before, state: "completed" }, now).history, [
      { at, notBefore: "2026-10-21T12:01:00.000Z", state: "completed" },
    ]);
  });

  it("keeps the last 200 changes", () => {
    let execution: Execution = notWaiting({ seenAt });
    for (let turn = 0; turn < 250; turn++) {
      const state = turn % 2 === 0 ? "queued" : "running";
      execution = withHistory(execution, { ...execution, state }, now + turn);
    }
    assert.equal(execution.history?.length, 200);
    assert.equal(Date.parse(execution.history.at(-1)?.at ?? ""), now + 249);
  });
});
