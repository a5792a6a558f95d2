import assert from "node:assert/strict";
import { systemClock } from "../../../src/base/clock.ts";
import { Inbox } from "../../../src/callbacks/inbox.ts";
import { readPasted } from "../../../src/callbacks/payload.ts";
import { Paths } from "../../../src/callbacks/paths.ts";
import { applyReading } from "../../../src/executions/reduce.ts";
import { resumeAnswered, resumeRefused, resumeSending } from "../../../src/executions/resumes.ts";
import { anExecution, aReading } from "../executions/samples.ts";
import { failures } from "../sending/window.ts";
import { localCrew, receiving, ReceivingWindows, send, type ReceivingWindow } from "./support.ts";

const pause = { kickoff_id: "k1", execution_id: "k1", task_id: "review", task_output: "# Draft" };

describe("callbacks", () => {
  let windows: ReceivingWindows;
  let window: ReceivingWindow;

  beforeEach(() => {
    windows = new ReceivingWindows();
    window = windows.open();
  });

  const eventsOf = (localId: string) => window.store.events(localId).events;

  it("that come again are dropped: by Webhook-Id, by the event's ID, else by their body", async () => {
    const { localId, url, token } = await receiving(window);
    const sendAs = (id: string, body: unknown) =>
      send(url, body, { headers: { "Webhook-Id": id, Authorization: `Bearer ${token}` } });
    const attempts = () => window.store.find(localId)?.tasks[0]?.attempts.length;
    for (const id of ["a", "a"]) assert.equal(await sendAs(id, pause), 204);
    assert.equal(attempts(), 1);
    const target = { taskId: "review", attempt: 1 };
    const feedback = { isApprove: false, text: "No.", at: new Date().toISOString() };
    window.store.update(localId, (current) => resumeSending(current, target, feedback));
    window.store.update(localId, (current) => resumeAnswered(current, target, {}));
    assert.equal(await sendAs("a", pause), 204);
    assert.equal(attempts(), 1, "a repeat after the answer");
    assert.equal(await sendAs("b", pause), 204);
    assert.equal(attempts(), 2, "another callback with the same output");
    for (let count = 0; count < 3; count++) assert.equal(await send(url, pause), 204);
    assert.equal(attempts(), 2, "its body alone");
    const event = { id: "e1", timestamp: "2026-10-21T12:00:01Z", type: "x", data: {} };
    for (const id of ["c", "d"]) assert.equal(await sendAs(id, { events: [event] }), 204);
    const step = { thought: "I look.", tool: "search", tool_input: "{}", result: "Found." };
    for (let count = 0; count < 3; count++) assert.equal(await send(url, step), 204);
    const types = eventsOf(localId).map(({ type }) => type);
    assert.deepEqual(types, ["x", "step"]);
  });

  it("of a pause without a Webhook-Id are another one once it was answered: a task may give the same output again", async () => {
    const { localId, url } = await receiving(window);
    const waiting = () => window.store.find(localId)?.waiting?.attempt;
    for (let count = 0; count < 2; count++) assert.equal(await send(url, pause), 204);
    assert.equal(waiting(), 1);
    const answer = (attempt: number) => {
      const target = { taskId: "review", attempt };
      const at = new Date().toISOString();
      const feedback = { isApprove: false, text: "Again, please.", at };
      window.store.update(localId, (current) => resumeSending(current, target, feedback));
      return target;
    };
    const refused = answer(1);
    window.store.update(localId, (current) => resumeRefused(current, refused, "Not found"));
    assert.equal(await send(url, pause), 204);
    assert.equal(waiting(), 1, "a refused answer");
    for (const attempt of [1, 2]) {
      const target = answer(attempt);
      window.store.update(localId, (current) => resumeAnswered(current, target, {}));
      assert.equal(waiting(), undefined);
      for (let count = 0; count < 2; count++) assert.equal(await send(url, pause), 204);
      assert.equal(waiting(), attempt + 1);
    }
    assert.equal(window.store.find(localId)?.tasks[0]?.attempts.length, 3);
  });

  it("that waited at a relay have the time at which they arrived there, which is never in the future", async () => {
    const { localId, url } = await receiving(window);
    const receive = (body: object, arrivedAt: number) =>
      window.callbacks.receive({
        ...{ path: new URL(url).pathname, headers: {}, arrivedAt },
        body: Buffer.from(JSON.stringify(body)),
      });
    const arrivedAt = Date.now() - 3_600_000;
    const step = { thought: "I look.", tool: "search", tool_input: "{}", result: "Found." };
    assert.equal(await receive(step, arrivedAt), 204);
    assert.equal(await receive(pause, arrivedAt + 1_000), 204);
    const times = eventsOf(localId).map(({ at }) => at);
    assert.deepEqual(times, [arrivedAt]);
    const { since = "" } = window.store.find(localId)?.waiting ?? {};
    assert.equal(Date.parse(since), arrivedAt + 1_000);
    for (const wrong of [1e300, -1e300])
      assert.equal(await receive({ ...step, thought: String(wrong) }, wrong), 204);
    assert.ok(eventsOf(localId).every(({ at }) => at <= Date.now()));
  });

  it("that a person pasted count once, and wait for an answer like those that arrive", () => {
    const { localId } = window.store.add(anExecution({ crew: localCrew }));
    for (let count = 0; count < 2; count++)
      window.callbacks.take(localId, readPasted(JSON.stringify(pause), Date.now())!);
    const { state, waiting, tasks } = window.store.find(localId)!;
    assert.deepEqual([state, waiting?.taskId, waiting?.output], ["waiting", "review", "# Draft"]);
    assert.equal(tasks[0]?.attempts.length, 1);
  });

  it("whose crew's status can't be asked for are stored all the same", async () => {
    windows.onPoll = () => {
      throw new Error("No disk.");
    };
    const { localId, url } = await receiving(window);
    assert.equal(await send(url, { kickoff_id: "k1", result: "Done." }), 204);
    assert.equal(window.store.find(localId)?.state, "completed");
    assert.match(windows.windows.problems.splice(0).join(), /No disk/);
  });

  it("that name another known execution are refused, wherever they name it, and logged once", async () => {
    const { localId, url, token } = await receiving(window);
    const before = window.store.find(localId);
    const other = windows.open();
    other.store.add(anExecution({ localId: "other", kickoffIds: ["k2", "k3"], crew: localCrew }));
    const event = { id: "e1", timestamp: "2026-10-21T12:00:01Z", type: "task_started" };
    const bodies = [
      { ...pause, kickoff_id: "k2", execution_id: "k2" },
      { ...pause, execution_id: "k3" },
      { ...pause, kickoff_id: "K2", execution_id: "K2" },
      { name: "write", output: "Text", kickoff_id: "k2" },
      { kickoff_id: "k2", result: "The end" },
      { thought: "I look.", tool: "search", kickoffId: "k2" },
      { events: ["k1", "k2"].map((execution_id) => ({ ...event, execution_id })) },
      { ...event, data: { kickoff_id: "k2" } },
    ];
    const headers = { Authorization: `Bearer ${token}` };
    for (const body of bodies) assert.equal(await send(url, body, { headers }), 409);
    assert.deepEqual(window.store.find(localId), before);
    assert.deepEqual(eventsOf(localId), []);
    const [problem, ...more] = windows.windows.problems.splice(0);
    assert.match(problem ?? "", /refused.*names another execution/);
    assert.deepEqual(more, []);
    const unknown = { ...pause, kickoff_id: "k9", execution_id: "k9" };
    assert.equal(await send(url, unknown), 204, "an ID that a resume may have brought");
    const { state, kickoffIds } = window.store.find(localId)!;
    assert.deepEqual([state, kickoffIds], ["waiting", ["k1"]]);
  });

  it("that can't be read are left out, and the others of their batch are stored", async () => {
    const { localId, url, token } = await receiving(window);
    const headers = { Authorization: `Bearer ${token}` };
    const hostile = '{"events":[{"type":"x","timestamp":{"toString":null}}]}';
    assert.equal(await send(url, hostile, { headers }), 204);
    assert.deepEqual(eventsOf(localId), []);
    const { store, database } = window;
    const failing = {
      ...{ list: () => store.list(), refresh: () => store.refresh() },
      summary: (id: string) => store.summary(id),
      update: ((id, change, events) => {
        if (events?.some(({ type }) => type === "poison")) throw new TypeError("Poison.");
        return store.update(id, change, events);
      }) satisfies typeof store.update,
    };
    const problems: string[] = [];
    const inbox = new Inbox({
      ...{ database, store: failing, paths: new Paths(database, systemClock), clock: systemClock },
      poll: () => Promise.resolve(),
      log: { problem: (doing, error) => problems.push(`${doing} ${String(error)}`) },
    });
    const receive = (type: string) =>
      inbox.receive({
        ...{ path: new URL(url).pathname, headers: { authorization: headers.Authorization } },
        body: Buffer.from(JSON.stringify({ id: type, type, timestamp: 1_790_000_000 })),
      });
    const types = ["one", "poison", "two", "poison", "three"];
    assert.deepEqual(await Promise.all(types.map(receive)), [204, 422, 204, 422, 204]);
    const all = new Set(eventsOf(localId).map(({ type }) => type));
    assert.deepEqual(all, new Set(["one", "two", "three"]));
    assert.deepEqual(problems, ["A callback can't be read, and is left out. TypeError: Poison."]);
  });

  it("after an end ask for the status, which says more", async () => {
    const { localId, url, token } = await receiving(window);
    const headers = { Authorization: `Bearer ${token}` };
    const event = { id: "e1", timestamp: "2026-10-21T12:00:01Z", type: "crew_kickoff_failed" };
    await send(url, { events: [{ ...event, type: "task_started" }] }, { headers });
    assert.deepEqual(window.polled, []);
    await send(url, { events: [event] }, { headers });
    assert.deepEqual(window.polled, [localId]);
  });

  it("with the crew's result ask for the status first, which says more, and add what it leaves out", async () => {
    const { localId, url } = await receiving(window);
    const reading = aReading({ state: "completed", output: "The end.", executionTime: 12 });
    windows.onPoll = (store) =>
      store.update(localId, (execution) => applyReading(execution, reading, Date.now()));
    const result = { kickoff_id: "k1", result: "The end", token_usage: { total_tokens: 9 } };
    assert.equal(await send(url, result), 204);
    assert.deepEqual(window.polled, [localId]);
    const { state, output, executionTime, usage } = window.store.find(localId)!;
    assert.deepEqual([state, output, executionTime], ["completed", "The end.", 12]);
    assert.deepEqual(usage, { total: 9 });
    const other = await receiving(window, { localId: "other", kickoffIds: ["k2"] });
    windows.onPoll = () => new Promise(() => undefined);
    assert.equal(await send(other.url, { ...result, kickoff_id: "k2" }), 204);
    assert.equal(window.store.find("other")?.output, "The end", "the crew doesn't answer");
  });

  it("are answered 503 if they can't be stored, so that they come again", async () => {
    const { localId, url } = await receiving(window);
    const [, fail] = failures[1]!;
    fail(window.database);
    assert.equal(await send(url, pause), 503);
    window.database.all("PRAGMA query_only = OFF");
    assert.equal(window.store.find(localId)?.waiting, undefined);
    assert.equal(await send(url, pause), 204);
    assert.equal(window.store.find(localId)?.waiting?.attempt, 1);
    const problems = windows.windows.problems.splice(0);
    assert.match(problems[0] ?? "", /could not be stored/);
    const path = new URL(url).pathname.slice(1);
    assert.ok(!problems.join().includes(path), "the path is not logged");
  });

  it("for an execution that is no longer tracked are answered 404, and its path is forgotten", async () => {
    const { localId, url } = await receiving(window);
    const kept = await receiving(window, { localId: "kept", kickoffIds: ["k2"] });
    window.store.remove(localId);
    assert.equal(await send(url, pause), 404);
    assert.equal(await send(kept.url, pause), 204);
    const tables = ["callback_paths", "callback_authorizations", "received_callbacks"];
    for (const table of tables)
      assert.deepEqual(
        window.database.all(`SELECT local_id FROM ${table}`).map((row) => row["local_id"]),
        ["kept"],
        table,
      );
  });

  it("by the thousand neither block the editor nor lose a change of state", async () => {
    const crews = 20;
    const executions = await Promise.all(
      Array.from({ length: crews }, (_, index) =>
        receiving(window, { localId: `flood-${index}`, kickoffIds: [`f${index}`] }),
      ),
    );
    let longest = 0;
    let last = performance.now();
    const watch = setInterval(() => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    }, 5);
    const sends = executions.flatMap(({ url, token }, index) => {
      const headers = { Authorization: `Bearer ${token}` };
      const event = (count: number) => ({
        ...{ id: `e${count}`, timestamp: 1_790_000_000_000 + count },
        type: count % 10 === 0 ? "task_started" : "llm_call_started",
        data: { task_name: `task ${count % 10}` },
      });
      return [
        ...Array.from({ length: 42 }, (_, count) => () => send(url, event(count), { headers })),
        ...Array.from(
          { length: 6 },
          (_, count) => () => send(url, { name: `task ${count}`, output: `Output ${count}` }),
        ),
        () => send(url, { ...pause, task_id: "task 6", task_output: `Draft ${index}` }),
        () => send(url, { thought: "I look.", tool: "search", result: `Found ${index}` }),
      ];
    });
    assert.equal(sends.length, 1_000);
    // Crews mix their callbacks.
    const mixed = sends.map((_, index) => sends[(index * 397) % sends.length]!);
    const began = performance.now();
    const statuses = await inParallel(mixed, 100);
    const took = performance.now() - began;
    clearInterval(watch);
    assert.deepEqual(new Set(statuses), new Set([204]));
    for (const [index, { localId }] of executions.entries()) {
      const { waiting, tasks, state } = window.store.find(localId)!;
      assert.deepEqual([state, waiting?.output], ["waiting", `Draft ${index}`]);
      assert.deepEqual(tasks.map(({ taskId }) => taskId).sort(), [
        ...["task 0", "task 1", "task 2", "task 3", "task 4", "task 5", "task 6"],
      ]);
      assert.equal(eventsOf(localId).length, 43);
    }
    console.log(
      `      1,000 callbacks in ${took.toFixed(0)} ms, sent and received by one process; it was blocked for ${longest.toFixed(0)} ms at most`,
    );
    // A small part of the whole, however slow the machine is.
    assert.ok(longest < Math.max(1_000, took / 3), `${longest} ms of ${took} ms`);
  });
});

async function inParallel<T>(work: readonly (() => Promise<T>)[], width: number): Promise<T[]> {
  const results: T[] = [];
  const queue = [...work];
  const run = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      results.push(await next());
  };
  await Promise.all(Array.from({ length: width }, run));
  return results;
}
