import assert from "node:assert/strict";
import { taskTime, timeUse, wholeTime } from "../../../src/executions/times.ts";
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
const answered = (taskId: string, attempt: number, isApprove: boolean, seconds: number) => {
  const feedback = { isApprove, text: "So.", at: time(seconds) };
  return { taskId, attempt, feedback, outcome: "answered" } satisfies SentResume;
};
const byCrew = (seconds: number) => ({ seconds, isByCrew: true });
const measured = (seconds: number) => ({ seconds, isByCrew: false });
const completed = (seconds: number, notBefore?: string): StateChange => ({
  at: time(seconds),
  state: "completed",
  ...(notBefore !== undefined && { notBefore }),
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
    completed(600),
  ];

  it("is what the crew reports if the task ran once", () => {
    const execution = ended({ history: [running(0, "a"), running(300, "b")] });
    assert.deepEqual(taskTime(done("a", { executionTime: 1.5 }), execution), byCrew(1.5));
    assert.equal(taskTime(done("a", { state: "running", executionTime: 0 }), execution), undefined);
  });

  it("is what the crew's events tell, for each task and for the pauses", () => {
    const attempts = [{ number: 1 }, { number: 2 }];
    const tasks = [
      done("a", { attempts, executionTime: 1, times: { worked: 7.5, waited: 30 } }),
      done("b", { times: { worked: 2.5 } }),
    ];
    const { tasks: each, waited } = timeUse(ended({ tasks, history }));
    const durations = each.map(({ duration }) => duration?.seconds);
    assert.deepEqual(durations, [7.5, 2.5]);
    assert.deepEqual(waited, byCrew(30));
    const short = [done("a", { times: { worked: 1, waited: 0.6 } })];
    assert.deepEqual(timeUse(ended({ tasks: short })).waited, byCrew(0.6));
  });

  it("is measured here if the task ran again, because the crew only reports its last attempt", () => {
    const task = done("a", { executionTime: 100, attempts: [{ number: 1 }, { number: 2 }] });
    assert.deepEqual(taskTime(task, ended({ history })), measured(200));
    assert.equal(taskTime(task, ended({ history: history.slice(3) })), undefined);
    // The attempt before was never seen.
    const hidden = done("a", { executionTime: 100, attempts: [{ number: 2 }] });
    const resumes = [answered("a", 1, false, 400)];
    assert.equal(taskTime(hidden, ended({ resumes })), undefined);
  });

  it("is unknown before the end, and if the task was seen too late or for less than a minute", () => {
    const late = [running(0, "a"), completed(600, time(60))];
    const short = [running(0, "a"), running(40, "b"), completed(600)];
    for (const history of [late, short])
      assert.equal(taskTime(done("a"), ended({ history })), undefined);
    assert.deepEqual(taskTime(done("b"), ended({ history: short })), measured(560));
    const twoTasks = [running(0, "a"), running(300, "b")];
    const open = anExecution({ state: "running", history: twoTasks });
    assert.equal(taskTime(done("a"), open), undefined);
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
      completed(600),
    ];
    const resumes = [answered("a", 1, false, 400), answered("a", 2, true, 560)];
    const tasks = [done("a"), done("b", { executionTime: 40 })];
    assert.deepEqual(timeUse(ended({ history, resumes, tasks })), {
      tasks: [
        { taskId: "a", duration: measured(185) },
        { taskId: "b", duration: byCrew(40) },
      ],
      waited: measured(360),
    });
  });

  it("includes a pause that the crew doesn't report, if it accepted an answer", () => {
    const hidden = { at: time(60), state: "unknown", mayBeWaiting: true } as const;
    const history = [running(0), hidden, running(592), completed(660)];
    const tasks = [done("a", { executionTime: 50 }), done("b", { executionTime: 60 })];
    const waited = (...resumes: readonly SentResume[]) =>
      timeUse(ended({ history, tasks, resumes })).waited;
    assert.deepEqual(waited(answered("a", 1, true, 590)), measured(530));
    assert.equal(waited(), undefined);
    assert.equal(waited(answered("a", 1, true, 600)), undefined);
    assert.equal(waited({ ...answered("a", 1, true, 590), outcome: "refused" }), undefined);
  });
});

describe("The duration of an execution", () => {
  it("is what the crew reports, or what was measured here if the crew omits the pauses", () => {
    assert.equal(wholeTime(anExecution({ state: "running", executionTime: 5 })), undefined);
    assert.deepEqual(wholeTime(ended({ executionTime: 5 })), byCrew(5));
    assert.deepEqual(wholeTime(ended({})), measured(600));
    const history = [waiting(10, "a"), running(500, "b"), completed(600)];
    assert.deepEqual(wholeTime(ended({ executionTime: 5, history })), measured(600));
    const tasks = [done("a", { executionTime: 40 }), done("b", { executionTime: 60 })];
    // Longer than the pause, but shorter than pause and tasks.
    assert.deepEqual(wholeTime(ended({ executionTime: 500, history, tasks })), measured(600));
    assert.deepEqual(wholeTime(ended({ executionTime: 595, history, tasks })), byCrew(595));
    // Tasks may run in parallel.
    assert.deepEqual(wholeTime(ended({ executionTime: 50, tasks })), byCrew(50));
    assert.equal(wholeTime(ended({ origin: "tracked" })), undefined);
    const seenLate = [completed(600, time(30))];
    assert.equal(wholeTime(ended({ history: seenLate })), undefined);
  });
});
