import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { readEvent, readEvents } from "../../../src/api/read-events.ts";
import { readStatus } from "../../../src/api/read-status.ts";
import { projectFolder } from "../../support/folders.ts";

const recorded = readFileSync(
  path.join(projectFolder, "test/fixtures/events/recorded.ndjson"),
  "utf8",
)
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

describe("events", () => {
  it("have a thought, if it isn't crewAI's text for none", () => {
    const thoughtIn = (thought: string) =>
      readEvent({ type: "agent_logs_execution", timestamp: "2026-11-22T00:00:00Z", thought })
        ?.thought;
    assert.equal(thoughtIn("It is mild."), "It is mild.");
    assert.equal(thoughtIn("Failed to parse LLM response"), undefined);
  });

  it("of a recorded run have their IDs, times, names, tokens and texts", () => {
    const events = readEvents(recorded);
    assert.equal(events.length, 27);
    const byType = (type: string) => events.find((event) => event.type === type);
    assert.deepEqual(byType("llm_call_completed"), {
      id: "b6507ae6-6e25-4af6-8d4a-5461b6d47d81",
      type: "llm_call_completed",
      at: Date.parse("2026-11-22T00:01:23.999Z") + 0.53,
      parentId: "7fdaad4b-f05a-4e5f-8076-ce389bf2942d",
      startedId: "e30b51a1-8e88-4440-946a-94880c7f9282",
      callId: "6aca934f-6046-4b89-a4b3-e1e912124f5b",
      taskName: "research_task",
      taskId: "af454756-9daa-4749-aff3-b616205d8a83",
      agent: "Oslo researcher",
      model: "gpt-4o-mini",
      tokens: { total: 110, prompt: 100, completion: 10 },
      text: '[\n  {\n    "id": "call_1",\n    "function": {\n      "arguments": "\'{\\"city\\": \\"Oslo\\"}\'",\n      "name": "\'lookup\'"\n    },\n    "type": "function"\n  }\n]',
    });
    assert.match(
      byType("llm_call_started")?.arguments ?? "",
      /^system: You are Oslo researcher\.[^]*\n\nuser: Current Task: Research Oslo\n/,
    );
    const tool = byType("tool_usage_finished");
    const used = [tool?.tool, tool?.arguments, tool?.text];
    assert.deepEqual(used, ["lookup", '{\n  "city": "Oslo"\n}', "Oslo: 10 degrees"]);
    const agent = byType("agent_execution_completed");
    const ended = [agent?.agent, agent?.taskName, agent?.text];
    assert.deepEqual(ended, ["Oslo researcher", "research_task", "Oslo is lovely."]);
    assert.equal(byType("task_completed")?.text, "Oslo is lovely.");
    assert.deepEqual(byType("crew_kickoff_completed")?.tokens, { total: 330 });
    const [sent, kept] = [recorded, events].map((each) => JSON.stringify(each).length);
    assert.ok(kept! < sent! / 5, `${kept} of ${sent}: without whole agents and tasks`);
  });

  it("have the end of a long prompt", () => {
    const messages = [
      { role: "system", content: "You are a researcher. ".repeat(200) },
      { role: "assistant", content: null, tool_calls: [] },
      { role: "user", content: "Which teas?" },
    ];
    const event = { type: "llm_call_started", timestamp: "2026-11-22T00:00:00Z" };
    const prompt = readEvent({ ...event, messages })?.arguments ?? "";
    assert.equal(prompt.length, 2_000);
    assert.match(prompt, /You are a researcher\.\n\nuser: Which teas\?$/);
    assert.equal(readEvent({ ...event, messages: "Which teas?" })?.arguments, "Which teas?");
  });

  it("of an event stream have their members in `data`", () => {
    const [first] = recorded.filter(({ type }) => type === "task_started");
    const { type, timestamp, event_id: id, ...data } = first!;
    const streamed = { id, execution_id: "k1", timestamp, type, data };
    assert.deepEqual(readEvent(streamed), readEvent(first));
  });

  it("are read with other names of members, other times, and without an ID", () => {
    const at = Date.parse("2026-11-22T00:01:24.002Z");
    for (const timestamp of ["2026-11-22T00:01:24.002", "2026-11-22T01:01:24.002+01:00", at])
      assert.equal(readEvent({ type: "custom", timestamp })?.at, at, String(timestamp));
    const exact = readEvent({ type: "custom", timestamp: "2026-11-22T00:01:24.002460" });
    assert.equal(exact?.at, at + 0.46);
    assert.equal(readEvent({ type: "custom", timestamp: at / 1000 })?.at, at);
    const bare = { type: "llm_call_completed", timestamp: at, usage: { input_tokens: 7 } };
    const [read, ...more] = readEvents([bare, bare]);
    assert.deepEqual([read?.tokens, more.length], [{ total: 7, prompt: 7 }, 0]);
  });

  it("of a picture have it, wherever it is, and not its base64 as text", () => {
    const png = "iVBORw0KGgoAAAANSUhEUg==";
    const read = (data: object) =>
      readEvent({ id: "i", type: "image_generated", timestamp: 1_760_000_000, data });
    for (const data of [{ output: png }, { result: { b64: `data:image/png;base64,${png}` } }]) {
      assert.deepEqual(read(data)?.picture, { type: "png", base64: png });
      assert.equal(read(data)?.text, undefined);
    }
    assert.equal(read({ output: "PHN2Zz4=" })?.picture, undefined, "only what has no scripts");
  });

  it("without a type or a time, and parts of streamed texts, are left out", () => {
    const timestamp = "2026-11-22T00:01:24Z";
    const bad = [null, "text", 7, {}, { type: "a" }, { timestamp }, { type: "b", timestamp: "no" }];
    assert.deepEqual(readEvents([...bad, { type: "llm_stream_chunk", timestamp }]), []);
    assert.deepEqual(readEvents([{ type: "a", timestamp: 1e300 }]), []);
    for (const raw of [undefined, null, "x", {}]) assert.deepEqual(readEvents(raw), []);
  });

  it("keep the beginning of a long text", () => {
    const long = readEvent({ type: "a", timestamp: 1, output: "x".repeat(5_000), error: "e" });
    assert.deepEqual([long?.text?.length, long?.error], [2_000, "e"]);
  });

  it("come with a status answer, with tokens and what started the execution", () => {
    const { usage, trigger, events, eventCount, progress } = readStatus({
      state: "RUNNING",
      progress: { completed: 1, total: 2, started_at: "2026-11-22T00:01:22.9" },
      usage_metrics: { total_tokens: 330, prompt_tokens: 300, completion_tokens: 30 },
      events: recorded.slice(0, 3),
      last_event: recorded[3],
      events_count: 4,
      events_by_type: { default_env: 1, task_started: "many", llm_stream_chunk: 900 },
      triggered_by: { type: "service_account", id: 12 },
      execution_origin: "schedule",
    });
    assert.deepEqual(usage, { total: 330, prompt: 300, completion: 30 });
    const named = readStatus({ state: "SUCCESS", token_usage: { total_tokens: 5 } });
    assert.deepEqual(named.usage, { total: 5 });
    assert.deepEqual(trigger, { type: "service_account", id: "12", origin: "schedule" });
    assert.equal(events?.length, 4);
    assert.equal(eventCount, 1);
    assert.equal(progress?.startedAt, "2026-11-22T00:01:22.900Z");
  });

  it("are absent from an answer without them", () => {
    const names = ["usage_metrics", "events", "events_count", "events_by_type", "last_event"];
    const more = ["triggered_by", "execution_origin"];
    for (const value of [null, undefined, "x", [], {}]) {
      const answer = Object.fromEntries([...names, ...more].map((name) => [name, value]));
      const read = readStatus({ state: "RUNNING", ...answer });
      for (const name of ["usage", "events", "eventCount"]) assert.ok(!(name in read), name);
      if (value !== "x") assert.ok(!("trigger" in read));
    }
  });
});
