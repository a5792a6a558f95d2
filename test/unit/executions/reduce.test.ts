import assert from "node:assert/strict";
import type { ResumeAnswer, StatusReading } from "../../../src/api/types.ts";
import type { Execution } from "../../../src/executions/model.ts";
import { applyNotFound, confirmKickoff, newExecution } from "../../../src/executions/reduce.ts";
import { resumeAnswered, resumeRefused, resumeSending } from "../../../src/executions/resumes.ts";
import { FakeClock } from "./fake-clock.ts";
import { anExecution, aReading, at, notFound, pausing, read, time, working } from "./samples.ts";

const { crew, startedAt } = anExecution();
const target = { taskId: "a", attempt: 1 };

/** After an approval, which the crew has accepted with this answer. */
const approved = (execution: Execution, seconds: number, answer: ResumeAnswer, of = target) => {
  const feedback = { isApprove: true, text: "Approved.", at: time(seconds) };
  return resumeAnswered(resumeSending(execution, of, feedback), of, answer);
};

function after(execution: Execution, ...readings: readonly StatusReading[]): Execution {
  return readings.reduce(
    (known, reading, index) => read(known, reading, 10 * (index + 1)),
    execution,
  );
}

function statesOf(execution: Execution): Record<string, string> {
  return Object.fromEntries(execution.tasks.map((task) => [task.taskId, task.state]));
}

const outputsOf = ({ tasks }: Execution) => tasks[0]?.attempts.map(({ output }) => output);

describe("newExecution", () => {
  const made = (given: Partial<Parameters<typeof newExecution>[0]>) =>
    newExecution({ crew, origin: "kickoff", ...given }, new FakeClock());

  it("keeps what was sent, without secrets", () => {
    const callbacks = <Authentication>(authentication: Authentication) => ({
      taskWebhookUrl: "https://hook.test/t",
      humanInputWebhook: { url: "https://hook.test/h", authentication },
      webhooks: { events: [], url: "https://hook.test/s", authentication },
    });
    const sent = { inputs: { topic: "Otters" }, meta: { team: 7 } };
    const execution = made({
      crew: { ...crew, token: "secret" } as typeof crew,
      request: { ...sent, ...callbacks({ strategy: "bearer", token: "secret" }) },
    });
    const open = callbacks({ strategy: "bearer" });
    assert.deepEqual(execution.request, { ...sent, callbacks: open });
    assert.ok(!JSON.stringify(execution).includes("secret"));
    assert.equal(execution.state, "unconfirmed");
    assert.equal(execution.startedAt, startedAt);
  });

  it("is unknown at first if it is only tracked, and queued if it was kicked off here", () => {
    assert.equal(made({ origin: "tracked", kickoffId: "k" }).state, "unknown");
    assert.equal(made({ kickoffId: "k" }).state, "queued");
  });

  it("stays `unconfirmed` until it gets its kickoff ID, which it takes once", () => {
    const confirmed = confirmKickoff(made({ request: { inputs: {} } }), "k1");
    assert.deepEqual([confirmed.kickoffIds, confirmed.state], [["k1"], "queued"]);
    assert.equal(confirmKickoff(confirmed, "k1"), confirmed);
  });
});

describe("applyReading: states", () => {
  const table: readonly [string, StatusReading, Partial<Execution>][] = [
    ["queued", aReading({ state: "queued" }), { state: "queued" }],
    ["running", aReading({ state: "running" }), { state: "running" }],
    ["a pause whose task is known", pausing("review", "Draft"), { state: "waiting" }],
    [
      "a pause whose task is not known",
      aReading({ state: "awaiting", stateText: "PAUSED" }),
      { state: "unknown", mayBeWaiting: true, stateText: "PAUSED" },
    ],
    [
      "completed",
      aReading({ state: "completed", output: "Done", executionTime: 3 }),
      { state: "completed", output: "Done", executionTime: 3, endedAt: time(10) },
    ],
    [
      "failed",
      aReading({ state: "failed", error: "Boom" }),
      { state: "failed", error: "Boom", endedAt: time(10) },
    ],
    ["stopped", aReading({ state: "stopped" }), { state: "stopped", endedAt: time(10) }],
    [
      "an unknown state as the crew sent it",
      aReading({ state: "other", stateText: "HIBERNATING" }),
      { state: "unknown", stateText: "HIBERNATING" },
    ],
  ];
  for (const [what, reading, expected] of table)
    it(`shows ${what}`, () => {
      const execution = after(anExecution(), reading);
      for (const [name, value] of Object.entries(expected))
        assert.deepEqual(execution[name as keyof Execution], value, name);
      assert.equal(execution.mayBeWaiting, expected.mayBeWaiting);
      assert.equal(execution.stateText, expected.stateText);
    });

  it("learns what a test says of an execution that a callback ended before", () => {
    const ended = after(anExecution(), aReading({ state: "completed", output: "Done" }));
    const test = { state: "failed" as const, failures: ["It has no tea."] };
    assert.deepEqual(read(ended, aReading({ state: "completed", test }), 300).test, test);
  });

  it("doesn't change an ended execution", () => {
    const ended = after(anExecution(), aReading({ state: "completed", output: "Done" }));
    const failed = aReading({ state: "failed", error: "Boom" });
    for (const later of [working("a", 0), pausing("a"), notFound, failed])
      assert.equal(read(ended, later, 300), ended);
  });

  it("only updates the minute of the last answer if nothing else changed", () => {
    const running = after(anExecution(), working("a", 0));
    assert.equal(read(running, working("a", 0), 30), running);
    const later = read(running, working("a", 0), 71);
    assert.deepEqual(later, { ...running, seenAt: time(71) });
  });

  it("clears the details of an unclear state when a definite one arrives", () => {
    const doubtful = after(anExecution(), aReading({ state: "awaiting", stateText: "PAUSED" }));
    const running = read(doubtful, working("a", 0), 20);
    const { state, mayBeWaiting, stateText } = running;
    assert.deepEqual([state, mayBeWaiting, stateText], ["running", undefined, undefined]);
  });

  it("keeps the waiting task if the crew then only reports a pause", () => {
    const paused = aReading({ state: "awaiting" });
    const { state, waiting } = after(anExecution(), pausing("review", "Draft"), paused);
    assert.deepEqual([state, waiting?.taskId], ["waiting", "review"]);
  });
});

describe("applyReading: NOT FOUND", () => {
  const running = after(anExecution(), working("a", 0));
  const waiting = after(anExecution(), pausing("review", "Draft"));
  const review = { taskId: "review", attempt: 1 };
  const answered = approved(waiting, 60, { kickoffId: "k2" }, review);
  const progressed = read(answered, working("b", 2), 70);
  const queued = aReading({ state: "queued" });
  const odd = aReading({ state: "other", stateText: "X" });
  const unsent = anExecution({ kickoffIds: [], state: "unconfirmed" });
  const table: readonly [string, Execution, number, boolean][] = [
    ["just after the kickoff", anExecution(), 1, false],
    ["just before 2 minutes are over", anExecution(), 119, false],
    ["after 2 minutes", anExecution(), 120, true],
    ["at once when progress was seen", running, 15, true],
    ["while a task is known to wait", waiting, 600, false],
    ["just after a resume", answered, 61, false],
    ["just before 2 minutes after a resume are over", answered, 179, false],
    ["2 minutes after a resume", answered, 180, true],
    ["at once when progress was seen after the resume", progressed, 71, true],
    ["when it was only queued since the resume", read(answered, queued, 70), 71, false],
    ["after an unknown state", after(anExecution(), odd), 15, true],
    ["without an ID to request", unsent, 500, false],
  ];
  for (const [when, execution, now, mayWait] of table)
    it(`${mayWait ? "may be waiting" : "changes nothing"} ${when}`, () => {
      const next = read(execution, notFound, now);
      const doubt = { state: "unknown", mayBeWaiting: true, stateText: "NOT FOUND" };
      assert.deepEqual(next, { ...execution, ...(mayWait && doubt) });
      assert.deepEqual(applyNotFound(execution, at(now)), next, "a 404 means the same");
    });

  it("ignores a resume that the crew refused", () => {
    const feedback = { isApprove: true, text: "Approved.", at: time(100) };
    const sent = resumeSending(anExecution(), target, feedback);
    assert.equal(read(resumeRefused(sent, target, "No."), notFound, 130).mayBeWaiting, true);
  });
});

describe("applyReading: tasks", () => {
  it("completes a task when the next one runs", () => {
    const execution = after(anExecution(), working("research", 0), working("write", 1));
    assert.deepEqual(statesOf(execution), { research: "completed", write: "running" });
    assert.equal(execution.progress?.completed, 1);
  });

  it("completes a task when the count grows and no task is named", () => {
    const grown = aReading({ state: "running", progress: { completed: 1, unit: "task" } });
    const execution = after(anExecution(), working("research", 0), grown);
    assert.deepEqual(statesOf(execution), { research: "completed" });
  });

  it("leaves a task running while neither name nor count changes", () => {
    const execution = after(anExecution(), working("a", 0), aReading({ state: "running" }));
    assert.deepEqual(statesOf(execution), { a: "running" });
  });

  it("keeps the last progress if an answer has none, and completes it at the end", () => {
    const execution = after(anExecution(), working("a", 1), aReading({ state: "running" }));
    assert.equal(execution.progress?.completed, 1);
    const ended = read(execution, aReading({ state: "completed" }), 60);
    assert.equal(ended.progress?.completed, 3);
  });

  it("takes outputs, agents and times from the result, and completes all tasks", () => {
    const [one, two] = [{ taskId: "a", agent: "Researcher", executionTime: 1.5 }, { taskId: "b" }];
    const tasks = [
      { ...one, output: "One" },
      { ...two, output: "Two" },
    ];
    const result = aReading({ state: "completed", tasks });
    const execution = after(anExecution(), working("a", 0), result);
    assert.deepEqual(execution.tasks, [
      { ...one, state: "completed", attempts: [{ number: 1, output: "One" }] },
      { ...two, state: "completed", attempts: [{ number: 1, output: "Two" }] },
    ]);
  });

  it("says which task failed, and shows none as running after a stop", () => {
    const running = after(anExecution(), working("a", 0), working("b", 1));
    for (const [state, b] of [
      ["failed", "failed"],
      ["stopped", "pending"],
    ] as const)
      assert.deepEqual(statesOf(after(running, aReading({ state }))), { a: "completed", b });
  });

  it("knows from the end alone which task failed, and the outputs before it in the crew's order", () => {
    const tasks = ["a", "b"].map((taskId) => ({ taskId, output: taskId }));
    const end = { state: "failed", ended: true, tasks } as const;
    const failed = after(anExecution(), { ...working("c", 2), ...end });
    const states = failed.tasks.map(({ taskId, state }) => `${taskId} ${state}`);
    assert.deepEqual(states, ["a completed", "b completed", "c failed"]);
  });

  it("adds no attempt if the approved output arrives with other white space or in a code block", () => {
    const waiting = after(anExecution(), pausing("a", "one"));
    const answered = approved(waiting, 20, { status: "resumed" });
    for (const output of ["one\n", "\r\none", "```\none\n```"]) {
      const end = aReading({ state: "completed", output, tasks: [{ taskId: "a", output }] });
      assert.deepEqual(outputsOf(read(answered, end, 30)), ["one"]);
    }
  });

  it("never overwrites an output with another one", () => {
    const end = aReading({ state: "completed", tasks: [{ taskId: "a", output: "Final" }] });
    const ended = after(anExecution(), pausing("a", "Draft"), end);
    assert.deepEqual(outputsOf(ended), ["Draft", "Final"]);
  });
});
