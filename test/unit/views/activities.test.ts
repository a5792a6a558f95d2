import assert from "node:assert/strict";
import { activityIn } from "../../../src/executions/activity.ts";
import { anExecution, at } from "../executions/samples.ts";
import { Windows } from "../executions/windows.ts";

describe("what happened in an execution", () => {
  let windows: Windows;
  beforeEach(() => (windows = new Windows()));
  afterEach(() => windows.close());

  it("is made once for each change of the execution or its events, in every window", () => {
    const execution = anExecution({ state: "running" });
    const here = windows.open();
    here.add(execution);
    const there = windows.open();
    const [first, other] = [activityIn(here, execution), activityIn(there, execution)];
    // As with each keystroke of the feedback, which changes only its draft.
    assert.equal(activityIn(here, execution), first);
    here.update(execution.localId, (same) => same, [
      { id: "x", type: "task_started", at: at(1), taskName: "draft" },
    ]);
    there.refresh();
    const kinds = activityIn(here, execution).spans.map(({ kind }) => kind);
    assert.deepEqual(kinds, ["crew", "queue", "task"]);
    assert.notEqual(activityIn(there, execution), other);
    here.update(execution.localId, (before) => ({ ...before, error: "It broke." }));
    assert.equal(activityIn(here, execution).spans[0]?.error, "It broke.");
  });
});
