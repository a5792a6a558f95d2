import assert from "node:assert/strict";
import type { ActivityEvent } from "../../../src/api/types.ts";
import type { Execution } from "../../../src/executions/model.ts";
import { activityOf } from "../../../src/executions/activity.ts";
import { withTimes } from "../../../src/executions/times.ts";
import { taskBrief } from "../../../src/view/brief.ts";
import { timelineContent } from "../../../src/views/timeline/content.ts";
import { detailsOf } from "../../../src/views/timeline/labels.ts";
import { anExecution, at } from "../executions/samples.ts";

describe("the time of a task", () => {
  const attempts = [{ number: 1 }, { number: 2 }];
  /** What a task's row, page and text say, and then its row in the timeline. */
  const shownFor = (execution: Execution, events: readonly ActivityEvent[] = []) => {
    const activity = activityOf(execution, { events, left: 0 });
    const { spans } = timelineContent(execution, activity, at(90));
    const span = spans.find(({ kind }) => kind === "task");
    const facts = new Map(span && detailsOf(span, at(0), at(90)).facts);
    const { facts: brief } = taskBrief(execution.tasks[0]!, execution, {});
    return [...brief, facts.get("Time"), facts.get("Waited")];
  };

  it("and of its waits for a person is the same in the timeline as elsewhere", () => {
    const event = (id: string, type: string, seconds: number, more = {}): ActivityEvent => ({
      ...{ id, type, at: at(seconds), taskName: "review" },
      ...more,
    });
    const events = [
      event("t1", "task_started", 0, { attempt: 1 }),
      event("t1e", "task_paused", 5.5, { startedId: "t1" }),
      event("w1", "human_feedback_requested", 6, { attempt: 1 }),
      event("w1e", "human_feedback_received", 76.2, { startedId: "w1" }),
      event("t2", "task_started", 77, { attempt: 2 }),
      event("t2p", "task_paused", 78.25, { startedId: "t2" }),
      event("w2", "human_feedback_requested", 78.25, { attempt: 2 }),
      event("w2e", "human_feedback_received", 98.25, { startedId: "w2" }),
      // With what a local crew does once the output is approved.
      event("t2e", "task_completed", 99, { startedId: "t2" }),
    ];
    const task = { taskId: "review", state: "completed", attempts } as const;
    const kept = { events, left: 0 };
    const running = anExecution({ state: "running", tasks: [task] });
    const execution = withTimes(running, activityOf(running, kept));
    const waited = "1 min 30 s";
    const shown = ["7.5 s", `waited for you: ${waited}`, "7.5 s", waited];
    assert.deepEqual(shownFor(execution, events), shown);
  });

  it("is that of the pauses that were seen, if the crew tells no events", () => {
    const task = { taskId: "review", state: "running", attempts } as const;
    const time = (seconds: number) => new Date(at(seconds)).toISOString();
    const history = [
      { at: time(10), state: "waiting", taskId: "review", attempt: 1 },
      { at: time(75), state: "running", taskId: "review" },
      { at: time(80), state: "waiting", taskId: "review", attempt: 2 },
    ] as const;
    const execution = anExecution({ state: "waiting", tasks: [task], history });
    const shown = ["waited for you: about 1 min 5 s", "about 5 s", "about 1 min 5 s"];
    assert.deepEqual(shownFor(execution), shown);
    const waits = { ...execution, tasks: [{ ...task, state: "waiting" as const }] };
    assert.deepEqual(taskBrief(waits.tasks[0]!, waits, {}).facts, [], "“Waiting for you” says it");
  });
});
