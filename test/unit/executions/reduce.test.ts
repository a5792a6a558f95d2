import assert from "node:assert/strict";
import type { StatusReading } from "../../../src/api/types.ts";
import type { Execution } from "../../../src/executions/model.ts";
import {
  applyNotFound,
  applyReading,
  confirmKickoff,
  newExecution,
} from "../../../src/executions/reduce.ts";
import { resumeAnswered, resumeRefused, resumeSending } from "../../../src/executions/resumes.ts";
import { FakeClock } from "./fake-clock.ts";
import { anExecution, aReading, at, notFound, pausing, START, working, time } from "./samples.ts";

const crew = { id: "url:https://crew.test", name: "Writers", url: "https://crew.test" };

/** Applies answers that arrive ten seconds apart. */
function after(execution: Execution, ...readings: readonly StatusReading[]): Execution {
  return readings.reduce(
    (known, reading, index) => applyReading(known, reading, at(10 * (index + 1))),
    execution,
  );
}

function statesOf(execution: Execution): Record<string, string> {
  return Object.fromEntries(execution.tasks.map((task) => [task.taskId, task.state]));
}

describe("newExecution", () => {
  it("keeps what was sent, without secrets", () => {
    const execution = newExecution(
      {
        crew: { ...crew, token: "secret" } as typeof crew,
        origin: "kickoff",
        request: {
          inputs: { topic: "Otters" },
          meta: { team: 7 },
          taskWebhookUrl: "https://hook.test/t",
          humanInputWebhook: {
            url: "https://hook.test/h",
            authentication: { strategy: "bearer", token: "secret" },
          },
          webhooks: {
            events: [],
            url: "https://hook.test/s",
            authentication: { strategy: "bearer", token: "secret" },
          },
        },
      },
      new FakeClock(),
    );
    assert.deepEqual(execution.request, {
      inputs: { topic: "Otters" },
      meta: { team: 7 },
      callbacks: {
        taskWebhookUrl: "https://hook.test/t",
        humanInputWebhook: { url: "https://hook.test/h", authentication: { strategy: "bearer" } },
        webhooks: {
          events: [],
          url: "https://hook.test/s",
          authentication: { strategy: "bearer" },
        },
      },
    });
    assert.ok(!JSON.stringify(execution).includes("secret"));
    assert.equal(execution.state, "unconfirmed");
    assert.equal(execution.startedAt, new Date(START).toISOString());
  });

  it("is unknown at first if it is only tracked, and queued if it was kicked off here", () => {
    assert.equal(
      newExecution({ crew, origin: "tracked", kickoffId: "k" }, new FakeClock()).state,
      "unknown",
    );
    assert.equal(
      newExecution({ crew, origin: "kickoff", kickoffId: "k" }, new FakeClock()).state,
      "queued",
    );
  });

  it("stays `unconfirmed` until it gets its kickoff ID, which it takes once", () => {
    const sent = newExecution(
      { crew, origin: "kickoff", request: { inputs: {} } },
      new FakeClock(),
    );
    const confirmed = confirmKickoff(sent, "k1");
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
      {
        state: "completed",
        output: "Done",
        executionTime: 3,
        endedAt: time(10),
      },
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
  for (const [what, reading, expected] of table) {
    it(`shows ${what}`, () => {
      const execution = after(anExecution(), reading);
      for (const [name, value] of Object.entries(expected)) {
        assert.deepEqual(execution[name as keyof Execution], value, name);
      }
      assert.equal(execution.mayBeWaiting, expected.mayBeWaiting);
      assert.equal(execution.stateText, expected.stateText);
    });
  }

  it("doesn't change an ended execution", () => {
    const ended = after(anExecution(), aReading({ state: "completed", output: "Done" }));
    for (const later of [
      working("a", 0),
      pausing("a"),
      notFound,
      aReading({ state: "failed", error: "Boom" }),
    ]) {
      assert.equal(applyReading(ended, later, at(300)), ended);
    }
  });

  it("only updates the minute of the last answer if nothing else changed", () => {
    const running = after(anExecution(), working("a", 0));
    assert.equal(applyReading(running, working("a", 0), at(30)), running);
    const later = applyReading(running, working("a", 0), at(71));
    assert.deepEqual(later, { ...running, seenAt: time(71) });
  });

  it("clears the details of an unclear state when a definite one arrives", () => {
    const doubtful = after(anExecution(), aReading({ state: "awaiting", stateText: "PAUSED" }));
    const running = applyReading(doubtful, working("a", 0), at(20));
    assert.deepEqual(
      [running.state, running.mayBeWaiting, running.stateText],
      ["running", undefined, undefined],
    );
  });

  it("keeps the waiting task if the crew then only reports a pause", () => {
    const waiting = after(
      anExecution(),
      pausing("review", "Draft"),
      aReading({ state: "awaiting" }),
    );
    assert.equal(waiting.state, "waiting");
    assert.equal(waiting.waiting?.taskId, "review");
  });
});

describe("applyReading: NOT FOUND", () => {
  const running = after(anExecution(), working("a", 0));
  const waiting = after(anExecution(), pausing("review", "Draft"));
  const answered = resumeAnswered(
    resumeSending(
      waiting,
      { taskId: "review", attempt: 1 },
      { isApprove: true, text: "Approved.", at: time(60) },
    ),
    { taskId: "review", attempt: 1 },
    { kickoffId: "k2" },
  );
  const table: readonly [string, Execution, number, boolean][] = [
    ["just after the kickoff", anExecution(), at(1), false],
    ["just before 2 minutes are over", anExecution(), at(119), false],
    ["after 2 minutes", anExecution(), at(120), true],
    ["at once when progress was seen", running, at(15), true],
    ["while a task is known to wait", waiting, at(600), false],
    ["just after a resume", answered, at(61), false],
    ["just before 2 minutes after a resume are over", answered, at(179), false],
    ["2 minutes after a resume", answered, at(180), true],
    [
      "at once when progress was seen after the resume",
      applyReading(answered, working("b", 2), at(70)),
      at(71),
      true,
    ],
    [
      "when it was only queued since the resume",
      applyReading(answered, aReading({ state: "queued" }), at(70)),
      at(71),
      false,
    ],
    [
      "after an unknown state",
      after(anExecution(), aReading({ state: "other", stateText: "X" })),
      at(15),
      true,
    ],
    [
      "without an ID to request",
      anExecution({ kickoffIds: [], state: "unconfirmed" }),
      at(500),
      false,
    ],
  ];
  for (const [when, execution, now, mayWait] of table) {
    it(`${mayWait ? "may be waiting" : "changes nothing"} ${when}`, () => {
      const next = applyReading(execution, notFound, now);
      assert.deepEqual(
        next,
        mayWait
          ? { ...execution, state: "unknown", mayBeWaiting: true, stateText: "NOT FOUND" }
          : execution,
      );
      assert.deepEqual(applyNotFound(execution, now), next, "a 404 means the same");
    });
  }

  it("ignores a resume that the crew refused", () => {
    const target = { taskId: "a", attempt: 1 };
    const sent = resumeSending(anExecution(), target, {
      isApprove: true,
      text: "Approved.",
      at: time(100),
    });
    assert.equal(
      applyReading(resumeRefused(sent, target, "No."), notFound, at(130)).mayBeWaiting,
      true,
    );
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
    assert.deepEqual(statesOf(after(anExecution(), working("research", 0), grown)), {
      research: "completed",
    });
  });

  it("leaves a task running while neither name nor count changes", () => {
    assert.deepEqual(
      statesOf(after(anExecution(), working("a", 0), aReading({ state: "running" }))),
      { a: "running" },
    );
  });

  it("keeps the last progress if an answer has none, and completes it at the end", () => {
    const execution = after(anExecution(), working("a", 1), aReading({ state: "running" }));
    assert.equal(execution.progress?.completed, 1);
    assert.equal(
      applyReading(execution, aReading({ state: "completed" }), at(60)).progress?.completed,
      3,
    );
  });

  it("takes outputs, agents and times from the result, and completes all tasks", () => {
    const result = aReading({
      state: "completed",
      tasks: [
        { taskId: "a", output: "One", agent: "Researcher", executionTime: 1.5 },
        { taskId: "b", output: "Two" },
      ],
    });
    const execution = after(anExecution(), working("a", 0), result);
    assert.deepEqual(execution.tasks, [
      {
        taskId: "a",
        agent: "Researcher",
        executionTime: 1.5,
        state: "completed",
        attempts: [{ number: 1, output: "One" }],
      },
      { taskId: "b", state: "completed", attempts: [{ number: 1, output: "Two" }] },
    ]);
  });

  it("says which task failed, and shows none as running after a stop", () => {
    const running = after(anExecution(), working("a", 0), working("b", 1));
    assert.deepEqual(statesOf(after(running, aReading({ state: "failed" }))), {
      a: "completed",
      b: "failed",
    });
    assert.deepEqual(statesOf(after(running, aReading({ state: "stopped" }))), {
      a: "completed",
      b: "pending",
    });
  });

  it("knows from the end alone which task failed, and the outputs before it in the crew's order", () => {
    const tasks = ["a", "b"].map((taskId) => ({ taskId, output: taskId }));
    const failed = after(anExecution(), {
      ...working("c", 2),
      state: "failed",
      ended: true,
      tasks,
    });
    assert.deepEqual(Object.entries(statesOf(failed)), [
      ["a", "completed"],
      ["b", "completed"],
      ["c", "failed"],
    ]);
  });

  it("adds no attempt if the approved output arrives with other white space or in a code block", () => {
    const target = { taskId: "a", attempt: 1 };
    const waiting = after(anExecution(), pausing("a", "one"));
    const approved = resumeAnswered(
      resumeSending(waiting, target, {
        isApprove: true,
        text: "Approved.",
        at: time(20),
      }),
      target,
      { status: "resumed" },
    );
    for (const output of ["one\n", "\r\none", "```\none\n```"]) {
      const ended = applyReading(
        approved,
        aReading({ state: "completed", output, tasks: [{ taskId: "a", output }] }),
        at(30),
      );
      assert.deepEqual(
        ended.tasks[0]?.attempts.map((attempt) => attempt.output),
        ["one"],
      );
    }
  });

  it("never overwrites an output with another one", () => {
    const waiting = after(anExecution(), pausing("a", "Draft"));
    const ended = after(
      waiting,
      aReading({ state: "completed", tasks: [{ taskId: "a", output: "Final" }] }),
    );
    assert.deepEqual(
      ended.tasks[0]?.attempts.map((attempt) => attempt.output),
      ["Draft", "Final"],
    );
  });
});
