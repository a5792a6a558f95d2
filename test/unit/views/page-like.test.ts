import assert from "node:assert/strict";
import type { Execution, StateChange } from "../../../src/executions/model.ts";
import { briefOf } from "../../../src/view/brief.ts";
import { headingsOf } from "../../../src/view/embed.ts";
import { leadingText } from "../../../src/view/markdown.ts";
import { elapsedText, formatSpan } from "../../../src/view/words.ts";
import { placeOfWaiting } from "../../../src/view/text.ts";
import { renderExecution } from "../../support/rendered.ts";
import { anExecution, aTask, notWaiting } from "./executions.ts";

const start = Date.parse("2026-10-21T12:00:00.000Z");
const linesOf = (text: string) => text.split("\n");

describe("The text of an execution", () => {
  it("marks the draft that waits, from its heading to its last line", () => {
    const execution = anExecution();
    const rendered = renderExecution(execution);
    const { first, last } = placeOfWaiting(execution, rendered) ?? {};
    assert.deepEqual(linesOf(rendered.text).slice(first, (last ?? 0) + 1), [
      "### Attempt 1",
      "",
      "#### Draft",
      "",
      "Text.",
    ]);
  });

  it("has headings that belong together, none of them from a code block", () => {
    const text = "# A\n\n```md\n# no\n````\n\n## B \\*c\\*\n~~~\n# no\n~~~\nend\n\n\n## C\n";
    assert.deepEqual(headingsOf(text), [
      { name: "A", level: 1, line: 0, end: 13 },
      { name: "B *c*", level: 2, line: 6, end: 10 },
      { name: "C", level: 2, line: 13, end: 13 },
    ]);
  });

  it("begins no heading, list or quote with a word of the crew", () => {
    const texts = ["# a", "- a", "+ a", "> a", "1. a", "2) a", "~~~", "| a |", "===", "* a"];
    assert.equal(
      texts.map(leadingText).join(", "),
      String.raw`\# a, \- a, \+ a, \> a, 1\. a, 2\) a, \~~~, \| a |, \===, \* a`,
    );
    assert.equal(leadingText("Running"), "Running");
  });
});

describe("the place of feedback", () => {
  const waiting = { taskId: "review", attempt: 2, since: "2026-10-21T12:01:00.000Z" };
  const drafts = [aTask("review", "waiting", { output: "First." }, { output: "Second." })];
  for (const [what, execution, line] of [
    ["the waiting output", anExecution(), "### Attempt 1"],
    ["below the rejected ones", anExecution({ tasks: drafts, waiting }), "### Attempt 2"],
    [
      "the task if its output is not shown",
      anExecution({ tasks: [aTask("review", "waiting")] }),
      "## Task: review",
    ],
    [
      "its own section if only the crew knows",
      notWaiting({ state: "unknown", mayBeWaiting: true }),
      "## It may be waiting for you",
    ],
    ["none if nothing waits", notWaiting(), undefined],
  ] as const)
    it(`is ${what}`, () => {
      const rendered = renderExecution(execution);
      const place = placeOfWaiting(execution, rendered);
      assert.equal(place && linesOf(rendered.text)[place.first], line);
    });
});

describe("times", () => {
  it("have two units at most", () => {
    assert.deepEqual(
      [0, 59, 60, 150, 3600, 3720, 90_000, 172_800].map((seconds) => formatSpan(seconds * 1000)),
      ["0 s", "59 s", "1 min", "2 min 30 s", "1 h", "1 h 2 min", "1 d 1 h", "2 d"],
    );
    assert.deepEqual(
      [0, 450, 2_449, 9_960, 24_400, 185_000].map((length) => formatSpan(length, "fine")),
      ["0 s", "450 ms", "2.4 s", "9.9 s", "24 s", "3 min 5 s"],
    );
  });

  it("change in steps on rows, stop at the end, and are omitted if unknown", () => {
    const timeOf = (changes: Partial<Execution>, now: number, history?: StateChange[]) => {
      const isInterrupted = history !== undefined;
      const execution = notWaiting({ ...changes, ...(history && { history }) });
      return elapsedText(briefOf(execution, { isInterrupted }).elapsed, now);
    };
    const endedAt = "2026-10-21T12:01:05.000Z";
    assert.equal(timeOf({}, start + 47_000), "40 s");
    assert.equal(timeOf({ state: "queued" }, start + 9_000), undefined);
    assert.equal(timeOf({}, start + 9e9, []), undefined, "interrupted before it had begun");
    assert.equal(timeOf({ state: "completed", endedAt }, start + 9e9), "1 min 5 s");
    const tracked = { state: "completed", endedAt, origin: "tracked" } as const;
    assert.equal(timeOf(tracked, start), undefined);
    assert.equal(timeOf({ state: "unconfirmed" }, start + 47_000), undefined);
  });
});
