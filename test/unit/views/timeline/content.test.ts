import assert from "node:assert/strict";
import * as v from "valibot";
import { activityOf, type KeptEvents } from "../../../../src/executions/activity.ts";
import type { Execution } from "../../../../src/executions/model.ts";
import { timelineContent } from "../../../../src/views/timeline/content.ts";
import { detailsOf, sentenceOf, timeText } from "../../../../src/views/timeline/labels.ts";
import { fromTimeline } from "../../../../src/views/timeline/messages.ts";
import {
  Events,
  runningExecution,
  start,
  variedExecution,
} from "../../../support/timeline/samples.ts";

const { execution, events } = runningExecution(start + 20_000);
/** What it gets of the running execution, at this time. */
const shownAt = (seconds: number, kept: Partial<KeptEvents> = {}, of: Partial<Execution> = {}) => {
  const now = { ...execution, ...of };
  const activity = activityOf(now, { events, left: 0, ...kept });
  return timelineContent(now, activity, start + seconds * 1000);
};

describe("what the timeline's page gets", () => {
  it("is cut and how many events are left out", () => {
    const long = events.map((event) => ({ ...event, text: "x".repeat(2_000) }));
    const left = 1_200;
    const { spans, note } = shownAt(20, { events: long, left });
    assert.equal(note, "Not shown: 1200 older events, because there are too many.");
    for (const { text = "" } of spans) assert.ok(text.length <= 602, `${text.length}`);
    assert.ok(spans.some(({ text }) => text?.endsWith("x …")));
  });

  it("says of what a wait is part of that it waits", () => {
    const asks = { id: "h", type: "human_feedback_requested", at: start + 19_000 };
    const asked = { events: [...events, { ...asks, taskName: "research" }] };
    const { spans } = shownAt(20, asked, { state: "waiting" });
    const outline = spans.map(({ depth, kind, state }) => `${"  ".repeat(depth)}${kind}: ${state}`);
    assert.deepEqual(outline.slice(0, 2), ["crew: waiting", "  task: waiting"]);
    assert.ok(outline.includes("    wait: running"), outline.join("\n"));
    const [, task] = spans;
    assert.ok(task !== undefined);
    assert.deepEqual(detailsOf(task, start, start + 20_000).facts[0], [
      "Kind",
      "Task, Waiting for you",
    ]);
    assert.match(sentenceOf(task, start, start + 20_000), /^Task research, Waiting for you, /);
  });

  it("ends where it was last seen, while nobody knows what it does", () => {
    const shown = (change: Partial<Execution>) => shownAt(3_600, {}, change).spans;
    const iso = (seconds: number) => new Date(start + seconds * 1000).toISOString();
    const doubted = { state: "unknown", mayBeWaiting: true } as const;
    const spans = shown({ ...doubted, history: [{ at: iso(25), ...doubted }] });
    const states = spans.map(({ kind, state, end = NaN }) => [kind, state, (end - start) / 1000]);
    assert.deepEqual(states, [
      ["crew", "unknown", 25],
      ["task", "unknown", 25],
      ["agent", "unknown", 25],
      ["model", "completed", 16],
      ["tool", "unknown", 25],
    ]);
    const late = [{ at: iso(3_000), notBefore: iso(30), ...doubted }];
    assert.equal(shown({ ...doubted, history: late })[0]?.end, start + 30_000);
    assert.equal(shown({ state: "unknown" })[0]?.end, undefined, "the crew still answers");
    const [, task] = spans;
    assert.ok(task !== undefined);
    const sentence = sentenceOf(task, start, start + 3_600_000);
    assert.match(sentence, /^Task research, State not known, for 13 s so far, /);
  });

  it("says of what a restart interrupted that it was, and what time it took", () => {
    const activity = activityOf(execution, { events, left: 0 });
    const { spans } = timelineContent(execution, activity, start + 3_600_000, {
      isInterrupted: true,
    });
    const [crew, task] = spans;
    assert.ok(task !== undefined);
    assert.deepEqual([crew?.state, task.state], ["interrupted", "interrupted"]);
    const sentence = sentenceOf(task, start, start + 3_600_000);
    assert.match(sentence, /^Task research, Interrupted, took \d+ s, /);
  });

  it("has the crew's time as the other views do, once it has ended", () => {
    const { execution, events } = variedExecution();
    const activity = activityOf(execution, { events, left: 0 });
    // The first event came a moment after the kickoff.
    const reported = { ...execution, executionTime: 186.2 };
    const [crew] = timelineContent(reported, activity, start).spans;
    assert.deepEqual(crew?.worked, { seconds: 186.2, isByCrew: true });
    const running = { ...reported, state: "running" as const };
    assert.equal(timelineContent(running, activity, start).spans[0]?.worked, undefined);
  });

  it("has the time of an attempt without the wait that it ended after", () => {
    const approved = new Events();
    approved.add("task", 1, 60, { taskName: "research", attempt: 1 });
    approved.add("human_feedback", 11, 58, { taskName: "research", attempt: 1 });
    const attempt = shownAt(60, { events: approved.all }).spans.find(
      ({ kind }) => kind === "attempt",
    );
    assert.equal(attempt && timeText(attempt, start + 60_000), "12 s");
  });

  it("sends back only messages that are read", () => {
    const reveal = { type: "reveal", localId: "1", spanId: "2", takesFocus: true };
    assert.deepEqual(v.parse(fromTimeline, { ...reveal, more: 1 }), reveal);
    for (const invalid of [
      undefined,
      { type: "run", command: "x" },
      { type: "reveal", localId: "1" },
      { type: "define", localId: "1", spanId: 2 },
    ])
      assert.ok(!v.is(fromTimeline, invalid));
  });
});
