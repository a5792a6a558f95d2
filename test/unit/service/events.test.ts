import assert from "node:assert/strict";
import { asArray, asObject } from "../../../src/base/json.ts";
import { readEvents } from "../../../src/api/read-events.ts";
import { readStatus } from "../../../src/api/read-status.ts";
import { type Activity, activityOf } from "../../../src/executions/activity.ts";
import { taskTimes } from "../../../src/executions/times.ts";
import { newExecution } from "../../../src/executions/reduce.ts";
import { createReporter } from "../../../src/service/callbacks.ts";
import { createDeliveries } from "../../../src/service/deliveries.ts";
import type { Engine } from "../../../src/service/engine.ts";
import { createStore } from "../../../src/service/store.ts";
import { waitFor } from "../../support/wait.ts";
import { cipher, harness, inputs, openReceiver, restart, serve } from "./support.ts";

const usage = { total_tokens: 12, prompt_tokens: 10, completion_tokens: 2 };

/** Reports what crewAI's event bus tells of an agent that calls a tool and a model. */
const agentEngine: Engine = {
  name: "agent",
  async run({ attempt, taskIndex }, report) {
    const timestamp = new Date().toISOString();
    const id = (name: string) => `${name} ${taskIndex} ${attempt}`;
    const [agent, tool, model] = [id("agent"), id("tool"), id("model")];
    const more = { task_name: "crewAI's own name", timestamp };
    const taskStart = "crewAI's own start of the task";
    const start = { parent_event_id: taskStart, event_id: agent };
    const inside = { parent_event_id: agent, ...more };
    const taskStarted = { type: "task_started", event_id: taskStart, ...more };
    const modelStarted = { type: "llm_call_started", event_id: model, ...inside, model: "m" };
    const agentStarted = { type: "agent_execution_started", ...start, ...more, agent_role: "Ana" };
    // Events of other threads may come before.
    const starts =
      taskIndex === 0
        ? [taskStarted, modelStarted, agentStarted]
        : [modelStarted, agentStarted, taskStarted];
    for (const event of starts) await report.event(event);
    await report.event({
      type: "tool_usage_started",
      event_id: tool,
      ...inside,
      tool_name: "look",
    });
    const output = "x".repeat(3_000);
    const toolEnd = { type: "tool_usage_finished", started_event_id: tool, tool_name: "look" };
    await report.event({ ...toolEnd, event_id: id("tool end"), ...inside, output });
    const modelEnd = { type: "llm_call_completed", started_event_id: model, model: "m" };
    await report.event({ ...modelEnd, event_id: id("model end"), ...inside, usage });
    const end = { started_event_id: agent, event_id: id("agent end") };
    await report.event({ type: "agent_execution_completed", ...end, ...more });
    return { output: "done", usage };
  },
};

/** How many events of calls of models a status counts. */
const callsIn = (status: unknown, end: "started" | "completed") =>
  asObject(asObject(status)["events_by_type"])[`llm_call_${end}`];

describe("service: events", () => {
  async function activityNow(id: string): Promise<Activity> {
    const { body } = await harness.request("GET", `/${id}/status`);
    const { events = [], state } = readStatus(body);
    const crew = { id: "local:x", name: "example", url: "http://127.0.0.1:1" };
    const clock = { now: () => Date.now(), after: () => () => undefined };
    const execution = newExecution({ crew, origin: "tracked", kickoffId: id }, clock);
    const kept = { events, left: 0 };
    return activityOf(
      state === "completed"
        ? { ...execution, state, endedAt: new Date().toISOString() }
        : execution,
      kept,
    );
  }
  /** The task's last events come after the status that says that it waits. */
  const untilRequested = (id: string) =>
    waitFor("the request for feedback", async () =>
      (await activityNow(id)).spans.some(({ kind }) => kind === "wait"),
    );
  const outline = ({ spans }: Activity) =>
    spans.map(
      ({ depth, kind, name, attempt, state }) =>
        `${"  ".repeat(depth)}${kind} ${kind === "attempt" ? attempt : name}: ${state}`,
    );

  it("of a rehearsal are in the status: tasks, agents, attempts and waits for a person", async () => {
    await serve();
    const id = await harness.kickoff();
    await untilRequested(id);
    assert.deepEqual(outline(await activityNow(id)), [
      "crew example: running",
      "  task research: completed",
      "    agent Researcher of tides: completed",
      "  task draft: running",
      "    attempt 1: completed",
      "      agent Writer: completed",
      "    wait draft: running",
    ]);
    await harness.reject(id, 2, "Shorter.");
    await harness.approve(id, "Good.");
    const activity = await activityNow(id);
    assert.deepEqual(outline(activity), [
      "crew example: completed",
      "  task research: completed",
      "    agent Researcher of tides: completed",
      "  task draft: completed",
      "    attempt 1: completed",
      "      agent Writer: completed",
      "    wait draft: completed",
      "    attempt 2: completed",
      "      agent Writer: completed",
      "    wait draft: completed",
      "  task polish: completed",
      "    agent Writer: completed",
    ]);
    const waits = activity.spans.filter(({ kind }) => kind === "wait");
    assert.deepEqual(
      waits.map(({ text, isApprove }) => [text, isApprove]),
      [
        ["Shorter.", false],
        ["Good.", true],
      ],
    );
    assert.deepEqual([...taskTimes(activity).keys()], ["research", "draft", "polish"]);
  });

  it("of an engine are nested in the service's own, bounded, with their tokens", async () => {
    await serve({ engine: agentEngine });
    const id = await harness.kickoff();
    await untilRequested(id);
    const activity = await activityNow(id);
    assert.deepEqual(outline(activity).slice(0, 10), [
      "crew example: running",
      "  task research: completed",
      "    agent Ana: completed",
      "      model m: completed",
      "      tool look: completed",
      "  task draft: running",
      "    attempt 1: completed",
      "      agent Ana: completed",
      "        model m: completed",
      "        tool look: completed",
    ]);
    const [, task, , , tool] = activity.spans;
    assert.deepEqual(
      [task?.tokens, tool?.taskId, tool?.text?.length],
      [{ total: 12, prompt: 10, completion: 2 }, "research", 2_000],
    );
    const status = await harness.status(id);
    const { usage: all, trigger, events = [] } = readStatus(status);
    const ids = new Set([undefined, ...events.map((event) => event.id)]);
    assert.ok(events.every(({ parentId }) => ids.has(parentId)));
    assert.deepEqual(all, { total: 24, prompt: 20, completion: 4 });
    assert.equal(callsIn(status, "started"), 2);
    assert.deepEqual(trigger, { type: "unknown", origin: "api" });
  });

  it("are the same in both dialects; in the live one absent while a task waits", async () => {
    await serve({ engine: agentEngine, dialect: "live" });
    const id = await harness.kickoff({ inputs }, "U");
    const live = async () => (await harness.request("GET", `/${id}/status`)).body;
    await waitFor("the task to wait", async () => readStatus(await live()).state === "unknown");
    const waiting = readStatus(await live());
    assert.deepEqual(
      [waiting.events, waiting.usage, waiting.trigger],
      [undefined, undefined, undefined],
    );
    await harness.resume(id, true, "");
    const read = async () => readStatus(await live());
    await waitFor("the end", async () => (await read()).state === "completed");
    const { events, usage: all, trigger } = await read();
    await restart();
    const documented = readStatus(await harness.status(id));
    assert.deepEqual(
      [documented.events, documented.usage, documented.trigger],
      [events, all, trigger],
    );
    assert.deepEqual(trigger, { type: "user", origin: "api" });
  });

  it("are streamed as they are in the status, one by one or in groups", async () => {
    const receiver = await openReceiver();
    const base = receiver.url;
    await serve({ engine: agentEngine });
    const types = [
      ...["crew_kickoff_started", "task_started", "llm_call_completed", "tool_usage_started"],
      "human_feedback_requested",
    ];
    const authentication = { strategy: "bearer", token: "s" };
    for (const realtime of [true, false]) {
      const path = `/realtime-${realtime}`;
      const webhooks = { url: base + path, events: types, realtime, authentication };
      const id = await harness.kickoffUntilWaiting({ inputs, webhooks });
      await waitFor("the events", () => receiver.at(path).length === (realtime ? 8 : 2));
      const received = receiver.at(path);
      assert.ok(received.every(({ headers }) => headers.authorization === "Bearer s"));
      const sent = received.flatMap(({ body }) => asArray(body["events"]).map(asObject));
      assert.ok(sent.every(({ execution_id }) => execution_id === id));
      const streamed = readEvents(sent);
      const { events = [] } = readStatus(await harness.status(id));
      const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);
      assert.deepEqual(
        streamed.toSorted(byId),
        events.filter(({ type }) => types.includes(type)).toSorted(byId),
      );
      assert.equal(streamed.length, 8);
    }
  });

  it("have the end in the first status that says it, also after a stop", async () => {
    const crewWebhookUrl = `${(await openReceiver()).url}/crew`;
    await serve({ engine: agentEngine });
    const ended = await harness.kickoffUntilWaiting({ inputs, crewWebhookUrl });
    await harness.resume(ended, true, "", { crewWebhookUrl });
    const last = async (id: string) => readStatus(await harness.status(id));
    const until = async (state: string) => {
      const reading = await last(ended);
      return reading.state === state ? reading : undefined;
    };
    const completed = await waitFor("the end", () => until("completed"));
    assert.equal(completed.events?.at(-1)?.type, "crew_kickoff_completed");
    const id = await harness.kickoff();
    await waitFor("the pause's event", async () =>
      (await last(id)).events?.some(({ type }) => type === "human_feedback_requested"),
    );
    await harness.request("POST", `/stop/${id}`);
    const stopped = await last(id);
    assert.equal(stopped.state, "stopped");
    const { type, error } = stopped.events?.at(-1) ?? {};
    assert.deepEqual([type, error], ["crew_kickoff_failed", "The execution was stopped."]);
  });

  /** Starts a service whose first task reports calls. Resolves to its execution when the second one waits. */
  const withCalls = async (calls: number, output: string): Promise<string> => {
    let end = () => {};
    // Asking for so large a status meanwhile would slow it down.
    const areReported = new Promise<void>((resolve) => (end = resolve));
    const engine: Engine = {
      name: "many",
      async run({ taskIndex }, report) {
        const call = { type: "llm_call_completed", timestamp: new Date().toISOString(), output };
        for (let count = 0; count < (taskIndex === 0 ? calls : 0); count++)
          await report.event({ ...call, event_id: `e${count}` });
        end();
        return { output: "done" };
      },
    };
    await serve({ engine });
    const id = await harness.kickoff();
    await areReported;
    await harness.untilWaiting(id);
    return id;
  };

  it("are at most some 2,000 in a status: older calls are only counted", async () => {
    const id = await withCalls(2_500, "");
    const status = await harness.status(id);
    const { events = [] } = readStatus(status);
    assert.ok(events.length >= 2_000 && events.length < 2_110, String(events.length));
    assert.equal(callsIn(status, "completed"), 2_500);
    assert.deepEqual(
      events.slice(0, 3).map(({ type, id }) => (type.startsWith("llm") ? id > "e" : type)),
      ["crew_kickoff_started", "task_started", true],
    );
  });

  it("have at most 1 MB in a status, and some more", async () => {
    const id = await withCalls(1_000, "x".repeat(2_000));
    const { body } = await harness.request("GET", `/${id}/status`);
    const size = JSON.stringify(body).length;
    assert.ok(size > 900_000 && size < 1_300_000, String(size));
    assert.equal(callsIn(body, "completed"), 1_000);
  });

  it("has one ID if its change is made again, as after a lost connection", async () => {
    await serve();
    const id = await harness.kickoffUntilWaiting();
    const store = createStore(harness.database, cipher);
    const execution = (await store.find(id)) ?? assert.fail();
    const { now } = harness.database;
    const reporter = createReporter(execution, createDeliveries(harness.database, cipher, 10), now);
    const report = reporter.engineEvents({ executionId: id, taskIndex: 0, attempt: 1 });
    const work = report({ type: "llm_call_started", timestamp: new Date().toISOString() });
    for (let made = 0; made < 2; made += 1) await harness.database.transaction(work);
    const { events } = await harness.status(id);
    assert.equal(events.filter(({ type }) => type === "llm_call_started").length, 1);
  });
});
