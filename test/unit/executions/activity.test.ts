import assert from "node:assert/strict";
import type { ActivityEvent } from "../../../src/api/types.ts";
import { type Activity, activityOf } from "../../../src/executions/activity.ts";
import { taskTimes } from "../../../src/executions/times.ts";
import {
  canRunAgainFrom,
  type Execution,
  type StateChange,
} from "../../../src/executions/model.ts";
import { recordedEvents } from "../../support/recorded-execution.ts";
import { anEvent as event, anExecution, at, START, time } from "./samples.ts";

const recorded = recordedEvents("recorded.ndjson");
const kickedOff = "2026-11-22T00:01:20.000Z";
const trip = anExecution({
  startedAt: kickedOff,
  state: "completed",
  endedAt: "2026-11-22T00:01:25.000Z",
  crew: { id: "local:travel", name: "travel", url: "http://127.0.0.1:1" },
});

/** Each span on a line: its depth as indentation, kind, name, state. */
function outline({ spans }: Activity): string[] {
  return spans.map(
    ({ depth, kind, name, attempt, state }) =>
      `${"  ".repeat(depth)}${kind} ${attempt === undefined || kind === "model" ? name : `${name} ${attempt}`}: ${state}`,
  );
}
const kept = (events: readonly ActivityEvent[]) => ({ events, left: 0 });
const running = anExecution({ state: "running" });
const activityIn = (events: readonly ActivityEvent[]) => activityOf(running, kept(events));
const seconds = (at: number | undefined) => (at === undefined ? undefined : (at - START) / 1000);

const rejected = [
  event("t1", "task_started", 2, { taskName: "draft", attempt: 1 }),
  event("m1", "llm_call_started", 2.5, { parentId: "t1", taskName: "draft", model: "m" }),
  event("m1e", "llm_call_completed", 3, {
    startedId: "m1",
    tokens: { total: 12, prompt: 10, completion: 2 },
  }),
  event("t1e", "task_completed", 4, { startedId: "t1", taskName: "draft", text: "First." }),
  event("h1", "human_feedback_requested", 4, { taskName: "draft", attempt: 1 }),
  event("h1e", "human_feedback_received", 10, {
    startedId: "h1",
    text: "Shorter.",
    isApprove: false,
  }),
  event("t2", "task_started", 10, { taskName: "draft", attempt: 2 }),
];

describe("the activity of an execution", () => {
  it("nests a recorded run: crew, task, agent, model and tool calls", () => {
    const activity = activityOf(trip, kept(recorded));
    const [crew] = activity.spans;
    assert.deepEqual(outline(activity), [
      "crew travel: completed",
      "  queue : completed",
      "  task research_task: completed",
      "    agent Oslo researcher: completed",
      "      model gpt-4o-mini: completed",
      "      tool lookup: completed",
      "      model gpt-4o-mini: completed",
      "  task write_task: completed",
      "    agent Oslo researcher: completed",
      "      model gpt-4o-mini: completed",
    ]);
    assert.deepEqual(
      [crew?.start, crew?.end, crew?.tokens?.total],
      [Date.parse(kickedOff), Date.parse("2026-11-22T00:01:24.120Z") + 0.704, 330],
    );
    const tool = activity.spans.find(({ kind }) => kind === "tool");
    assert.deepEqual(
      [tool?.taskId, tool?.agent, tool?.arguments, tool?.text],
      ["research_task", "Oslo researcher", '{\n  "city": "Oslo"\n}', "Oslo: 10 degrees"],
    );
    const task = activity.spans.find(({ kind }) => kind === "task");
    const result = [task?.text, task?.tokens];
    assert.deepEqual(result, ["Oslo is lovely.", { total: 220, prompt: 200, completion: 20 }]);
  });

  it("keeps what it doesn't know as marks, and hides the flow inside an agent", () => {
    const { marks, spans } = activityOf(
      trip,
      kept([...recorded, event("x", "quantum_leap", 0), event("y", "llm_call_completed", 0)]),
    );
    const types = [...new Set(marks.map(({ type }) => type))].sort();
    const logs = ["agent_logs_execution", "agent_logs_started"];
    assert.deepEqual(types, [...logs, "default_env", "llm_call_completed", "quantum_leap"]);
    // The flow's marks are its agent's.
    const agents = spans.filter(({ kind }) => kind === "agent").map(({ id }) => id);
    const logged = marks.filter(({ type }) => type === "agent_logs_execution");
    const parents = Array.from(logged, ({ parentId }) => parentId);
    assert.deepEqual(parents, agents);
  });

  it("places a mark without a known parent in what was under way then", () => {
    const { marks } = activityIn([
      ...rejected,
      event("x", "quantum_leap", 3.5, { taskName: "draft" }),
      event("y", "quantum_leap", 11, { parentId: "gone" }),
      event("z", "quantum_leap", 5, { taskName: "other" }),
    ]);
    const places = marks.map(({ id, parentId }) => `${id} ${parentId}`);
    assert.deepEqual(places, ["x t1", "z crew", "y t2"]);
  });

  it("is the same with repeats, and in any order", () => {
    const activity = activityOf(trip, kept(recorded));
    assert.deepEqual(activityOf(trip, kept(recorded.toReversed())), activity);
    assert.deepEqual(activityOf(trip, kept([...recorded, ...recorded.toReversed()])), activity);
  });

  it("shows attempts and waits for a person under their task", () => {
    const first = activityIn(rejected.slice(0, 4));
    assert.deepEqual(outline(first).slice(1), [
      "  queue : completed",
      "  task draft 1: completed",
      "    model m: completed",
    ]);
    const activity = activityIn(rejected);
    assert.deepEqual(outline(activity), [
      "crew Writers: running",
      "  queue : completed",
      "  task draft: running",
      "    attempt draft 1: completed",
      "      model m: completed",
      "    wait draft 1: completed",
      "    attempt draft 2: running",
    ]);
    const wait = activity.spans.find(({ kind }) => kind === "wait");
    assert.deepEqual([wait?.isApprove, wait?.text], [false, "Shorter."]);
    const model = activity.spans.find(({ kind }) => kind === "model");
    assert.deepEqual([model?.taskId, model?.attempt], ["draft", 1]);
    const after = new Set(activity.spans.map(({ id }) => id));
    const hasAll = first.spans.every(({ id }) => after.has(id));
    assert.ok(hasAll, "no span gets another ID");
  });

  it("ends what is open when what it is part of ends, and marks failures", () => {
    const failing = [
      event("t1", "task_started", 1, { taskName: "draft" }),
      event("a1", "agent_execution_started", 1, { parentId: "t1", agent: "Writer" }),
      event("l1", "tool_usage_started", 2, { parentId: "a1", tool: "search" }),
      event("l1e", "tool_usage_error", 3, { startedId: "l1", error: "No network." }),
      event("t1e", "task_failed", 4, { startedId: "t1", error: "It broke." }),
    ];
    const execution = anExecution({ state: "failed", endedAt: time(5), error: "It broke." });
    const { spans } = activityOf(execution, kept(failing));
    const states = spans.map(({ kind, state, end, error }) => [kind, state, seconds(end), error]);
    assert.deepEqual(states, [
      ["crew", "failed", 5, "It broke."],
      ["queue", "completed", 1, undefined],
      ["task", "failed", 4, "It broke."],
      ["agent", "stopped", 4, undefined],
      ["tool", "failed", 3, "No network."],
    ]);
  });

  it("places events without parents, and pairs those without the ID of a start", () => {
    const bare = [
      event("t1", "task_started", 1, { taskName: "a" }),
      event("g1", "agent_execution_started", 1.1, { agent: "Writer" }),
      event("m1", "llm_call_started", 2, { model: "m", agent: "Writer", parentId: "gone" }),
      event("m1e", "llm_call_completed", 3, { model: "m", agent: "Writer" }),
      event("m2", "llm_call_started", 4, { model: "m", agent: "Writer" }),
      event("t1e", "task_completed", 5, { taskName: "a" }),
      event("t2", "task_started", 6, { taskName: "b" }),
    ];
    assert.deepEqual(outline(activityIn(bare)).slice(2), [
      "  task a: completed",
      "    agent Writer: stopped",
      "      model m: completed",
      "      model m: stopped",
      "  task b: running",
    ]);
  });

  it("is made at once from 10,000 events, however deep they are", () => {
    const deep = Array.from({ length: 10_000 }, (_, number) =>
      event(`c${number}`, "llm_call_started", number, { parentId: `c${number - 1}` }),
    );
    const began = process.cpuUsage();
    const { spans } = activityIn(deep);
    const { user, system } = process.cpuUsage(began);
    assert.equal(spans.at(-1)?.depth, 10_000);
    assert.ok(user + system < 1_000_000, `${user + system} µs of the processor`);
  });

  it("survives parents that are their own descendants", () => {
    const loop = [
      event("a", "llm_call_started", 1, { parentId: "b" }),
      event("b", "tool_usage_started", 1, { parentId: "a" }),
      event("f", "flow_started", 1, { parentId: "g", name: "AgentExecutor" }),
      event("g", "flow_started", 1, { parentId: "f", name: "AgentExecutor" }),
      event("c", "llm_call_started", 1, { parentId: "g" }),
      event("crew", "llm_call_started", 1),
    ];
    const { spans } = activityIn(loop);
    const depths = spans.map(({ id, depth }) => `${id} ${depth}`);
    assert.deepEqual(depths, ["crew 0", "queue 1", "c 1", "a 1", "b 2"]);
  });

  it("is what was seen by polling where the crew tells no events", () => {
    const history: StateChange[] = [
      { at: time(2), state: "running", taskId: "draft" },
      { at: time(8), state: "waiting", taskId: "draft", attempt: 1 },
      { at: time(20), state: "running", taskId: "polish" },
    ];
    const seen: Partial<Execution> = {
      state: "running",
      history,
      tasks: [
        { taskId: "draft", state: "completed", agent: "Writer", attempts: [{ number: 1 }] },
        { taskId: "polish", state: "running", attempts: [] },
      ],
    };
    const { spans } = activityOf(anExecution(seen));
    assert.deepEqual(
      spans.map(({ kind, name, start, end, isSeen }) =>
        [kind, name, seconds(start), seconds(end), isSeen].join(" "),
      ),
      [
        "crew Writers 0  ",
        "queue  0 2 ",
        "task draft 2 20 true",
        "attempt draft 2 8 true",
        "wait draft 8 20 true",
        "task polish 20  true",
      ],
    );
    const waiting = anExecution({ ...seen, state: "waiting", history: history.slice(0, 2) });
    assert.equal(activityOf(waiting).spans.at(-1)?.state, "running");
    const queued = activityOf(anExecution());
    assert.deepEqual(outline(queued), ["crew Writers: running", "  queue : running"]);
  });

  it("ends what a restart interrupted at the last event before it, and counts no time until a person let it continue", () => {
    const begun = [
      event("t1", "task_started", 2, { taskName: "draft" }),
      event("a1", "agent_execution_started", 3, { parentId: "t1", agent: "Writer" }),
      event("m1", "llm_call_started", 4, { parentId: "a1", model: "m" }),
      event("c", "execution_continued", 1000),
      event("a2", "agent_execution_started", 1001, { parentId: "t1", agent: "Writer" }),
      // Older versions of crewAI don't say which start it ends.
      event("m2", "llm_call_started", 1002, { parentId: "a2", model: "m" }),
      event("m2e", "llm_call_completed", 1003, { model: "m" }),
    ];
    const activity = activityIn(begun);
    assert.deepEqual(outline(activity).slice(2), [
      "  task draft: running",
      "    agent Writer: interrupted",
      "      model m: interrupted",
      "    agent Writer: running",
      "      model m: completed",
    ]);
    assert.equal(activity.spans.find(({ id }) => id === "a1")?.end, at(4));
    assert.deepEqual(activity.interruptions, [{ from: at(4), to: at(1000) }]);
    const done = [...begun, event("t1e", "task_completed", 1005, { startedId: "t1" })];
    const times = taskTimes(activityIn(done));
    assert.deepEqual(times.get("draft"), { worked: 7 });
  });

  it("begins when a crew says, if it is only tracked here", () => {
    const progress = { completed: 0, unit: "task", startedAt: time(-60) };
    const tracked = anExecution({ state: "running", origin: "tracked", progress });
    assert.equal(activityOf(tracked).spans[0]?.start, at(-60));
  });

  it("adds the pauses that were seen here to events that don't tell them", () => {
    const events = rejected.filter(({ type }) => !type.startsWith("human"));
    const history: StateChange[] = [
      { at: time(5), state: "waiting", taskId: "draft", attempt: 1 },
      { at: time(10), state: "running", taskId: "draft" },
    ];
    const execution = anExecution({ state: "running", history });
    assert.deepEqual(outline(activityOf(execution, kept(events))).slice(2), [
      "  task draft: running",
      "    attempt draft 1: completed",
      "      model m: completed",
      "    wait draft 1: completed",
      "    attempt draft 2: running",
    ]);
    // More may have been missed, so they are not added up.
    assert.equal(taskTimes(activityOf(execution, kept(events))).get("draft")?.waited, undefined);
  });

  it("tells how long each task worked and waited, and its tokens", () => {
    const done = [...rejected, event("t2e", "task_completed", 13, { startedId: "t2" })];
    const times = (events: readonly ActivityEvent[]) => taskTimes(activityIn(events)).get("draft");
    const tokens = { total: 12, prompt: 10, completion: 2 };
    const models = [{ model: "m", tokens }];
    assert.deepEqual(times(done), { worked: 5, waited: 6, tokens, models });
    assert.deepEqual(times(rejected), { waited: 6, tokens, models }, "it still works");
    const inside = [
      event("t1", "task_started", 0, { taskName: "draft" }),
      event("h1", "human_feedback_requested", 2, { taskName: "draft" }),
      event("h1e", "human_feedback_received", 5, { startedId: "h1" }),
      event("t1e", "task_completed", 6, { startedId: "t1" }),
    ];
    assert.deepEqual(times(inside), { worked: 3, waited: 3 });
  });
});

describe("the timeline of a flow", () => {
  /** Of the flow in test/fixtures/crewai/review on crewAI 1.15.30: changes were requested, then it was approved. */
  const recorded = recordedEvents("flow.ndjson");
  const crew = { id: "local:review", name: "review", url: "http://127.0.0.1:1" };

  it("has its methods as rows, with crews inside, a pause where a person answered, and each run of a loop", () => {
    const execution = anExecution({
      crew,
      state: "completed",
      startedAt: new Date(recorded[0]?.at ?? 0).toISOString(),
      endedAt: new Date(recorded.at(-1)?.at ?? 0).toISOString(),
    });
    const { spans } = activityOf(execution, { events: recorded, left: 0 });
    const run = (number: number) => [
      `    attempt write ${number}`,
      `      crew crew ${number}`,
      `        task draft ${number}`,
      `          agent Writer ${number}`,
      `            model gpt-4o-mini ${number}`,
    ];
    assert.deepEqual(
      spans.map(({ depth, kind, name, attempt = "" }) =>
        `${"  ".repeat(depth)}${kind} ${name} ${attempt}`.trimEnd(),
      ),
      [
        "crew review",
        "  task outline 1",
        "  task write",
        ...run(1),
        ...run(2),
        "  task review",
        "    attempt review 1",
        "    wait review 1",
        "    attempt review 2",
        "    wait review 2",
        // It classified the first feedback.
        "  model gpt-4o-mini",
        "  task publish 1",
      ],
    );
    assert.ok(spans.every(({ state }) => state === "completed"));
    const answers = spans.filter(({ kind }) => kind === "wait").map(({ isApprove }) => isApprove);
    assert.deepEqual(answers, [false, true]);
    assert.equal(spans[0]?.tokens?.total, 330);
  });

  it("can't begin at one of its methods", () => {
    const ended = (unit: string) =>
      anExecution({
        crew,
        state: "completed",
        request: { inputs: {}, callbacks: {} },
        tasks: [{ taskId: "write", state: "completed", attempts: [] }],
        progress: { completed: 1, unit },
      });
    assert.equal(canRunAgainFrom(ended("task")), true);
    assert.equal(canRunAgainFrom(ended("step")), false);
  });
});
