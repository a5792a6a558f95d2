import assert from "node:assert/strict";
import type { ActivityEvent } from "../../../src/api/types.ts";
import type { Execution } from "../../../src/executions/model.ts";
import { applyReading } from "../../../src/executions/reduce.ts";
import type { ExecutionStore } from "../../../src/executions/store.ts";
import { anExecution, aReading, at } from "./samples.ts";
import { Windows } from "./windows.ts";

const id = anExecution().localId;
const same = (execution: Execution) => execution;
const call = (number: number): ActivityEvent => ({
  id: `e${number}`,
  type: number % 2 === 0 ? "llm_call_started" : "llm_call_completed",
  at: at(number),
});
const task: readonly ActivityEvent[] = [
  { id: "t", type: "task_started", at: at(0), taskName: "draft" },
  { id: "te", type: "task_completed", at: at(9), startedId: "t", text: "Output." },
];

describe("events of an execution", () => {
  let windows: Windows;
  let store: ExecutionStore;
  beforeEach(() => {
    windows = new Windows();
    store = windows.open();
    store.add(anExecution());
  });
  afterEach(() => windows.close());

  it("are kept with it once, whatever comes again, and deleted with it", () => {
    store.update(id, same, task.slice(0, 1));
    store.update(id, same, task);
    const shorter = { id: "te", type: "task_completed", at: at(9), startedId: "t" };
    store.update(id, same, [shorter]);
    const again = windows.open();
    assert.deepEqual(again.events(id), { events: task, folded: {} });
    again.remove(id);
    assert.deepEqual(store.events(id), { events: [], folded: {} });
  });

  it("that are new are news in all windows; repeats are not", () => {
    const other = windows.open();
    const changes: string[] = [];
    store.onDidChange(({ changed }) => changed.forEach(() => changes.push("here")));
    other.onDidChange(({ changed }) => changed.forEach(() => changes.push("there")));
    for (let times = 0; times < 3; times++) {
      store.update(id, same, task);
      other.refresh();
    }
    assert.deepEqual(changes, ["here", "there"]);
  });

  it("are also kept after the end, and give its tasks their times", () => {
    const reading = aReading({
      state: "completed",
      tasks: [{ taskId: "draft", output: "Output.", executionTime: 3 }],
      usage: { total: 30 },
      trigger: { type: "user" },
      eventCounts: { total: 2 },
    });
    store.update(id, (execution) => applyReading(execution, reading, at(10)), task.slice(0, 1));
    store.update(id, same, task);
    const execution = store.find(id);
    assert.deepEqual(execution?.tasks[0]?.times, { worked: 9 });
    assert.deepEqual(
      [execution.usage, execution.trigger, execution.eventCounts],
      [{ total: 30 }, { type: "user" }, { total: 2 }],
    );
    assert.deepEqual(windows.open().find(id), execution);
    const summary = store.summary(id);
    assert.deepEqual([summary?.usage, summary?.tasks[0]?.times], [{ total: 30 }, { worked: 9 }]);
    assert.ok(!JSON.stringify(summary).includes("Output."), "lists don't read texts");
  });

  it("are at most 10,000: older calls become counts", () => {
    const many = Array.from({ length: 10_050 }, (_, number) => call(number));
    store.update(id, same, [...task, ...many]);
    store.update(id, same, many);
    const { events, folded } = store.events(id);
    assert.equal(events.length, 10_000);
    assert.deepEqual(folded, { llm_call_started: 26, llm_call_completed: 26 });
    assert.deepEqual(
      events.filter(({ type }) => type.startsWith("task")).map(({ id }) => id),
      ["t", "te"],
    );
    assert.equal(events.at(-1)?.id, "e10049");
  });
});
