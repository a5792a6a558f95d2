import assert from "node:assert/strict";
import { readStatus } from "../../../src/api/read-status.ts";
import type { StatusReading } from "../../../src/api/types.ts";

/** Members that a reading must have; undefined for one that must be absent. */
type Expected = { readonly [Name in keyof StatusReading]?: StatusReading[Name] | undefined };

describe("a status answer", () => {
  describe("its state", () => {
    const texts: Readonly<Record<string, readonly string[]>> = {
      queued: ["pending", "PENDING", "queued"],
      running: [
        "started",
        "STARTED",
        "running",
        "RUNNING",
        "retry",
        "retrying",
        "resumed",
        "thinking",
      ],
      awaiting: [
        "PAUSED",
        "Pending Human Input",
        "pending_human_input",
        "awaiting_human_feedback",
        "awaiting human feedback",
        "waiting-input",
        "human_input_requested",
        "Human Input Requested",
      ],
      completed: ["success", "SUCCESS", "completed", "complete", "done", "finished"],
      failed: ["failed", "FAILED", "FAILURE", "error", "errored"],
      stopped: ["revoked", "REVOKED", "stopped", "cancelled", "canceled"],
      unknown: ["NOT FOUND", "not_found", "Not-Found"],
      other: ["dreaming", "not really found"],
    };
    it("is queued if the local service says so", () => {
      const progress = { completed_tasks: 0, total_tasks: 2 };
      const answer = { status: "running", current_task: "research", progress, queued: true };
      assert.equal(readStatus(answer).state, "queued");
      assert.equal(readStatus({ ...answer, queued: false }).state, "running");
    });

    for (const [state, list] of Object.entries(texts)) {
      for (const text of list) {
        it(`"${text}" means ${state}, in either dialect`, () => {
          const ended = ["completed", "failed", "stopped"].includes(state);
          for (const raw of [{ status: text }, { state: text, status: "Task is Running" }]) {
            const { state: read, stateText, ended: over } = readStatus(raw);
            assert.deepEqual(
              { read, stateText, over },
              { read: state, stateText: text, over: ended },
            );
          }
        });
      }
    }

    it("is never taken from `status` if there is a `state`", () => {
      assert.equal(readStatus({ state: "RUNNING", status: "completed" }).state, "running");
      assert.equal(readStatus({ state: "SUCCESS", status: null }).state, "completed");
      assert.equal(readStatus({ state: "whatever", status: "error" }).state, "other");
    });

    it("is taken from `status` if `state` is null", () => {
      assert.equal(readStatus({ state: null, status: "running" }).state, "running");
    });
  });

  const table: readonly (readonly [what: string, raw: unknown, expected: Expected])[] = [
    [
      "documented: running",
      {
        status: "running",
        current_task: "research_task",
        progress: { completed_tasks: 1, total_tasks: 3 },
      },
      {
        state: "running",
        progress: { completed: 1, total: 3, unit: "task", current: "research_task" },
        tasks: [],
      },
    ],
    [
      "documented: completed",
      {
        status: "completed",
        result: {
          output: "Itinerary",
          tasks: [
            {
              task_id: "research_task",
              output: "Findings",
              agent: "Researcher",
              execution_time: 45.2,
            },
          ],
        },
        execution_time: 108.5,
      },
      {
        state: "completed",
        ended: true,
        output: "Itinerary",
        tasks: [
          { taskId: "research_task", output: "Findings", agent: "Researcher", executionTime: 45.2 },
        ],
        executionTime: 108.5,
      },
    ],
    [
      "documented: error",
      { status: "error", error: "Invalid API key", execution_time: 23.1 },
      { state: "failed", error: "Invalid API key", executionTime: 23.1 },
    ],
    [
      "documented: waiting, as the local service says it",
      {
        status: "running",
        current_task: "t",
        progress: { completed_tasks: 0, total_tasks: 2 },
        pending_human_input: { task_id: "t", task_output: "Draft", attempt: 2 },
      },
      { state: "waiting", waiting: { taskId: "t", output: "Draft", attempt: 2 }, ended: false },
    ],
    [
      "live: running",
      {
        state: "RUNNING",
        status: "Task is Running",
        result: null,
        progress: {
          unit: "task",
          completed: 1,
          total: 4,
          remaining: 3,
          current: "write",
          current_agent: "Writer",
          duration_seconds: 12.5,
        },
      },
      {
        state: "running",
        progress: {
          completed: 1,
          total: 4,
          unit: "task",
          current: "write",
        },
        executionTime: 12.5,
        output: undefined,
        error: undefined,
      },
    ],
    [
      "live: a flow has steps and no total",
      { state: "STARTED", progress: { unit: "step", completed: 2, total: null } },
      { progress: { completed: 2, unit: "step" } },
    ],
    [
      "live: success with text and JSON",
      { state: "SUCCESS", status: null, result: "Text", result_json: { a: 1 } },
      { state: "completed", output: "Text", error: undefined },
    ],
    [
      "live: JSON inside a text",
      { state: "SUCCESS", result: null, result_json: '{"a":1}' },
      { output: '{\n  "a": 1\n}' },
    ],
    [
      "live: JSON alone",
      { state: "SUCCESS", result: null, result_json: { a: 1 } },
      { output: '{\n  "a": 1\n}' },
    ],
    [
      "live: only the last task's output, fences and all",
      {
        state: "SUCCESS",
        result: null,
        result_json: null,
        last_executed_task: { name: "write", output: '```json\n{"a":1}\n```', agent: "Writer" },
      },
      {
        output: '```json\n{"a":1}\n```',
        tasks: [{ taskId: "write", output: '```json\n{"a":1}\n```', agent: "Writer" }],
      },
    ],
    [
      "live: the last task's output is not the end while it runs",
      { state: "RUNNING", last_executed_task: { task_id: "a", output: "First" } },
      { output: undefined, tasks: [{ taskId: "a", output: "First" }] },
    ],
    [
      "live: failure keeps the exception in status",
      { state: "FAILED", status: "KeyError: 'x'", result: null },
      { state: "failed", error: "KeyError: 'x'" },
    ],
    [
      "live: revoked",
      { state: "REVOKED", status: "terminated" },
      { state: "stopped", ended: true, error: "terminated" },
    ],
    [
      "live: not found",
      { state: "NOT FOUND", status: "Task not found" },
      { state: "unknown", ended: false, error: undefined, waiting: undefined },
    ],
    [
      "an output that is an object",
      { status: "completed", result: { output: { a: [1] } } },
      { output: '{\n  "a": [\n    1\n  ]\n}' },
    ],
    [
      "a result object of other names",
      { status: "completed", result: { plan: "x" } },
      { output: '{\n  "plan": "x"\n}' },
    ],
    ["a result that is a number", { status: "completed", result: 0 }, { output: "0" }],
    [
      "an empty result",
      { status: "completed", result: "", result_json: null },
      { output: undefined },
    ],
    ["an output beside the status", { status: "completed", output: "Text" }, { output: "Text" }],
    [
      "crewAI's own result",
      {
        status: "completed",
        result: { raw: "R", json_dict: { a: 1 }, tasks_output: [{ name: "t", raw: "O" }] },
      },
      { output: "R", tasks: [{ taskId: "t", output: "O" }] },
    ],
    [
      "tasks without ids, and one twice",
      {
        status: "completed",
        result: { tasks: [{ output: "1" }, { task_id: "x" }, { task_id: "x" }, "?"] },
      },
      { tasks: [{ taskId: "task_1", output: "1" }, { taskId: "x" }, { taskId: "task_4" }] },
    ],
    [
      "a current task alone",
      { status: "running", current_task: "t" },
      { progress: { completed: 0, unit: "task", current: "t" } },
    ],
    [
      "nonsense in progress",
      { status: "running", progress: { completed_tasks: -1, total_tasks: "3" } },
      { progress: undefined },
    ],
    [
      "an error that is an object",
      { status: "failed", error: { message: "No quota", code: 7 } },
      { error: "No quota" },
    ],
    [
      "an error that only has a message",
      { status: "failed", message: "No quota" },
      { error: "No quota" },
    ],
    [
      "an error of null on success",
      { status: "completed", error: null, result: "ok" },
      { error: undefined, output: "ok" },
    ],
    [
      "a pause with its task under another name",
      { state: "PAUSED", pending_task: { task_id: "t", output: "Draft" } },
      { state: "waiting", waiting: { taskId: "t", output: "Draft" } },
    ],
    [
      "a flow's question, as the local service says it",
      {
        status: "running",
        pending_human_input: {
          ...{ task_id: "review", task_output: "Draft", attempt: 1, message: "Is it right?" },
          ...{ emit_options: ["publish", "revise"], default_outcome: "revise" },
        },
      },
      {
        state: "waiting",
        waiting: {
          ...{ taskId: "review", output: "Draft", attempt: 1, message: "Is it right?" },
          ...{ options: ["publish", "revise"], defaultOption: "revise" },
        },
      },
    ],
    [
      "a question that any text answers",
      {
        status: "running",
        pending_human_input: { task_id: "t", message: "Right?", emit_options: null },
      },
      { state: "waiting", waiting: { taskId: "t", message: "Right?", options: [] } },
    ],
    [
      "a crew's output beside options that are null",
      { state: "PAUSED", pending_human_input: { task_id: "t", emit_options: null } },
      { state: "waiting", waiting: { taskId: "t" } },
    ],
    [
      "options of other types, repeated, and a default that is none of them",
      {
        state: "PAUSED",
        pending_human_input: {
          ...{ task_id: "t", emitOptions: ["yes", 5, null, "", " ", "yes", "no"] },
          default_outcome: "maybe",
        },
      },
      { state: "waiting", waiting: { taskId: "t", options: ["yes", "no"] } },
    ],
    [
      "a pause with a human_input object",
      { state: "paused", human_input: { taskId: 17, task_output: "D" } },
      { state: "waiting", waiting: { taskId: "17", output: "D" } },
    ],
    [
      "a pause with the task beside the state",
      { status: "awaiting_human_feedback", task_id: "t", task_output: "D" },
      { state: "waiting", waiting: { taskId: "t", output: "D" } },
    ],
    [
      "a pause with a list",
      { state: "PAUSED", pending_human_input: [{ task_id: "a" }, { task_id: "b" }] },
      { state: "waiting", waiting: { taskId: "a" } },
    ],
    [
      "a pause said by a flag",
      { status: "running", pending_human_input: true, task_id: "t" },
      { state: "waiting", waiting: { taskId: "t" } },
    ],
    [
      "a pause with the last task's id",
      { state: "PAUSED", last_executed_task: { task_id: "t", output: "D" } },
      { state: "waiting", waiting: { taskId: "t", output: "D" } },
    ],
    [
      "a pause whose task is not named",
      { state: "PAUSED" },
      { state: "awaiting", waiting: undefined, ended: false },
    ],
    [
      "pending input without a task",
      { status: "running", pending_human_input: {} },
      { state: "awaiting", waiting: undefined },
    ],
    [
      "pending input with not found",
      { state: "NOT FOUND", pending_human_input: { task_id: "t" } },
      { state: "waiting", waiting: { taskId: "t" } },
    ],
    [
      "no pending input",
      { status: "running", pending_human_input: null, task_id: "t" },
      { state: "running", waiting: undefined },
    ],
    [
      "a next task while it runs",
      { status: "running", pending_task: { task_id: "t" } },
      { state: "running", waiting: undefined },
    ],
    [
      "pending input of an ended one",
      { status: "completed", pending_human_input: { task_id: "t" } },
      { state: "completed", waiting: undefined },
    ],
    [
      "an unknown state",
      { state: "Dreaming", extra: 1 },
      { state: "other", stateText: "Dreaming", ended: false },
    ],
    ["nothing at all", {}, { state: "other", stateText: "", tasks: [], ended: false }],
  ];
  for (const [what, raw, expected] of table) {
    it(`reads ${what}`, () => {
      const reading = readStatus(raw);
      for (const [name, value] of Object.entries(expected))
        assert.deepEqual(reading[name as keyof StatusReading], value, name);
    });
  }

  it("reads a deep result without filling the memory with its indentation", () => {
    const flat = JSON.stringify(Array.from({ length: 200_000 }, () => 1));
    const text = `${"[".repeat(900)}${flat}${"]".repeat(900)}`;
    const { output } = readStatus({ state: "SUCCESS", result: null, result_json: text });
    assert.ok((output?.length ?? Infinity) <= 2 * text.length + 2_000);
    assert.equal(output?.replace(/\s/g, ""), text);
  });

  it("reads callbacks that have not arrived, and no more than 20 kinds", () => {
    const entry = {
      callback: "human_input",
      count: 2,
      attempts: 3,
      error: "The \u001breceiver\nfailed.",
    };
    const later = { ...entry, next_attempt_at: "2026-10-21T12:00:00.000Z" };
    const read = (undelivered_callbacks: unknown) =>
      readStatus({ state: "SUCCESS", undelivered_callbacks }).undelivered;
    const known = { kind: "human_input", count: 2, attempts: 3, error: "The receiver failed." };
    assert.deepEqual(read([later, { ...entry, given_up: true }]), [
      known,
      { ...known, isGivenUp: true },
    ]);
    const least = [{ callback: "new" }, {}, 1, null, { callback: "" }];
    assert.deepEqual(read(least), [{ kind: "new", count: 1, attempts: 0 }]);
    for (const none of [undefined, null, [], {}, "x", [{}]]) assert.equal(read(none), undefined);
    const [long] = read(Array(50).fill({ ...entry, error: "x".repeat(5000) })) ?? [];
    assert.equal(read(Array(50).fill(entry))?.length, 20);
    assert.equal(long?.error?.length, 200);
  });

  it("never throws", () => {
    const scraps: unknown[] = [null, 0, "x", true, [], [1], {}, { output: [] }, "NaN", -1];
    for (const name of [
      "state",
      "status",
      "result",
      "result_json",
      "progress",
      "last_executed_task",
      "pending_human_input",
      "tasks",
      "error",
      "current_task",
    ]) {
      for (const scrap of [...scraps, { tasks: scraps }, { task_id: scraps }])
        readStatus({ status: "paused", [name]: scrap });
    }
    for (const scrap of scraps) assert.equal(readStatus(scrap).state, "other");
  });
});
