import assert from "node:assert/strict";
import {
  detailsOf,
  figuresOf,
  hintOf,
  markLines,
  nameOf,
  sentenceOf,
  timeText,
} from "../../../../src/views/timeline/labels.ts";
import type { Span } from "../../../../src/views/timeline/messages.ts";
import { contentOf } from "./contents.ts";

const { spans, now } = contentOf("varied");
const [crew] = spans;
const start = crew?.start ?? 0;
const find = (fits: (span: Span) => boolean): Span => {
  const found = spans.find(fits);
  assert.ok(found !== undefined);
  return found;
};
const named = (wanted: string) => find(({ name }) => name === wanted);
const waits = spans.filter(({ kind }) => kind === "wait");

describe("the texts of a timeline", () => {
  it("shorten counts of tokens", () => {
    assert.deepEqual(figuresOf(named("research"), now), [
      { name: "time", text: "20 s" },
      { name: "tokens", text: "7.5K" },
      { name: "cost", text: "" },
    ]);
  });

  it("call what tokens cost an estimate, beside the bar, in the sentence and in the tooltip", () => {
    // What gpt-5 used has no price.
    const priced = contentOf("varied", [{ pattern: "gpt-5-mini", input: 0.25, output: 2 }]).spans;
    const of = (name: string) => priced.find((span) => span.name === name);
    const research = of("research");
    assert.ok(research !== undefined);
    assert.deepEqual(figuresOf(research, now)[2], { name: "cost", text: "$0.0034" });
    assert.match(sentenceOf(research, start, now), /, estimated cost \$0\.0034/);
    const { facts } = detailsOf(research, start, now);
    assert.equal(new Map(facts).get("Est. cost"), "$0.0034");
    assert.equal(of("write")?.cost, undefined);
    assert.equal(of("Writers")?.cost, "$0.0093");
  });

  it("give a task the time that it worked, without its waits", () => {
    const outline = find(({ kind, name }) => kind === "task" && name === "outline");
    assert.equal(timeText(outline, now), "48 s");
    const { id, kind, depth, name, start: since } = outline;
    const pauses = [{ start: start + 48_000 }];
    const waits: Span = { id, kind, depth, name, start: since, state: "running", pauses };
    assert.equal(timeText(waits, start + 60_000), "27 s", "a wait that lasts is no work");
  });

  it("list events that took no time in the row's tooltip", () => {
    const agent = find(({ marks }) => marks !== undefined);
    const { marks = [], ...rest } = agent;
    assert.match(sentenceOf(agent, start, now), /, 2 events/);
    const list =
      "5.1 s · agent logs execution: Senior Researcher – I should search first, <i>then</i> read.\n" +
      "16 s · memory query error – No memory here.";
    assert.deepEqual(detailsOf(agent, start, now).blocks, [["Events", list]]);
    assert.equal(markLines(marks, start), list);
    const many = { ...rest, marks: Array.from({ length: 22 }, () => marks[1]!) };
    const events = detailsOf(many, start, now).blocks[0]?.[1] ?? "";
    assert.match(events, /^2 earlier ones\n16 s · memory/);
  });

  it("name attempts by number, and waits by what the person did", () => {
    const attempts = spans.filter(({ kind }) => kind === "attempt").map((span) => nameOf(span));
    assert.deepEqual(attempts, ["Attempt 1", "Attempt 2"]);
    const answers = waits.map((span) => nameOf(span));
    assert.deepEqual(answers, ["Rejected", "Approved"]);
    assert.deepEqual(waits.map(hintOf), ["Shorter, please.", undefined]);
    const [wait] = waits;
    assert.ok(wait !== undefined);
    const { id, kind, depth, name, start: since, text = "" } = wait;
    const running: Span = { id, kind, depth, name, start: since, text, state: "running" };
    assert.equal(nameOf(running), "Waiting for you");
    assert.equal(hintOf(running), undefined, "its text is the draft, until it ends");
  });

  it("say a row as a sentence, without its bar", () => {
    assert.equal(
      sentenceOf(named("web_search"), start, now),
      "Tool call web_search, Completed, took 4.2 s, started after 5.2 s, by Senior Researcher",
    );
    assert.equal(
      sentenceOf(named("read_page"), start, now),
      "Tool call read_page, Failed, took 700 ms, started after 14 s, by Senior Researcher, HTTP 404: the page is gone",
    );
    assert.match(
      sentenceOf({ ...named("research"), isSeen: true }, start, now),
      /^Task research, Completed, took about 20 s, started after 1 s, 7,502 tokens/,
    );
    assert.equal(timeText({ ...named("research"), isSeen: true }, now), "≈ 20 s");
    const rejected = { ...waits[0]!, agent: "Editor" };
    assert.match(
      sentenceOf(rejected, start, now),
      /^Rejected, took [^,]+, started after [^,]+$/,
      "a person did it, not the agent",
    );
    assert.equal(new Map(detailsOf(rejected, start, now).facts).get("Agent"), undefined);
  });

  it("tell in the tooltip times, tokens, model, arguments and the text as it came", () => {
    const tool = detailsOf(named("web_search"), start, now);
    assert.deepEqual(tool.blocks, [
      ["Arguments", '{"query": "tea in offices", "limit": 10}'],
      ["Text", "1. Tea rooms at work\n2. How to brew for forty people"],
    ]);
    const model = detailsOf(
      find(({ kind }) => kind === "model"),
      start,
      now,
    );
    assert.equal(model.title, "gpt-5-mini");
    const facts = new Map(model.facts);
    assert.equal(facts.get("Tokens"), "908 tokens (812 in, 96 out)");
    assert.equal(facts.get("Time"), "3.5 s");
    const from = facts.get("From") ?? "";
    assert.match(from, /^\d\d:\d\d:\d\d – \d\d:\d\d:\d\d \(started after 1\.5 s\)$/);
    assert.equal(facts.get("Agent"), "Senior Researcher");
    const asked = { ...find(({ kind }) => kind === "model"), arguments: "user: Which teas?" };
    const [prompt] = detailsOf(asked, start, now).blocks;
    assert.deepEqual(prompt, ["Prompt", "user: Which teas?"]);
  });
});
