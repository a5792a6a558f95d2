import assert from "node:assert/strict";
import { stateChanges, taskTime, timeUse, wholeTime } from "../../../src/executions/times.ts";
import type {
  Execution,
  ExecutionTask,
  SentResume,
  StateChange,
} from "../../../src/executions/model.ts";
import { anExecution, time } from "./samples.ts";

const done = (taskId: string, changes: Partial<ExecutionTask> = {}): ExecutionTask => ({
  taskId,
  state: "completed",
  attempts: [],
  ...changes,
});
const ended = (changes: Partial<Execution>) =>
  anExecution({
    state: "completed",
    endedAt: time(600),
    tasks: [done("a"), done("b")],
    ...changes,
  });
const answered = (
  taskId: string,
  attempt: number,
  isApprove: boolean,
  seconds: number,
): SentResume => ({
  taskId,
  attempt,
  feedback: { isApprove, text: "So.", at: time(seconds) },
  outcome: "answered",
});
const running = (seconds: number, taskId?: string): StateChange => ({
  at: time(seconds),
  state: "running",
  ...(taskId === undefined ? {} : { taskId }),
});
const waiting = (seconds: number, taskId: string, attempt = 1): StateChange => ({
  at: time(seconds),
  state: "waiting",
  taskId,
  attempt,
});

describe("The duration of a task", () => {
  const history = [
    running(0, "a"),
    waiting(100, "a"),
    running(400, "a"),
    running(500, "b"),
    { at: time(600), state: "completed" } as const,
  ];

  it("is what the crew reports if the task ran once", () => {
    const execution = ended({ history: [running(0, "a"), running(300, "b")] });
    assert.deepEqual(taskTime(done("a", { executionTime: 1.5 }), execution), {
      seconds: 1.5,
      isByCrew: true,
    });
    assert.equal(taskTime(done("a", { state: "running", executionTime: 0 }), execution), undefined);
  });

  it("is what the crew's events tell, for each task and for the pauses", () => {
    const attempts = [{ number: 1 }, { number: 2 }];
    const tasks = [
      done("a", { attempts, executionTime: 1, times: { worked: 7.5, waited: 30 } }),
      done("b", { times: { worked: 2.5 } }),
    ];
    const { tasks: each, waited } = timeUse(ended({ tasks, history }));
    assert.deepEqual(
      each.map(({ duration }) => duration?.seconds),
      [7.5, 2.5],
    );
    assert.deepEqual(waited, { seconds: 30, isByCrew: true });
    const short = [done("a", { times: { worked: 1, waited: 0.6 } })];
    assert.deepEqual(timeUse(ended({ tasks: short })).waited, { seconds: 0.6, isByCrew: true });
  });

  it("is measured here if the task ran again, because the crew only reports its last attempt", () => {
    const task = done("a", { executionTime: 100, attempts: [{ number: 1 }, { number: 2 }] });
    assert.deepEqual(taskTime(task, ended({ history })), { seconds: 200, isByCrew: false });
    assert.equal(taskTime(task, ended({ history: history.slice(3) })), undefined);
    const hidden = done("a", { executionTime: 100, attempts: [{ number: 2 }] });
    assert.equal(
      taskTime(hidden, ended({ resumes: [answered("a", 1, false, 400)] })),
      undefined,
      "the attempt before was never seen",
    );
  });

  it("is unknown before the end, and if the task was seen too late or for less than a minute", () => {
    const late: StateChange[] = [
      running(0, "a"),
      { at: time(600), state: "completed", notBefore: time(60) },
    ];
    const short: StateChange[] = [
      running(0, "a"),
      running(40, "b"),
      { at: time(600), state: "completed" },
    ];
    assert.deepEqual(
      [late, short].map((history) => taskTime(done("a"), ended({ history }))),
      [undefined, undefined],
    );
    assert.deepEqual(taskTime(done("b"), ended({ history: short })), {
      seconds: 560,
      isByCrew: false,
    });
    assert.equal(
      taskTime(
        done("a"),
        anExecution({ state: "running", history: [running(0, "a"), running(300, "b")] }),
      ),
      undefined,
    );
  });

  it("ends with the approval, even if the crew still reports the task", () => {
    const execution = ended({ history, resumes: [answered("a", 1, true, 400)] });
    assert.deepEqual(stateChanges(execution)[2], running(400));
    assert.deepEqual(taskTime(done("a"), execution), { seconds: 100, isByCrew: false });
  });
});

describe("The time use of an execution", () => {
  it("includes the pauses, each from when it was first seen to the answer", () => {
    const history = [
      running(0, "a"),
      waiting(100, "a"),
      running(415, "a"),
      waiting(500, "a", 2),
      running(560, "b"),
      { at: time(600), state: "completed" } as const,
    ];
    const resumes = [answered("a", 1, false, 400), answered("a", 2, true, 560)];
    assert.deepEqual(
      timeUse(ended({ history, resumes, tasks: [done("a"), done("b", { executionTime: 40 })] })),
      {
        tasks: [
          { taskId: "a", duration: { seconds: 185, isByCrew: false } },
          { taskId: "b", duration: { seconds: 40, isByCrew: true } },
        ],
        waited: { seconds: 360, isByCrew: false },
      },
    );
  });

  it("includes a pause that the crew doesn't report, if it accepted an answer", () => {
    const hidden = { at: time(60), state: "unknown", mayBeWaiting: true } as const;
    const history = [
      running(0),
      hidden,
      running(592),
      { at: time(660), state: "completed" } as const,
    ];
    const tasks = [done("a", { executionTime: 50 }), done("b", { executionTime: 60 })];
    assert.deepEqual(
      timeUse(ended({ history, tasks, resumes: [answered("a", 1, true, 590)] })).waited,
      { seconds: 530, isByCrew: false },
    );
    for (const resumes of [
      [],
      [answered("a", 1, true, 600)],
      [{ ...answered("a", 1, true, 590), outcome: "refused" } as const],
    ])
      assert.equal(timeUse(ended({ history, tasks, resumes })).waited, undefined);
  });
});

describe("The duration of an execution", () => {
  it("is what the crew reports, or what was measured here if the crew omits the pauses", () => {
    assert.equal(wholeTime(anExecution({ state: "running", executionTime: 5 })), undefined);
    assert.deepEqual(wholeTime(ended({ executionTime: 5 })), { seconds: 5, isByCrew: true });
    assert.deepEqual(wholeTime(ended({})), { seconds: 600, isByCrew: false });
    const history = [
      waiting(10, "a"),
      running(500, "b"),
      { at: time(600), state: "completed" } as const,
    ];
    assert.deepEqual(wholeTime(ended({ executionTime: 5, history })), {
      seconds: 600,
      isByCrew: false,
    });
    const tasks = [done("a", { executionTime: 40 }), done("b", { executionTime: 60 })];
    assert.deepEqual(
      wholeTime(ended({ executionTime: 500, history, tasks })),
      { seconds: 600, isByCrew: false },
      "longer than the pause, but shorter than pause and tasks",
    );
    assert.deepEqual(wholeTime(ended({ executionTime: 595, history, tasks })), {
      seconds: 595,
      isByCrew: true,
    });
    assert.deepEqual(
      wholeTime(ended({ executionTime: 50, tasks })),
      { seconds: 50, isByCrew: true },
      "tasks may run in parallel",
    );
    assert.equal(wholeTime(ended({ origin: "tracked" })), undefined);
    assert.equal(
      wholeTime(ended({ history: [{ at: time(600), state: "completed", notBefore: time(30) }] })),
      undefined,
      "its end was seen late",
    );
  });
});
