import assert from "node:assert/strict";
import { asObject } from "../../../src/base/json.ts";
import type { TaskResult } from "../../../src/service/engine.ts";
import { readAnswer, type ApiAnswer } from "../../support/crew-api.ts";
import { waitFor } from "../../support/wait.ts";
import { crew, harness, inputs, openHarness, serve } from "./support.ts";

interface LiveStatus {
  readonly state: string;
  readonly status: string | null;
  readonly result: string | null;
  readonly progress: {
    readonly completed: number;
    readonly total: number;
    readonly remaining: number;
    readonly current: string | null;
    readonly unit: string;
  };
}

describe("service: the live dialect", () => {
  beforeEach(() => serve({ dialect: "live" }));

  const read = async (id: string) =>
    (await harness.request("GET", `/status/${id}`)).body as LiveStatus;
  const until = (id: string, state: string) =>
    waitFor(state, async () => (await read(id)).state === state);
  const resume = (body: object): Promise<ApiAnswer> => harness.request("POST", "/resume", body);
  /** Waits until a resume is accepted, since `NOT FOUND` does not mean that the task waits. */
  const approve = (id: string, isApprove: boolean) =>
    waitFor("a resume to be accepted", async () => {
      const answer = await resume({
        executionId: id,
        taskId: "draft",
        human_feedback: "feedback",
        is_approve: isApprove,
      });
      return answer.status === 200 && (answer.body as { kickoff_id: string }).kickoff_id;
    });

  it("answers NOT FOUND for an unknown id and while a task waits for a person", async () => {
    const unknown = await harness.request("GET", "/status/00000000-0000-4000-8000-000000000000");
    assert.equal(unknown.status, 200);
    const { state, status } = unknown.body as LiveStatus;
    assert.deepEqual([state, status], ["NOT FOUND", "Task not found or Invalid kickoff id"]);
    const id = await harness.kickoff();
    await until(id, "NOT FOUND");
    assert.deepEqual((await harness.request("GET", `/${id}/status`)).body, unknown.body);
  });

  it("answers a resume with a new id; every id of the execution works from then on", async () => {
    const first = await harness.kickoff();
    const second = await approve(first, false);
    assert.notEqual(second, first);
    const third = await approve(second, true);
    for (const id of [first, second, third]) await until(id, "SUCCESS");
    const { status, result, progress } = await read(second);
    assert.equal(status, null);
    assert.match(result ?? "", /attempt 1, rejected: feedback/);
    assert.deepEqual(
      { ...progress, started_at: 0, updated_at: 0, duration_seconds: 0 },
      {
        unit: "task",
        completed: 3,
        total: 3,
        remaining: 0,
        current: null,
        current_agent: null,
        started_at: 0,
        updated_at: 0,
        duration_seconds: 0,
      },
    );
  });

  it("goes through PENDING, STARTED and RUNNING", async () => {
    const runs: (() => void)[] = [];
    const engine = {
      name: "held",
      run: () => new Promise<TaskResult>((resolve) => runs.push(() => resolve({ output: "done" }))),
    };
    const release = () =>
      waitFor("a task to run", () => runs.length > 0 && (runs.shift()?.(), true));
    openHarness({ dialect: "live", engine });
    const id = await harness.kickoff();
    const pending = await read(id);
    assert.deepEqual(
      [pending.state, pending.status, pending.progress.current],
      ["PENDING", "Task is Pending", "research"],
    );
    await harness.start();
    await until(id, "STARTED");
    await release();
    await until(id, "RUNNING");
    const running = await read(id);
    assert.deepEqual(
      [running.status, running.progress.completed, running.progress.current],
      ["Task is Running", 1, "draft"],
    );
    await release();
    await until(id, "NOT FOUND");
  });

  it("counts no tasks while only Python knows them, and neither does the documented one", async () => {
    const ofStart = async (dialect: "live" | "documented") => {
      openHarness({ dialect, project: { ...crew, tasks: [] } });
      const { status, body } = await harness.request("GET", `/${await harness.kickoff()}/status`);
      assert.equal(status, 200, JSON.stringify(body));
      return asObject(body);
    };
    const live = await ofStart("live");
    const { completed, total, remaining, current, current_agent } = asObject(live["progress"]);
    assert.deepEqual(
      [live["state"], live["status"], completed, total, remaining, current, current_agent],
      ["PENDING", "Task is Pending", 0, null, null, null, null],
    );
    const { status, queued, current_task, progress, tasks } = await ofStart("documented");
    assert.deepEqual(
      [status, queued, current_task, progress, tasks],
      ["running", true, "", { completed_tasks: 0 }, undefined],
    );
  });

  it("reports a failure in `status`", async () => {
    const id = await harness.kickoff({ inputs: { ...inputs, topic: "[rehearse failure]" } });
    await until(id, "FAILED");
    assert.match((await read(id)).status ?? "", /failed because its description/);
  });

  it("says “Field required” for members that are missing in either casing", async () => {
    const { status, body } = await resume({ task_id: "draft", isApprove: true });
    assert.deepEqual(
      [status, body],
      [
        422,
        {
          detail: [
            { loc: ["body", "executionId"], msg: "Field required", type: "missing" },
            { loc: ["body", "humanFeedback"], msg: "Field required", type: "missing" },
          ],
        },
      ],
    );
  });

  it("accepts a resume as soon as a status has shown the pause after a rejected draft", async () => {
    const id = await harness.kickoff();
    await until(id, "NOT FOUND");
    const body = { executionId: id, taskId: "draft", humanFeedback: "x" };
    assert.equal((await resume({ ...body, isApprove: false })).status, 200);
    await until(id, "NOT FOUND");
    assert.equal((await resume({ ...body, isApprove: true })).status, 200);
  });

  it("shows the meta of the kickoff with the last task", async () => {
    const meta = { ticket: 7 };
    const id = await harness.kickoff({ inputs, meta });
    await until(id, "NOT FOUND");
    await resume({ executionId: id, taskId: "draft", humanFeedback: "", isApprove: true });
    await until(id, "SUCCESS");
    const { body } = await harness.request("GET", `/status/${id}`);
    const { last_executed_task: last } = body as { last_executed_task: Record<string, unknown> };
    assert.deepEqual([last["name"], last["meta"]], ["polish", meta]);
  });

  it("has the error bodies of deployed crews", async () => {
    const kickoff = (body: unknown) => harness.request("POST", "/kickoff", body);
    const wrong = { Authorization: "Bearer x" };
    const early = { executionId: await harness.kickoff(), taskId: "polish" };
    const missing = { detail: "Missing inputs: audience, topic" };
    const notPending = { detail: "Execution is not in pending human input state" };
    const credentials = { detail: "Invalid or missing authentication credentials" };
    const noToken = await readAnswer(await harness.app.request("/inputs"));
    const answers: [string, ApiAnswer, number, unknown][] = [
      ["no token", noToken, 401, { detail: "Not authenticated" }],
      ["wrong token", await harness.request("GET", "/inputs", undefined, wrong), 401, credentials],
      ["route", await harness.request("GET", "/nothing"), 404, { detail: "Not Found" }],
      ["inputs", await kickoff({ inputs: {} }), 422, missing],
      ["bare body", await kickoff(inputs), 422, missing],
      ["empty body", await kickoff({}), 422, missing],
      ["not JSON", await kickoff("{"), 500, "Internal Server Error"],
      [
        "not pending",
        await resume({ ...early, humanFeedback: "", isApprove: true }),
        400,
        notPending,
      ],
    ];
    for (const [name, answer, status, body] of answers)
      assert.deepEqual([answer.status, answer.body], [status, body], name);
  });
});
