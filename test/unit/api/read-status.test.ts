import assert from "node:assert/strict";
import { readStatus } from "../../../src/api/read-status.ts";
import type { StatusReading } from "../../../src/api/types.ts";

/** Members that a reading must have; undefined for one that must be absent. */
type Expected = { readonly [Name in keyof StatusReading]?: StatusReading[Name] | undefined };

describe("a status answer", () => {
  describe("its state", () => {
    const texts = {
      queued: "pending PENDING queued",
      running: "started STARTED running RUNNING retry retrying resumed thinking",
      awaiting:
        "PAUSED pending_human_input awaiting_human_feedback waiting-input human_input_requested",
      completed: "success SUCCESS completed complete done finished",
      failed: "failed FAILED FAILURE error errored",
      stopped: "revoked REVOKED stopped cancelled canceled",
      unknown: "not_found Not-Found",
      other: "dreaming not_really_found",
    };
    const spaced = [
      ["awaiting", "Pending Human Input"],
      ["awaiting", "awaiting human feedback"],
      ["awaiting", "Human Input Requested"],
      ["unknown", "NOT FOUND"],
    ] as const;
    const all = Object.entries(texts).flatMap(([state, list]) =>
      list.split(" ").map((text) => [state, text] as const),
    );
    for (const [state, text] of [...all, ...spaced])
      it(`"${text}" means ${state}, in either dialect`, () => {
        const ended = ["completed", "failed", "stopped"].includes(state);
        for (const raw of [{ status: text }, { state: text, status: "Task is Running" }]) {
          const { state: read, stateText, ended: over } = readStatus(raw);
          assert.deepEqual([read, stateText, over], [state, text, ended]);
        }
      });

    it("is queued if the local service says so", () => {
      const progress = { completed_tasks: 0, total_tasks: 2 };
      const answer = { status: "running", current_task: "research", progress, queued: true };
      assert.equal(readStatus(answer).state, "queued");
      assert.equal(readStatus({ ...answer, queued: false }).state, "running");
    });

    it("is never taken from `status` if there is a `state`, unless that is null", () => {
      assert.equal(readStatus({ state: "RUNNING", status: "completed" }).state, "running");
      assert.equal(readStatus({ state: "SUCCESS", status: null }).state, "completed");
      assert.equal(readStatus({ state: "whatever", status: "error" }).state, "other");
      assert.equal(readStatus({ state: null, status: "running" }).state, "running");
    });
  });

  const findings = { output: "Findings", agent: "Researcher" };
  const fenced = '```json\n{"a":1}\n```';
  const table: readonly (readonly [what: string, raw: unknown, expected: Expected])[] = [
    [
      "documented: running",
      {
        ...{ status: "running", current_task: "research_task" },
        progress: { completed_tasks: 1, total_tasks: 3 },
      },
      {
        ...{ state: "running", tasks: [] },
        progress: { completed: 1, total: 3, unit: "task", current: "research_task" },
      },
    ],
    [
      "documented: completed",
      {
        ...{ status: "completed", execution_time: 108.5 },
        result: {
          output: "Itinerary",
          tasks: [{ task_id: "research_task", ...findings, execution_time: 45.2 }],
        },
      },
      {
        ...{ state: "completed", ended: true, output: "Itinerary", executionTime: 108.5 },
        tasks: [{ taskId: "research_task", ...findings, executionTime: 45.2 }],
      },
    ],
    [
      "documented: error",
      { status: "error", error: "Invalid API key", execution_time: 23.1 },
      { state: "failed", error: "Invalid API key", executionTime: 23.1 },
    ],
    [
      "live: running",
      {
        ...{ state: "RUNNING", status: "Task is Running", result: null },
        progress: {
          ...{ unit: "task", completed: 1, total: 4, remaining: 3, current: "write" },
          ...{ current_agent: "Writer", duration_seconds: 12.5 },
        },
      },
      {
        ...{ state: "running", executionTime: 12.5, output: undefined, error: undefined },
        progress: { completed: 1, total: 4, unit: "task", current: "write" },
      },
    ],
    [
      "live: a flow has steps and no total",
      { state: "STARTED", progress: { unit: "step", completed: 2, total: null } },
      { progress: { completed: 2, unit: "step" } },
    ],
    [
      "live: only the last task's output, fences and all",
      {
        ...{ state: "SUCCESS", result: null, result_json: null },
        last_executed_task: { name: "write", output: fenced, agent: "Writer" },
      },
      { output: fenced, tasks: [{ taskId: "write", output: fenced, agent: "Writer" }] },
    ],
    [
      "live: the last task's output is not the end while it runs",
      { state: "RUNNING", last_executed_task: { task_id: "a", output: "First" } },
      { output: undefined, tasks: [{ taskId: "a", output: "First" }] },
    ],
    [
      "live: not found",
      { state: "NOT FOUND", status: "Task not found" },
      { state: "unknown", ended: false, error: undefined, waiting: undefined },
    ],
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
      "an unknown state",
      { state: "Dreaming", extra: 1 },
      { state: "other", stateText: "Dreaming", ended: false },
    ],
    ["nothing at all", {}, { state: "other", stateText: "", tasks: [], ended: false }],
  ];
  for (const [what, raw, expected] of table)
    it(`reads ${what}`, () => {
      const reading = readStatus(raw);
      for (const [name, value] of Object.entries(expected))
        assert.deepEqual(reading[name as keyof StatusReading], value, name);
    });

  const json = '{\n  "a": 1\n}';
  const live = { state: "SUCCESS", status: null, result: null };
  const done = { status: "completed" };
  const outputs: readonly (readonly [what: string, raw: object, output: string | undefined])[] = [
    ["text beside JSON", { ...live, result: "Text", result_json: { a: 1 } }, "Text"],
    ["JSON inside a text", { ...live, result_json: '{"a":1}' }, json],
    ["JSON alone", { ...live, result_json: { a: 1 } }, json],
    ["an object", { ...done, result: { output: { a: 1 } } }, json],
    ["a result of other names", { ...done, result: { a: 1 } }, json],
    ["a number", { ...done, result: 0 }, "0"],
    ["an empty text", { ...done, result: "", result_json: null }, undefined],
    ["beside the status", { ...done, output: "Text" }, "Text"],
  ];
  for (const [what, raw, output] of outputs)
    it(`reads an output: ${what}`, () => assert.equal(readStatus(raw).output, output));

  const errors: readonly (readonly [what: string, raw: object, error: string | undefined])[] = [
    ["in the status, live", { state: "FAILED", status: "KeyError: 'x'" }, "KeyError: 'x'"],
    ["of one that was stopped", { state: "REVOKED", status: "terminated" }, "terminated"],
    ["an object", { status: "failed", error: { message: "No quota", code: 7 } }, "No quota"],
    ["a message alone", { status: "failed", message: "No quota" }, "No quota"],
    ["none on success", { ...done, error: null, result: "ok" }, undefined],
    ["none in the live status on success", live, undefined],
  ];
  for (const [what, raw, error] of errors)
    it(`reads an error: ${what}`, () => assert.equal(readStatus(raw).error, error));

  const asked = { task_id: "t", task_output: "D" };
  const draft = { taskId: "t", output: "D" };
  const paused = { state: "PAUSED" };
  const running = { status: "running" };
  const question = { message: "Right?", emit_options: ["yes", "no"], default_outcome: "no" };
  const pauses: readonly (readonly [what: string, raw: object, waiting: Expected["waiting"]])[] = [
    [
      "documented: waiting, as the local service says it",
      { ...running, current_task: "t", pending_human_input: { ...asked, attempt: 2 } },
      { ...draft, attempt: 2 },
    ],
    ["a pause with its task under another name", { ...paused, pending_task: asked }, draft],
    [
      "a flow's question, as the local service says it",
      { ...running, pending_human_input: { ...asked, ...question } },
      { ...draft, message: "Right?", options: ["yes", "no"], defaultOption: "no" },
    ],
    [
      "a question that any text answers",
      { ...running, pending_human_input: { ...asked, ...question, emit_options: null } },
      { ...draft, message: "Right?", options: [] },
    ],
    [
      "a crew's output beside options that are null",
      { ...paused, pending_human_input: { ...asked, emit_options: null } },
      draft,
    ],
    [
      "options of other types, repeated, and a default that is none of them",
      {
        ...paused,
        pending_human_input: {
          ...{ ...asked, emitOptions: ["yes", 5, null, "", " ", "yes", "no"] },
          default_outcome: "maybe",
        },
      },
      { ...draft, options: ["yes", "no"] },
    ],
    [
      "a pause with a human_input object",
      { state: "paused", human_input: { taskId: 17, task_output: "D" } },
      { taskId: "17", output: "D" },
    ],
    [
      "a pause with the task beside the state",
      { status: "awaiting_human_feedback", ...asked },
      draft,
    ],
    ["a pause with a list", { ...paused, pending_human_input: [asked, { task_id: "b" }] }, draft],
    ["a pause said by a flag", { ...running, pending_human_input: true, ...asked }, draft],
    ["a pause with the last task's id", { ...paused, last_executed_task: asked }, draft],
    ["pending input with not found", { state: "NOT FOUND", pending_human_input: asked }, draft],
  ];
  for (const [what, raw, waiting] of pauses)
    it(`reads ${what}`, () => {
      const reading = readStatus(raw);
      const known = [reading.state, reading.waiting, reading.ended];
      assert.deepEqual(known, ["waiting", waiting, false]);
    });

  const withoutTask: readonly (readonly [what: string, raw: object, state: string])[] = [
    ["a pause whose task is not named", paused, "awaiting"],
    ["pending input without a task", { ...running, pending_human_input: {} }, "awaiting"],
    ["no pending input", { ...running, pending_human_input: null, task_id: "t" }, "running"],
    ["a next task while it runs", { ...running, pending_task: asked }, "running"],
    ["pending input of an ended one", { ...done, pending_human_input: asked }, "completed"],
  ];
  for (const [what, raw, state] of withoutTask)
    it(`reads ${what}`, () => {
      const reading = readStatus(raw);
      assert.deepEqual([reading.state, reading.waiting], [state, undefined]);
    });

  it("reads a deep result without filling the memory with its indentation", () => {
    const flat = JSON.stringify(Array.from({ length: 200_000 }, () => 1));
    const text = `${"[".repeat(900)}${flat}${"]".repeat(900)}`;
    const { output } = readStatus({ state: "SUCCESS", result: null, result_json: text });
    assert.ok((output?.length ?? Infinity) <= 2 * text.length + 2_000);
    assert.equal(output?.replace(/\s/g, ""), text);
  });

  it("reads what a test says, with the mean of its grades", () => {
    const grade = (grade: number) => ({ task: "a", question: "Is it?", grade, reason: "It is." });
    const test = { state: "failed", grades: [grade(8), grade(5)], failures: [{ message: "No." }] };
    const read = (test: unknown) => readStatus({ status: "completed", test }).test;
    assert.deepEqual(read(test), { state: "failed", grade: 6.5, failures: ["No."] });
    assert.equal(read({ state: "other" }), undefined);
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

  it("reads who decided about which text", () => {
    const output_sha256 = "a".repeat(64);
    const entry = { task_id: "draft", attempt: 2, output_sha256 };
    const read = (...decisions: unknown[]) => readStatus({ state: "SUCCESS", decisions }).decisions;
    const known = { taskId: "draft", attempt: 2, sha256: output_sha256 };
    assert.deepEqual(read({ ...entry, by: { type: "user", name: "ada" } }, entry), [
      { ...known, type: "user", name: "ada" },
      known,
    ]);
    assert.equal(read({ ...entry, attempt: "2" }, { ...entry, output_sha256: "a" }, 1), undefined);
  });
});
