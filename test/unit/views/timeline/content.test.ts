import assert from "node:assert/strict";
import { activityOf } from "../../../../src/executions/activity.ts";
import { Sent, timelineContent } from "../../../../src/views/timeline/content.ts";
import { parseFromTimeline } from "../../../../src/views/timeline/parse.ts";
import { runningExecution, start } from "../../../support/timeline/samples.ts";
import { contentOf } from "./contents.ts";

describe("what the timeline's page gets", () => {
  it("is cut texts, and how many events are left out", () => {
    const { execution, events } = runningExecution(start + 20_000);
    const long = events.map((event) => ({ ...event, text: "x".repeat(2_000) }));
    const kept = { events: long, folded: { llm_call_started: 700, llm_call_completed: 500 } };
    const { spans, note } = timelineContent(execution, activityOf(execution, kept), start + 20_000);
    assert.equal(note, "Not shown: 1200 older events, because there are too many.");
    for (const { text = "" } of spans) assert.ok(text.length <= 602, `${text.length}`);
    assert.ok(spans.some(({ text }) => text?.endsWith("x …")));
  });

  it("is the last events that took no time, with how many are left out", () => {
    const { execution, events } = runningExecution(start + 20_000);
    const many = Array.from({ length: 230 }, (_, number) => ({
      id: `mark ${number}`,
      type: "quantum_leap",
      at: start + number,
      text: "x".repeat(2_000),
    }));
    const kept = { events: [...events, ...many], folded: {} };
    const [crew] = timelineContent(execution, activityOf(execution, kept), start + 20_000).spans;
    assert.equal(crew?.marks?.length, 200);
    assert.equal(crew.marks.at(-1)?.id, "mark 229");
    assert.equal(crew.earlierMarks, 30);
    assert.ok(crew.marks.every(({ text = "" }) => text.length <= 602));
  });

  it("is only what has changed", () => {
    const sent = new Sent();
    const content = contentOf("varied");
    assert.ok(sent.changesIn(content).spans.every((span) => typeof span !== "string"));
    const changed = {
      ...content,
      spans: content.spans.map((span) =>
        span.name === "research" ? { ...span, text: "!" } : span,
      ),
    };
    const { spans } = sent.changesIn(changed);
    assert.equal(spans.filter((span) => typeof span !== "string").length, 1);
    assert.equal(spans.length, content.spans.length);
    sent.clear();
    assert.ok(sent.changesIn(changed).spans.every((span) => typeof span !== "string"));
  });

  it("sends back only messages that are read", () => {
    const look = { localId: "1", closed: [], text: "", kinds: ["tool"], isWhole: false };
    assert.deepEqual(parseFromTimeline({ type: "look", look: { ...look, more: 1 } }), {
      type: "look",
      look,
    });
    for (const invalid of [
      undefined,
      { type: "run", command: "x" },
      { type: "reveal", localId: "1" },
      { type: "look", look: { ...look, kinds: ["bomb"] } },
      { type: "look", look: { ...look, zoom: { from: 0, to: Infinity } } },
    ])
      assert.equal(parseFromTimeline(invalid), undefined);
  });
});
