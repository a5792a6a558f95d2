import assert from "node:assert/strict";
import { wholeTime } from "../../../src/executions/times.ts";
import { readStatus } from "../../../src/api/read-status.ts";
import {
  applyReport,
  type CallbackReport,
  startReported,
} from "../../../src/executions/callback-report.ts";
import type { Execution } from "../../../src/executions/model.ts";
import { keepEnd } from "../../../src/executions/reduce.ts";
import { resumeAnswered, resumeSending } from "../../../src/executions/resumes.ts";
import { anExecution, at, notFound, pausing, read, time, working } from "./samples.ts";

const pause = (output?: string, taskId = "review"): CallbackReport => ({
  kind: "pause",
  taskId,
  ...(output === undefined ? {} : { output }),
});
const task = (taskId: string, output: string): CallbackReport => ({ kind: "task", taskId, output });
const end: CallbackReport = {
  kind: "end",
  reading: readStatus({ state: "SUCCESS", result: "The end.", token_usage: { total_tokens: 9 } }),
};

const report = (execution: Execution, given: CallbackReport, seconds: number) =>
  applyReport(execution, given, at(seconds));

/** Each a second after the one before. */
function heardAll(execution: Execution, ...all: readonly CallbackReport[]): Execution {
  return all.reduce((known, given, index) => report(known, given, index + 1), execution);
}

function answered(execution: Execution, isApprove: boolean, seconds: number, id?: string) {
  const { taskId = "review", attempt = 1 } = execution.waiting ?? {};
  const feedback = { isApprove, text: "Words", at: time(seconds) };
  const sent = resumeSending(execution, { taskId, attempt }, feedback);
  const answer = id === undefined ? { status: "retrying" as const } : { kickoffId: id };
  return resumeAnswered(sent, { taskId, attempt }, { ...answer }, at(seconds));
}

const target = { taskId: "review", attempt: 1 };
const attemptsOf = (execution: Execution, taskId = "review") =>
  execution.tasks
    .find((each) => each.taskId === taskId)
    ?.attempts.map(({ number, output }) => [number, output]);

describe("an execution that is called back", () => {
  it("waits at the task that a callback names, which lenses and notifications need", () => {
    const execution = heardAll(anExecution(), task("write", "Text"), pause("# Draft"));
    assert.equal(execution.state, "waiting");
    assert.deepEqual(execution.waiting, { ...target, output: "# Draft", since: time(2) });
    const states = execution.tasks.map(({ taskId, state }) => `${taskId} ${state}`);
    assert.deepEqual(states, ["write completed", "review waiting"]);
  });

  it("is known to wait at once if polling could only tell that it may", () => {
    const running = read(anExecution(), working("review", 1), 1);
    const doubtful = read(running, notFound, 5);
    assert.equal(doubtful.mayBeWaiting, true);
    const { state, mayBeWaiting, waiting } = report(doubtful, pause("# Draft"), 6);
    assert.deepEqual([state, mayBeWaiting, waiting?.attempt], ["waiting", undefined, 1]);
  });

  it("stays waiting while status answers know nothing, or not yet, of the pause", () => {
    const waiting = heardAll(anExecution(), pause("# Draft"));
    assert.deepEqual(read(waiting, notFound, 900).waiting, waiting.waiting);
    assert.deepEqual(read(waiting, working("review", 1), 3).waiting, waiting.waiting);
    assert.equal(read(waiting, working("publish", 2), 60).state, "running");
  });

  it("has the same pause, whichever of callback and poll comes first", () => {
    const [draft, status] = [pause("# Draft"), pausing("review", "# Draft", 1)];
    const first = read(heardAll(anExecution(), draft), status, 2);
    const second = report(read(anExecution(), status, 1), draft, 2);
    for (const execution of [first, second]) {
      assert.deepEqual(attemptsOf(execution), [[1, "# Draft"]]);
      assert.equal(execution.waiting?.since, time(1));
    }
  });

  it("gets the task's output and its pause in any order", () => {
    const expected = heardAll(anExecution(), task("review", "# Draft"), pause("# Draft"));
    const turned = heardAll(anExecution(), pause("# Draft"), task("review", "# Draft"));
    assert.deepEqual(attemptsOf(expected), [[1, "# Draft"]]);
    assert.deepEqual(attemptsOf(turned), [[1, "# Draft"]]);
    assert.equal(turned.state, "waiting");
    assert.equal(turned.tasks[0]?.state, "waiting");
  });

  it("waits again after a rejection, with another output or the same one", () => {
    const rejected = answered(heardAll(anExecution(), pause("# Draft")), false, 5, "k2");
    assert.equal(rejected.state, "running");
    for (const output of ["# Better", "# Draft"]) {
      const again = report(rejected, pause(output), 7);
      assert.deepEqual([again.state, again.waiting?.attempt], ["waiting", 2]);
      assert.deepEqual(attemptsOf(again), [
        [1, "# Draft"],
        [2, output],
      ]);
      assert.equal(again.resumes[0]?.isFollowed, true);
    }
  });

  it("doesn't wait again because of a late callback of a pause that polling reported", () => {
    const polled = read(anExecution(), pausing("review", "# Draft", 1), 1);
    const approved = answered(polled, true, 2);
    const late = report(approved, pause("# Draft"), 60);
    assert.deepEqual([late.state, late.waiting], ["running", undefined]);
    assert.deepEqual(attemptsOf(late), [[1, "# Draft"]]);
    const rejected = answered(polled, false, 2);
    const next = heardAll(rejected, task("review", "# Better"), pause("# Draft"));
    assert.equal(next.waiting, undefined, "the next attempt is known already");
  });

  it("keeps the next pause if its callback overtakes the response to the feedback", () => {
    const waiting = heardAll(anExecution(), pause("# Draft"));
    const feedback = { isApprove: false, text: "Shorter.", at: time(2) };
    const next = report(resumeSending(waiting, target, feedback), pause("# Short"), 3);
    const after = resumeAnswered(next, target, { kickoffId: "k2" }, at(4));
    assert.deepEqual([after.state, after.waiting?.attempt], ["waiting", 2]);
    assert.equal(after.tasks[0]?.state, "waiting");
    assert.deepEqual(after.kickoffIds, ["k1", "k2"]);
  });

  it("adds no attempt for an output that comes again, or late", () => {
    const rejected = answered(heardAll(anExecution(), pause("# Draft")), false, 5);
    const better = heardAll(rejected, task("review", "# Better"), task("review", "# Draft"));
    assert.deepEqual(attemptsOf(better), [
      [1, "# Draft"],
      [2, "# Better"],
    ]);
  });

  it("ends with the crew's result and tokens, and never regresses", () => {
    const ended = heardAll(anExecution(), task("write", "Text"), end);
    const { state, output, usage, endedAt } = ended;
    assert.deepEqual([state, output, usage], ["completed", "The end.", { total: 9 }]);
    assert.equal(endedAt, time(2));
    for (const given of [pause("# Draft"), task("write", "Other"), task("late", "Late"), end]) {
      const after = keepEnd(ended, report(ended, given, 9));
      assert.partialDeepStrictEqual(after, { state, output, endedAt });
      assert.equal(after.waiting, undefined);
    }
    const late = keepEnd(ended, report(ended, task("late", "Late"), 9));
    assert.deepEqual(attemptsOf(late, "late"), [[1, "Late"]], "but a late output is kept");
    assert.deepEqual(read(ended, working("write", 0), 10), ended);
  });

  it("has no longer the time that a status reported while it ran, when a callback ends it", () => {
    const running = read(anExecution(), { ...working("review", 1), executionTime: 2 }, 2);
    assert.equal(running.executionTime, 2);
    assert.equal(report(running, end, 60).executionTime, undefined);
  });

  it("has the time of a local crew that has ended before, whichever of status and callback is the first to report it", () => {
    const crew = { id: "local:file:///crew", name: "Mine", url: "http://127.0.0.1:1" };
    const reading = readStatus({ state: "SUCCESS", result: "The end.", execution_time: 20 });
    const local = anExecution({ crew });
    const late: CallbackReport = { kind: "end", reading };
    for (const ended of [report(local, late, 600), read(local, reading, 600)]) {
      assert.equal(ended.endedAt, time(20));
      assert.deepEqual(wholeTime(ended), { seconds: 20, isByCrew: true });
    }
    assert.equal(read(anExecution(), reading, 600).endedAt, time(600));
    const history = [{ at: time(21), state: "running" as const }];
    const seen = read(anExecution({ crew, history }), reading, 600);
    assert.equal(seen.endedAt, time(20), "also if it was first seen to run");
    const first = report(local, end, 600);
    assert.equal(wholeTime(keepEnd(first, report(first, late, 601)))?.seconds, 20);
  });

  it("keeps what its status reported of undelivered callbacks when it ends", () => {
    const undelivered = [{ kind: "task", count: 1, attempts: 2 }];
    const ended = heardAll(anExecution({ undelivered }), end);
    assert.deepEqual([ended.state, ended.undelivered], ["completed", undelivered]);
  });

  it("gets its ID from a callback if the kickoff has no response", () => {
    const unconfirmed = anExecution({ kickoffIds: [], state: "unconfirmed" });
    const known = startReported(unconfirmed, "k9");
    assert.deepEqual([known.kickoffIds, known.state], [["k9"], "queued"]);
    assert.deepEqual(startReported(known, "forged").kickoffIds, ["k9"]);
  });
});
