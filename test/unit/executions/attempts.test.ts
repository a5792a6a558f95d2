import assert from "node:assert/strict";
import type { ResumeAnswer } from "../../../src/api/types.ts";
import type { Execution } from "../../../src/executions/model.ts";
import {
  acceptedBefore,
  answeredPause,
  attemptToAnswer,
  resumeAnswered,
  resumeRefused,
  resumeSending,
  resumesOf,
  resumeUnanswered,
} from "../../../src/executions/resumes.ts";
import { anExecution, aReading, at, notFound, pausing, read, time, working } from "./samples.ts";
import { attemptPairs, isSameOutput } from "../../../src/executions/tasks.ts";

const retrying: ResumeAnswer = { status: "retrying", message: "Task will be retried" };
const resumed: ResumeAnswer = { status: "resumed", message: "Resumed" };

/** What feedback would be about now. */
const targetOf = (execution: Execution, taskId = "review") => ({
  taskId,
  attempt: attemptToAnswer(execution, taskId),
});

/** Sends feedback for a waiting task at that second, without a response. */
function sending(execution: Execution, text: string, seconds: number, taskId?: string): Execution {
  const feedback = { isApprove: text === "Approved.", text, at: time(seconds) };
  return resumeSending(execution, targetOf(execution, taskId), feedback);
}

const reject = (execution: Execution, text: string, seconds: number) =>
  resumeAnswered(sending(execution, text, seconds), targetOf(execution), retrying);

const approve = (execution: Execution, seconds: number, answer = resumed) =>
  resumeAnswered(sending(execution, "Approved.", seconds), targetOf(execution), answer);

const target = { taskId: "review", attempt: 1 };
const attemptsOf = ({ tasks }: Execution) =>
  tasks[0]?.attempts.map(({ number, output, feedback }) => [number, output, feedback?.text]);
const unclear = ({ state, mayBeWaiting, stillPaused }: Execution) => [
  state,
  mayBeWaiting,
  stillPaused,
];
const waiting = read(
  read(anExecution(), working("review", 1), 5),
  pausing("review", "Draft 1"),
  10,
);

describe("the attempts of a task", () => {
  it("say which output waits and since when", () => {
    assert.deepEqual(waiting.waiting, { ...target, output: "Draft 1", since: time(10) });
    const later = read(waiting, pausing("review", "Draft 1"), 100);
    assert.equal(later.waiting?.since, time(10));
  });

  it("keep a rejected output and its feedback next to the new output", () => {
    const rejected = reject(waiting, "Shorter.", 20);
    const { state, waiting: still, tasks } = rejected;
    assert.deepEqual([state, still, tasks[0]?.state], ["running", undefined, "running"]);
    const second = read(rejected, pausing("review", "Draft 2"), 30);
    assert.deepEqual(second.tasks, [
      {
        taskId: "review",
        state: "waiting",
        attempts: [
          {
            number: 1,
            output: "Draft 1",
            feedback: { isApprove: false, text: "Shorter.", at: time(20) },
          },
          { number: 2, output: "Draft 2" },
        ],
      },
    ]);
    assert.deepEqual([second.waiting?.attempt, second.waiting?.output], [2, "Draft 2"]);
  });

  it("complete the task on approval, even if the crew still reports it as running", () => {
    const approved = approve(waiting, 20);
    assert.deepEqual(
      [approved.state, approved.tasks[0]?.state, approved.tasks[0]?.attempts[0]?.output],
      ["running", "completed", "Draft 1"],
    );
    assert.equal(read(approved, working("review", 1), 21).tasks[0]?.state, "completed");
  });

  it("use the crew's own number", () => {
    const third = read(waiting, pausing("review", "Draft 3", 3), 30);
    assert.equal(third.waiting?.attempt, 3);
    const numbers = attemptsOf(third)?.map(([number]) => number);
    assert.deepEqual(numbers, [1, 3]);
  });

  it("count the same output as the next attempt if the crew was running in between, but not at once: one of its servers may be behind", () => {
    const working1 = read(reject(waiting, "Shorter.", 20), working("review", 1), 25);
    const behind = read(working1, pausing("review", "Draft 1"), 28);
    const state = [behind.state, behind.waiting, behind.stillPaused];
    assert.deepEqual(state, ["running", undefined, target]);
    assert.equal(read(behind, pausing("review", "Draft 1"), 40).waiting?.attempt, 2);
  });

  // The documented dialect numbers attempts; the live one doesn't, and may report the output with other white space.
  for (const [dialect, same] of [
    ["numbers its attempts", pausing("review", "Draft 1", 1)],
    ["does not number them", pausing("review", "Draft 1\n")],
    ["reports no output", pausing("review")],
  ] as const) {
    describe(`after an answered pause that a crew still reports which ${dialect}`, () => {
      for (const [what, answered] of [
        ["accepted approval", approve(waiting, 20)],
        ["accepted rejection", reject(waiting, "Shorter.", 20)],
      ] as const) {
        it(`say for a minute after an ${what} that the crew still reports the pause`, () => {
          for (const seconds of [22, 32, 79]) {
            const lagging = read(answered, same, seconds);
            const state = [lagging.state, lagging.waiting, lagging.stillPaused];
            assert.deepEqual(state, ["running", undefined, target], `after ${seconds - 20} s`);
            assert.equal(lagging.tasks[0]?.attempts.length, 1);
            assert.equal(answeredPause(lagging)?.feedback.isApprove, what === "accepted approval");
            // Feedback by a typed task ID is for the same output.
            assert.equal(attemptToAnswer(lagging, "review"), 1);
          }
        });

        it(`wait again, as the same attempt, a minute after an ${what}`, () => {
          const again = read(read(answered, same, 32), same, 80);
          const { state, waiting: now, stillPaused } = again;
          assert.deepEqual([state, now?.attempt, stillPaused], ["waiting", 1, undefined]);
          assert.equal(answeredPause(again)?.outcome, "answered");
          assert.equal(again.tasks[0]?.attempts.length, 1);
        });
      }
    });
  }

  it("say that the crew still reports the pause even if it doesn't name the task", () => {
    const paused = aReading({ state: "awaiting", stateText: "PAUSED" });
    const lagging = read(approve(waiting, 20), paused, 32);
    assert.deepEqual([lagging.state, lagging.stillPaused], ["running", target]);
    const later = read(lagging, paused, 80);
    assert.deepEqual(unclear(later), ["unknown", true, undefined]);
    assert.equal(acceptedBefore(later, "review")?.outcome, "answered");
    assert.equal(acceptedBefore(read(lagging, working("write", 2), 40), "review"), undefined);
  });

  it("show that unanswered feedback arrived if the execution completes, but not if it was stopped, whether its end or the missing response was noticed first", () => {
    const sent = sending(waiting, "Approved.", 20);
    for (const [state, outcome] of [
      ["stopped", "unanswered"],
      ["completed", "answered"],
    ] as const)
      for (const each of [
        read(resumeUnanswered(sent, target), aReading({ state }), 30),
        resumeUnanswered(read(sent, aReading({ state }), 30), target),
      ])
        assert.equal(each.resumes[0]?.outcome, outcome);
  });

  it("count the minute from when the crew accepted the feedback, not from when it was written", () => {
    const answered = resumeAnswered(sending(waiting, "Approved.", 20), target, resumed, at(75));
    assert.equal(read(answered, pausing("review", "Draft 1", 1), 100).state, "running");
    assert.equal(read(answered, pausing("review", "Draft 1", 1), 135).state, "waiting");
  });

  // Observed in the live dialect: the response has a new ID, under which everything happened after the feedback.
  it("treat a pause under a new ID from the response as a new one", () => {
    const followed = approve(waiting, 20, { kickoffId: "k2" });
    const paused = read(followed, aReading({ state: "awaiting", stateText: "PAUSED" }), 22);
    assert.deepEqual(unclear(paused), ["unknown", true, undefined]);
    assert.equal(acceptedBefore(followed, "review"), undefined);
    for (const output of ["Draft 1", undefined]) {
      const again = read(followed, pausing("review", output), 35);
      assert.deepEqual([again.state, again.waiting?.attempt], ["waiting", 2]);
      assert.equal(answeredPause(again), undefined);
    }
  });

  it("forget the answered pause once the crew reports anything else", () => {
    const lagging = read(approve(waiting, 20), pausing("review", "Draft 1", 1), 32);
    for (const reading of [
      working("write", 2),
      pausing("write", "Text"),
      aReading({ state: "queued" }),
      aReading({ state: "awaiting" }),
      aReading({ state: "completed" }),
      notFound,
    ]) {
      const next = read(lagging, reading, 150);
      assert.equal(next.stillPaused, undefined, reading.stateText);
      assert.equal(answeredPause(next), undefined, reading.stateText);
    }
  });

  it("are distinguished by output if a crew reuses a number", () => {
    const draft = pausing("review", "Draft 2", 1);
    const second = read(reject(waiting, "Shorter.", 20), draft, 25);
    assert.deepEqual([second.waiting?.attempt, second.waiting?.output], [2, "Draft 2"]);
    assert.equal(read(second, draft, 200).waiting?.attempt, 2);
    assert.deepEqual(attemptsOf(second), [
      [1, "Draft 1", "Shorter."],
      [2, "Draft 2", undefined],
    ]);
  });

  it("no longer wait when someone else answered", () => {
    const running = read(waiting, working("write", 2), 30);
    const states = running.tasks.map(({ taskId, state }) => `${taskId} ${state}`);
    assert.deepEqual(states, ["review completed", "write running"]);
    assert.equal(running.waiting, undefined);
    const unnamed = read(waiting, aReading({ state: "running" }), 30);
    assert.equal(unnamed.tasks[0]?.state, "running");
  });
});

describe("a resume", () => {
  it("adds a new ID, under which the execution continues", () => {
    const approved = approve(waiting, 20, { kickoffId: "k2" });
    assert.deepEqual(approved.kickoffIds, ["k1", "k2"]);
    assert.equal(approved.resumes[0]?.answer, "k2");
    assert.deepEqual(approve(waiting, 20, { kickoffId: "k1" }).kickoffIds, ["k1"]);
  });

  it("reopens an ended execution only with a new ID", () => {
    const ended = read(waiting, aReading({ state: "completed", output: "Done" }), 15);
    assert.equal(approve(ended, 20).state, "completed");
    const reopened = approve(ended, 20, { kickoffId: "k2" });
    const { state, endedAt, output } = reopened;
    assert.deepEqual([state, endedAt, output], ["running", undefined, undefined]);
  });

  it("changes nothing else if refused, and can be sent again", () => {
    const refused = resumeRefused(
      sending(waiting, "Approved.", 20),
      target,
      "Not in pending state",
    );
    assert.deepEqual({ ...refused, resumes: [] }, waiting);
    assert.deepEqual(resumesOf(refused, target), []);
    assert.equal(refused.resumes[0]?.outcome, "refused");
  });

  it("stays unanswered while the same output waits or the state is unclear", () => {
    const unanswered = resumeUnanswered(sending(waiting, "Shorter.", 20), target, "Timed out");
    for (const reading of [
      pausing("review", "Draft 1"),
      pausing("review", "Draft 1", 1),
      notFound,
      aReading({ state: "awaiting" }),
    ]) {
      const next = read(unanswered, reading, 60);
      assert.equal(next.resumes[0]?.outcome, "unanswered", reading.stateText);
      assert.equal(next.waiting?.attempt, 1);
    }
  });

  it("counts as answered when the crew continues, even without a response", () => {
    const unanswered = resumeUnanswered(sending(waiting, "Shorter.", 20), target);
    for (const reading of [
      working("review", 1),
      pausing("review", "Draft 2"),
      pausing("review", "Draft 1", 2),
      pausing("other"),
      aReading({ state: "completed" }),
    ]) {
      const next = read(unanswered, reading, 60);
      assert.equal(next.resumes[0]?.outcome, "answered", reading.stateText);
      assert.equal(next.tasks[0]?.attempts[0]?.feedback?.text, "Shorter.");
    }
  });

  it("is kept twice if the person sent it twice; the response belongs to the last one", () => {
    const sent = sending(waiting, "Approved.", 20);
    const again = sending(resumeUnanswered(sent, target), "Approved.", 40);
    assert.equal(resumesOf(again, target).length, 2);
    const settled = resumeAnswered(again, target, resumed);
    const outcomes = settled.resumes.map((resume) => resume.outcome);
    assert.deepEqual(outcomes, ["unanswered", "answered"]);
  });

  it("with a typed task ID needs no known pause", () => {
    const doubtful = read(anExecution(), notFound, 130);
    const sent = sending(doubtful, "Approved.", 140, "uuid-1");
    const approved = resumeAnswered(sent, targetOf(doubtful, "uuid-1"), { kickoffId: "k2" });
    const { state, mayBeWaiting, stateText } = approved;
    assert.deepEqual([state, mayBeWaiting, stateText], ["running", undefined, undefined]);
    const feedback = { isApprove: true, text: "Approved.", at: time(140) };
    const attempts = [{ number: 1, feedback }];
    assert.deepEqual(approved.tasks[0], { taskId: "uuid-1", state: "completed", attempts });
    assert.equal(attemptToAnswer(approved, "uuid-1"), 2);
  });
});

describe("attempts to compare", () => {
  it("are each attempt and the one before it, for every task, without unknown outputs", () => {
    const outputs = (...values: readonly (string | undefined)[]) =>
      values.map((output, at) => ({ number: at + 1, ...(output === undefined ? {} : { output }) }));
    const review = { taskId: "review", state: "waiting" as const };
    const tasks = [
      { taskId: "outline", state: "completed" as const, attempts: outputs("a", "b", "b") },
      { taskId: "draft", state: "completed" as const, attempts: outputs("a") },
      { ...review, attempts: outputs(undefined, "a", undefined, "b") },
      { taskId: "publish", state: "pending" as const, attempts: [] },
    ];
    assert.deepEqual(attemptPairs({ tasks }), [
      { taskId: "outline", previous: 1, attempt: 2 },
      { taskId: "outline", previous: 2, attempt: 3 },
      { taskId: "review", previous: 2, attempt: 4 },
    ]);
  });
});

describe("two outputs of a task", () => {
  for (const [how, one, other] of [
    ["word for word", "one", "one"],
    ["with a line break at the end", "one", "one\n"],
    ["with white space around", "one", " \n one\t\n\n"],
    ["with the line endings of another system", "one\ntwo\n", "one\r\ntwo"],
    ["inside a code block", '{"a": 1}', '```json\n{"a": 1}\n```\n'],
    ["inside a code block without a language", "one\n\ntwo", "```\none\n\ntwo\n```"],
    ["that are empty", "", "\n"],
  ] as const)
    it(`are the same ${how}`, () => {
      assert.ok(isSameOutput(one, other));
      assert.ok(isSameOutput(other, one));
    });

  for (const [how, one, other] of [
    ["by a word", "one", "two"],
    ["by a line break inside", "one two", "one\ntwo"],
    ["by the indentation inside", "a:\n  b", "a:\nb"],
    ["by one of two code blocks", "```js\na\n```\nand\n```js\nb\n```", "a\n```\nand\n```js\nb"],
  ] as const)
    it(`differ ${how}`, () => assert.ok(!isSameOutput(one, other)));
});
