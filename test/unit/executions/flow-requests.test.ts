import assert from "node:assert/strict";
import { readStatus } from "../../../src/api/read-status.ts";
import type { StatusReading } from "../../../src/api/types.ts";
import { isOver, requestReceived, withNextRequest } from "../../../src/executions/flow-requests.ts";
import type { Execution } from "../../../src/executions/model.ts";
import { applyReport } from "../../../src/executions/callback-report.ts";
import { readExecution, summaryOf, writeExecution } from "../../../src/executions/record.ts";
import { keepEnd, applyNotFound } from "../../../src/executions/reduce.ts";
import {
  asksFor,
  resumeAnswered,
  resumeRefused,
  resumeSending,
  resumeUnanswered,
} from "../../../src/executions/resumes.ts";
import { anExecution, aReading, at, notFound, pausing, read, time, working } from "./samples.ts";

const request = {
  ...{ id: "r1", taskId: "review", output: "Please review.", callbackUrl: "https://a.test/c" },
  options: ["approved", "rejected"],
};
const target = { taskId: "review", attempt: 1 };
const asked = (changes: Partial<Execution> = {}) =>
  requestReceived(anExecution(changes), request, at(60));
const feedback = { isApprove: true, isAnswer: true, text: "approved", at: time(90) } as const;
const sent = (execution: Execution, of = target) => resumeSending(execution, of, feedback);
const resumed = { status: "resumed" } as const;
const done = aReading({ state: "completed", output: "Done." });
const tasksOf = ({ tasks }: Execution) =>
  tasks.map(({ taskId, state, attempts }) => `${taskId} ${state}: ${attempts[0]?.output}`);

describe("a flow's request", () => {
  it("waits at its method, as an attempt of it, with its answers", () => {
    const execution = asked({ state: "running" });
    assert.equal(execution.state, "waiting");
    assert.deepEqual(execution.waiting, {
      ...target,
      output: "Please review.",
      options: ["approved", "rejected"],
      since: time(60),
    });
    assert.deepEqual(tasksOf(execution), ["review waiting: Please review."]);
  });

  const readings: Readonly<Record<string, StatusReading>> = {
    "that it runs": working("review", 5),
    "that it is queued": aReading({ state: "queued" }),
    "a word that isn't known": aReading({ state: "other", stateText: "SLEEPING" }),
    "a pause of its own": aReading({ state: "awaiting", stateText: "PAUSED" }),
    "that it doesn't know the ID": notFound,
  };
  for (const [name, reading] of Object.entries(readings))
    it(`still waits while a deployed flow's status says ${name}`, () => {
      const execution = read(asked({ state: "running" }), reading, 600);
      assert.equal(execution.state, "waiting");
      assert.deepEqual(execution.waiting?.options, ["approved", "rejected"]);
      assert.equal(applyNotFound(execution, at(700)).state, "waiting");
    });

  it("no longer waits when the flow has ended", () => {
    const execution = read(asked(), done, 90);
    assert.deepEqual([execution.state, execution.waiting], ["completed", undefined]);
    assert.equal(isOver(execution, target), true);
  });

  it("follows the status of a local flow, which shows its pause", () => {
    const crew = { id: "local:file:///a", name: "Mine", url: "http://127.0.0.1:4000" };
    const waiting = read(asked({ crew }), pausing("review", "Please review.", 1), 70);
    assert.deepEqual(waiting.waiting?.options, ["approved", "rejected"]);
    const running = read(waiting, working("publish", 2), 600);
    assert.deepEqual([running.state, running.waiting], ["running", undefined]);
  });

  it("is the pause that a local flow's status has shown before", () => {
    const paused = read(anExecution(), pausing("review", "Draft.", 1), 50);
    const execution = requestReceived(paused, request, at(60));
    const outputs = execution.tasks[0]?.attempts.map(({ number, output }) => [number, output]);
    assert.deepEqual(outputs, [[1, "Please review."]]);
  });

  it("is over only if it no longer waits and was not answered from here", () => {
    const execution = asked();
    const unanswered = resumeUnanswered(sent(execution), target);
    const answered = resumeAnswered(sent(execution), target, resumed);
    const refused = resumeRefused(sent(execution), target, "Already answered");
    for (const each of [execution, sent(execution), unanswered, answered, refused])
      assert.equal(isOver(each, target), false);
    assert.equal(isOver(read(refused, done, 90), target), true);
    assert.equal(answered.state, "running");
  });

  it("counts once, and the next is another attempt that shows that the first was answered", () => {
    const doubtful = resumeUnanswered(sent(asked()), target);
    assert.equal(requestReceived(doubtful, request, at(100)), doubtful);
    const next = requestReceived(doubtful, { ...request, id: "r2" }, at(100));
    assert.equal(next.waiting?.attempt, 2);
    assert.equal(next.resumes[0]?.outcome, "answered");
    assert.deepEqual(next.requestIds, ["r1", "r2"]);
  });

  it("stays open while another method asks, is next when that is answered, and is over at the end", () => {
    const legal = { taskId: "legal", attempt: 1 };
    const question = { output: "Is it legal?", options: ["yes"] };
    const second = { ...request, id: "r2", taskId: "legal", ...question };
    const both = requestReceived(asked({ state: "running" }), second, at(70));
    assert.deepEqual(both.waiting, { ...legal, ...question, since: time(70) });
    const tasks = ["review waiting: Please review.", "legal waiting: Is it legal?"];
    assert.deepEqual(tasksOf(both), tasks);
    assert.deepEqual([isOver(both, target), isOver(both, legal)], [false, false]);
    const next = withNextRequest(resumeAnswered(sent(both, legal), legal, resumed));
    assert.equal(next.state, "waiting");
    assert.deepEqual(next.waiting, asked().waiting);
    assert.equal(read(next, working("legal", 5), 600).state, "waiting");
    const { state, waiting } = withNextRequest(resumeAnswered(sent(next), target, resumed));
    assert.deepEqual([state, waiting], ["running", undefined]);
    const ended = read(both, done, 90);
    assert.deepEqual([isOver(ended, target), isOver(ended, legal)], [true, true]);
  });

  it("opens what had ended, and an end stays final otherwise", () => {
    const ended = anExecution({ state: "completed", endedAt: "2026-10-21T12:00:30.000Z" });
    const open = requestReceived(ended, request, at(60));
    assert.equal(keepEnd(ended, open).state, "waiting");
    assert.equal(keepEnd(ended, { ...ended, state: "running" }).state, "completed");
  });

  it("is stored whole; a list has its answers, and not its address or its texts", () => {
    const execution = sent(asked());
    const texts = writeExecution(execution);
    assert.deepEqual(readExecution(texts), execution);
    const listed = summaryOf(execution);
    assert.deepEqual(listed.waiting?.options, ["approved", "rejected"]);
    assert.deepEqual(listed.requestIds, ["r1"]);
    assert.ok(!JSON.stringify([listed, texts.summary, texts.common]).includes("a.test/c"));
    assert.ok(!JSON.stringify(listed).includes("Please review"));
  });
});

describe("a local flow's question", () => {
  const question = { options: ["publish", "revise"], message: "Right?", defaultOption: "revise" };
  const reading = aReading({
    state: "waiting",
    waiting: { ...target, output: "Draft.", ...question },
  });
  const asked = read(anExecution(), reading, 50);
  const waiting = { ...target, ...question, output: "Draft.", since: time(50) };

  it("waits with its answers, whether a status or a callback tells it", () => {
    const running = anExecution({ state: "running" });
    assert.deepEqual(read(running, reading, 50).waiting, waiting);
    const report = { kind: "pause", taskId: "review", output: "Draft.", ...question } as const;
    assert.deepEqual(applyReport(running, report, at(50)).waiting, waiting);
  });

  it("keeps its answers if a callback or a status leaves them out", () => {
    const report = { kind: "pause", taskId: "review", output: "Draft." } as const;
    assert.deepEqual(applyReport(asked, report, at(51)).waiting, waiting);
    assert.deepEqual(read(asked, pausing("review", "Draft.", 1), 51).waiting, waiting);
  });

  it("is over when the flow runs, and the next one has its own answers", () => {
    const running = read(asked, working("publish", 2), 60);
    assert.deepEqual([running.state, running.waiting], ["running", undefined]);
    const { waiting: next } = read(asked, pausing("legal", "Text.", 1), 60);
    assert.deepEqual([next?.options, next?.message], [undefined, undefined]);
  });

  it("becomes the request of a webhook that asks the same", () => {
    const both = requestReceived(asked, request, at(60));
    assert.equal(both.waiting?.attempt, 1);
    assert.equal(isOver(both, target), false);
  });

  it("still asks at its method after it was answered", () => {
    assert.ok(asksFor(asked, "review") && !asksFor(asked, "write"));
    assert.ok(asksFor(resumeAnswered(sent(asked), target, resumed), "review"));
  });
});

describe("a flow's status", () => {
  it("that names the flow says that a person is awaited, and at no known method", () => {
    const raw = {
      ...{ state: "RUNNING", flow_id: "f1", last_executed_task: { task_id: "write", output: "x" } },
      progress: { unit: "step", completed: 2, total: null },
    };
    const reading = readStatus(raw);
    assert.equal(reading.state, "awaiting");
    const { state, mayBeWaiting, flowId } = read(anExecution(), reading, 60);
    assert.deepEqual([state, mayBeWaiting, flowId], ["unknown", true, "f1"]);
  });

  it("that has ended doesn't wait, and null names none", () => {
    assert.equal(readStatus({ state: "SUCCESS", flow_id: "f1", result: "x" }).state, "completed");
    assert.equal(readStatus({ state: "RUNNING", flow_id: null }).state, "running");
  });
});
