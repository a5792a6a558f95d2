import assert from "node:assert/strict";
import { readPayload } from "../../../src/callbacks/payload.ts";

const at = Date.parse("2026-10-21T12:00:00Z");
const read = (body: unknown) => readPayload(body, "key", at);

describe("the payload of a callback", () => {
  it("of a task has its name, agent and output, as observed", () => {
    const { kind, kickoffId, report, events } = read({
      ...{ description: "Write about otters.", name: "write", expected_output: "A text" },
      ...{ summary: "Write about otters....", agent: "Writer", output: "# Otters\n\nText." },
      ...{ output_json: null, kickoff_id: "k1", meta: { a: 1 } },
    });
    assert.deepEqual([kind, kickoffId, events], ["task", "k1", []]);
    assert.deepEqual(report, {
      ...{ kind: "task", taskId: "write", output: "# Otters\n\nText.", agent: "Writer" },
    });
  });

  it("of a task has its ID and time in the older shape, and its JSON if there is no text", () => {
    const body = { kickoff_id: "k1", task_id: "t-1", status: "completed" };
    const said = { agent: { role: "Writer" }, output: "Text", execution_time: 12.5 };
    const task = { kind: "task", taskId: "t-1", output: "Text" };
    assert.deepEqual(read({ ...body, ...said }).report, {
      ...{ ...task, agent: "Writer", executionTime: 12.5 },
    });
    const { report } = read({ name: "write", output: "", output_json: { a: 1 } });
    assert.deepEqual(report, { kind: "task", taskId: "write", output: '{\n  "a": 1\n}' });
  });

  it("of a local flow's pause has what it asks", () => {
    const body = { kickoff_id: "k1", execution_id: "k1", task_id: "review", task_output: "Draft" };
    const asks = { message: "Right?", emit_options: ["yes", "no"], default_outcome: "no" };
    const pause = { kind: "pause", taskId: "review", output: "Draft" };
    assert.deepEqual(read({ ...body, ...asks }).report, {
      ...pause,
      ...{ message: "Right?", options: ["yes", "no"], defaultOption: "no" },
    });
    assert.deepEqual(read({ ...body, message: "Right?", emit_options: null }).report, {
      ...pause,
      ...{ message: "Right?", options: [] },
    });
  });

  it("of a pause has the task that waits and its output", () => {
    const body = { kickoff_id: "k1", execution_id: "k1", task_id: "7f0e", meta: null };
    const { kind, report } = read({ ...body, task_output: "# Draft" });
    const found = [kind, report];
    assert.deepEqual(found, ["pause", { kind: "pause", taskId: "7f0e", output: "# Draft" }]);
    assert.deepEqual(read({ ...body, task_output: "" }).report, { kind: "pause", taskId: "7f0e" });
    assert.deepEqual(read({ executionId: "k1", taskId: 7, taskOutput: "x" }).report, {
      kind: "pause",
      taskId: "7",
      output: "x",
    });
  });

  it("of the crew is a failure with an error, and none that belongs to a task ends the crew", () => {
    const { report } = read({ kickoff_id: "k1", result: null, error: "The model is overloaded." });
    assert.ok(report?.kind === "end");
    const end = [report.reading.state, report.reading.error];
    assert.deepEqual(end, ["failed", "The model is overloaded."]);
    const { kind, events } = read({ kickoff_id: "k1", task_id: "t-1", result: "Text" });
    assert.deepEqual([kind, events.length], ["other", 1]);
  });

  it("of the crew has the result, the tokens and, if it comes, the time", () => {
    const { kind, report } = read({
      ...{ kickoff_id: "k1", result: "The end.", result_json: { a: [1] }, meta: {} },
      token_usage: { total_tokens: 30, prompt_tokens: 20, completion_tokens: 10 },
      execution_time: 12.5,
    });
    assert.equal(kind, "crew");
    assert.ok(report?.kind === "end");
    const { state, output, usage, executionTime } = report.reading;
    assert.deepEqual([state, output, executionTime], ["completed", "The end.", 12.5]);
    assert.deepEqual(usage, { total: 30, prompt: 20, completion: 10 });
  });

  it("of a step is an event with thought, tool, arguments and result; also in the older shape", () => {
    const step = {
      ...{ prompt: "You are …", thought: "I look it up.", tool: "search" },
      ...{ tool_input: '{"q":"otters"}', result: "Otters are mammals." },
      ...{ kickoff_id: "k1", meta: null },
    };
    const event = { id: "key", type: "step", at };
    assert.equal(read(step).kind, "step");
    assert.deepEqual(read(step).events, [
      {
        ...{ ...event, tool: "search", thought: "I look it up." },
        ...{ arguments: '{"q":"otters"}', text: "Otters are mammals." },
      },
    ]);
    const older = { kickoff_id: "k1", task_id: "t-1", agent: "Writer" };
    assert.deepEqual(read({ ...older, step_type: "thought", content: "Hm." }).events, [
      { ...event, taskId: "t-1", agent: "Writer", name: "thought", text: "Hm." },
    ]);
  });

  it("of the event stream has all its events, with types that nobody knows", () => {
    const event = (second: number, type: string, data: object = {}) => ({
      ...{ id: `e${second}`, execution_id: "k1", type, data },
      timestamp: `2026-10-21T12:00:0${second}Z`,
    });
    const events = [
      event(2, "task_started", { task_name: "write", agent_role: "Writer" }),
      event(1, "brand_new"),
      event(3, "llm_stream_chunk", { chunk: "a" }),
    ];
    const { kind, events: found } = read({ events });
    assert.equal(kind, "events");
    const parts = found.map(({ id, type, taskName }) => [id, type, taskName]);
    assert.deepEqual(parts, [
      ["e2", "task_started", "write"],
      ["e1", "brand_new", undefined],
    ]);
    assert.deepEqual(read(events[0]).events, [found[0]], "one event alone");
  });

  it("that is unknown is an event with all of it", () => {
    for (const body of [{ event: "brand_new", a: 1 }, { b: [2] }, {}, [], "text", 7, null, true]) {
      const { kind, report, events } = read(body);
      assert.deepEqual([kind, report], ["other", undefined], JSON.stringify(body));
      const times = events.map(({ id, at: time }) => [id, time]);
      assert.deepEqual(times, [["key", at]]);
    }
    const [event] = read({ event: "brand_new", a: "$(zap) <b> \u001b[31m" }).events;
    assert.equal(event?.type, "brand_new");
    assert.match(event.text ?? "", /"a": "\$\(zap\) <b> \\u001b\[31m"/);
  });
});
