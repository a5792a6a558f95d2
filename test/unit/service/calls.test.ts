import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { asArray, asObject } from "../../../src/base/json.ts";
import { addCall, type Call } from "../../../src/service/calls.ts";
import { rehearsalEngine, type Engine } from "../../../src/service/engine.ts";
import { harness, inputs, messageOf, serve } from "./support.ts";

function call(request: string, more: object = {}): Call {
  return {
    ...{ kind: "model", name: "responses", key: request, at: Date.UTC(2026, 1, 3), seconds: 1 },
    ...{ request: { model: "m", input: request }, response: "Yes", isCut: false },
    ...{ crewai: "1.15.30", variables: { MODEL: "m" }, model: "m" },
    ...{ status: 200, ...more },
  };
}

const done = (): Promise<void> => Promise.resolve();

/** Makes calls at the first task, each time it begins. */
function engineWith(calls: readonly Call[], end = done) {
  const engine: Engine = {
    ...rehearsalEngine(0),
    costsMoney: true,
    async run({ taskIndex }, report) {
      await report.begin();
      if (taskIndex === 0) for (const each of calls) await report.call(each);
      await end();
      return { output: "Done" };
    },
  };
  return engine;
}

async function recordingOf(id: string): Promise<readonly unknown[]> {
  const { body } = await harness.request("GET", `/executions/${id}/recording`);
  return String(body)
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
}

describe("service: calls of an execution", () => {
  it("are listed without their texts, read whole, and hidden from another user", async () => {
    const error = "Reset".repeat(1000);
    await serve({ engine: engineWith([call("A"), call("B", { isCut: true, error })]) });
    const id = await harness.kickoff({ inputs });
    await harness.untilWaiting(id);
    const common = {
      task_id: "research",
      attempt: 1,
      kind: "model",
      name: "responses",
      model: "m",
    };
    const at = { at: "2026-02-03T00:00:00.000Z", seconds: 1, status: 200 };
    assert.deepEqual((await harness.request("GET", `/executions/${id}/calls`)).body, {
      calls: [
        { number: 1, ...common, ...at },
        { number: 2, ...common, ...at, error: error.slice(0, 2000), is_cut: true },
      ],
    });
    const { body } = await harness.request("GET", `/executions/${id}/calls/1`);
    assert.deepEqual(body, call("A"));
    for (const path of ["calls", "calls/1", "recording"]) {
      const other = { Authorization: "Bearer U" };
      const address = `/executions/${id}/${path}`;
      assert.equal((await harness.request("GET", address, undefined, other)).status, 403);
    }
    assert.equal((await harness.request("GET", `/executions/${id}/calls/x`)).status, 404);
  });

  it("are recorded with the lines of their texts, but for what a replay can't use", async () => {
    const text = 'One "line"\nand two\n';
    const unfit = [{ isCut: true }, { status: 429 }, { status: 503 }, { status: undefined }];
    // It began before the others.
    const tool = call("C", { kind: "tool", at: 0, request: { lines: 2 }, keys: ["A_KEY"] });
    const kept = [call(text, { id: "x" }), call("B", { status: 404 }), tool];
    const calls = [...kept, ...unfit.map((more) => call("D", more))];
    await serve({ engine: engineWith(calls) });
    const id = await harness.kickoff({ inputs });
    await harness.untilWaiting(id);
    const [head, began, first, ...rest] = await recordingOf(id);
    const known = { crewai: "1.15.30", variables: { MODEL: "m" }, keys: ["A_KEY"] };
    assert.deepEqual(head, { recording: 1, ...known, left_out: 4 });
    assert.deepEqual(asObject(began)["request"], { lines: [2] });
    assert.deepEqual(first, {
      ...{ at: ["research", 1], kind: "model", name: "responses", key: { lines: 3 } },
      ...{ request: { model: "m", input: { lines: 3 } }, status: 200, response: "Yes" },
    });
    const lines = text.split("\n");
    assert.deepEqual(rest.slice(0, 6), [...lines, ...lines]);
    assert.deepEqual(
      rest.slice(6).map((each) => asObject(each)["key"]),
      ["B"],
    );
  });

  it("count once in a recording if their attempt was made again", async () => {
    let failures = 0;
    const failOnce = () => ((failures += 1) === 1 ? Promise.reject(new Error("No")) : done());
    await serve({ engine: engineWith([call("A")], failOnce) });
    const id = await harness.kickoff({ inputs });
    await harness.untilWaiting(id);
    const { calls } = asObject((await harness.request("GET", `/executions/${id}/calls`)).body);
    assert.equal((calls as unknown[]).length, 2);
    const [, ...recorded] = await recordingOf(id);
    assert.deepEqual(
      recorded.map((each) => asObject(each)["key"]),
      ["A"],
    );
  });

  it("keep no texts beyond 20 MB, and say so", async () => {
    const random = randomBytes(4_000_000).toString("base64");
    await serve({ engine: engineWith([call(random), call(random), call("small")]) });
    const id = await harness.kickoff({ inputs });
    await harness.untilWaiting(id);
    const { body } = await harness.request("GET", `/executions/${id}/calls`);
    const dropped = (asObject(body)["calls"] as object[]).map((each) => "is_dropped" in each);
    assert.deepEqual(dropped, [false, true, false]);
    assert.equal((await harness.request("GET", `/executions/${id}/calls/2`)).status, 404);
  });

  it("are kept once if their change is made again, as after a lost connection", async () => {
    await serve();
    const executionId = await harness.kickoffUntilWaiting();
    const place = { executionId, taskId: "research", attempt: 1, state: "running", begin: "a" };
    for (const ordinal of [1, 1, 2])
      await harness.database.transaction(() => addCall({ ...place, ordinal }, call("A")));
    const { body } = await harness.request("GET", `/executions/${executionId}/calls`);
    assert.deepEqual(
      asArray(asObject(body)["calls"]).map((each) => asObject(each)["number"]),
      [1, 2],
    );
  });

  it("are answered by a recording, which the status names", async () => {
    await serve({ engine: engineWith([]) });
    const id = await harness.kickoff({ inputs, replay: { file: "a.recording.jsonl" } });
    const { body } = await harness.request("GET", `/${id}/status`);
    assert.equal(asObject(body)["recording"], "a.recording.jsonl");
  });

  it("can't be replayed in a rehearsal", async () => {
    await serve();
    const body = { inputs, replay: { file: "a.recording.jsonl" } };
    const answer = await harness.request("POST", "/kickoff", body);
    assert.equal(answer.status, 400);
    assert.match(messageOf(answer), /nothing to replay/);
  });
});
