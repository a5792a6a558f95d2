import assert from "node:assert/strict";
import type { ActivityEvent } from "../../../src/api/types.ts";
import type { Execution } from "../../../src/executions/model.ts";
import type { ExecutionStore } from "../../../src/executions/store.ts";
import { anExecution, aReading, at, read } from "./samples.ts";
import { Windows } from "./windows.ts";
import { activityIn } from "../../../src/executions/activity.ts";

const id = anExecution().localId;
const same = (execution: Execution) => execution;
const callTypes = [
  "llm_call_started",
  "llm_call_completed",
  "tool_usage_started",
  "tool_usage_finished",
] as const;
const call = (number: number): ActivityEvent => ({
  id: `e${number}`,
  type: callTypes[number % 4] ?? "",
  at: at(number),
});
const task: readonly ActivityEvent[] = [
  { id: "t", type: "task_started", at: at(0), taskName: "draft" },
  { id: "te", type: "task_completed", at: at(9), startedId: "t", text: "Output." },
];

describe("events of an execution", () => {
  let windows: Windows;
  const report = (events: readonly ActivityEvent[]) => store.update(id, same, events);
  let store: ExecutionStore;
  beforeEach(() => {
    windows = new Windows();
    store = windows.open();
    store.add(anExecution());
  });

  it("are kept with it once, whatever comes again, and deleted with it", () => {
    report(task.slice(0, 1));
    report(task);
    const shorter = { id: "te", type: "task_completed", at: at(9), startedId: "t" };
    report([shorter]);
    const again = windows.open();
    assert.deepEqual(again.events(id), { events: task, left: 0 });
    again.remove(id);
    assert.deepEqual(store.events(id), { events: [], left: 0 });
  });

  it("have their picture in the store alone", () => {
    const event = { id: "i", type: "image_generated", at: at(1) };
    report([{ ...event, picture: { type: "png", base64: "iVBORw0KGgo=" } }]);
    assert.deepEqual(store.events(id).events, [{ ...event, picture: { type: "png" } }]);
    assert.deepEqual(store.picture(id, "i"), { type: "png", base64: "iVBORw0KGgo=" });
    assert.equal(store.picture(id, "another"), undefined);
  });

  it("that are new are news in all windows; repeats are not", () => {
    const other = windows.open();
    const changes: string[] = [];
    store.onDidChange(({ changed }) => changed.forEach(() => changes.push("here")));
    other.onDidChange(({ changed }) => changed.forEach(() => changes.push("there")));
    for (let times = 0; times < 3; times++) {
      report(task);
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
      eventCount: 2,
    });
    store.update(id, (execution) => read(execution, reading, 10), task.slice(0, 1));
    report(task);
    const execution = store.find(id);
    assert.deepEqual(execution?.tasks[0]?.times, { worked: 9 });
    const { usage, trigger, eventCount } = reading;
    assert.partialDeepStrictEqual(execution, { usage, trigger, eventCount });
    assert.deepEqual(windows.open().find(id), execution);
    const summary = store.summary(id);
    assert.deepEqual([summary?.usage, summary?.tasks[0]?.times], [{ total: 30 }, undefined]);
    assert.ok(!JSON.stringify(summary).includes("Output."), "lists don't read texts");
  });

  it("are at most 10,000: older calls become counts", () => {
    const many = Array.from({ length: 10_050 }, (_, number) => call(number));
    report([...task, ...many]);
    report(many);
    const { events, left } = store.events(id);
    assert.ok(events.length <= 10_000 && events.length > 9_700, String(events.length));
    assert.equal(left, 10_052 - events.length, "none is lost");
    const tasks = events.filter(({ type }) => type.startsWith("task"));
    const ids = Array.from(tasks, ({ id }) => id);
    assert.deepEqual(ids, ["t", "te"]);
    assert.equal(events.at(-1)?.id, "e10049");
  });

  it("that a crew only counted are counts, too", () => {
    store.update(id, (now) => ({ ...now, eventCount: 9 }), [...task, call(0), call(4)]);
    assert.equal(store.events(id).left, 5);
  });

  it("are made to an activity once for each change of the execution or its events, in every window", () => {
    const there = windows.open();
    const activities = () => [store, there].map((each) => activityIn(each, anExecution()));
    const [first, other] = activities();
    // As with each keystroke of the feedback, which changes only its draft.
    assert.equal(activities()[0], first);
    report([{ id: "x", type: "task_started", at: at(1), taskName: "draft" }]);
    there.refresh();
    const kinds = activities()[0]?.spans.map(({ kind }) => kind);
    assert.deepEqual(kinds, ["crew", "queue", "task"]);
    assert.notEqual(activities()[1], other);
    store.update(id, (before) => ({ ...before, error: "It broke." }));
    assert.equal(activities()[0]?.spans[0]?.error, "It broke.");
  });
});
