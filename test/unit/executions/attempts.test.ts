import assert from "node:assert/strict";
import type { ResumeAnswer } from "../../../src/api/types.ts";
import type { Execution } from "../../../src/executions/model.ts";
import { applyReading } from "../../../src/executions/reduce.ts";
import {
  answeredPause,
  attemptToAnswer,
  resumeAnswered,
  resumeRefused,
  resumeSending,
  resumesOf,
  resumeUnanswered,
  unfollowed,
} from "../../../src/executions/resumes.ts";
import { anExecution, aReading, at, notFound, pausing, working, time } from "./samples.ts";

const retrying: ResumeAnswer = { status: "retrying", message: "Task will be retried" };
const resumed: ResumeAnswer = { status: "resumed", message: "Resumed" };

/** Sends feedback for a waiting task, without a response. */
function sending(
  execution: Execution,
  text: string,
  isApprove: boolean,
  now: number,
  taskId = "review",
) {
  const target = { taskId, attempt: attemptToAnswer(execution, taskId) };
  return {
    target,
    sent: resumeSending(execution, target, { isApprove, text, at: new Date(now).toISOString() }),
  };
}

function reject(execution: Execution, text: string, now: number): Execution {
  const { target, sent } = sending(execution, text, false, now);
  return resumeAnswered(sent, target, retrying);
}

function approve(execution: Execution, now: number, answer = resumed): Execution {
  const { target, sent } = sending(execution, "Approved.", true, now);
  return resumeAnswered(sent, target, answer);
}

const target = { taskId: "review", attempt: 1 };
const waiting = applyReading(
  applyReading(anExecution(), working("review", 1), at(5)),
  pausing("review", "Draft 1"),
  at(10),
);

describe("the attempts of a task", () => {
  it("say which output waits and since when", () => {
    assert.deepEqual(waiting.waiting, {
      taskId: "review",
      attempt: 1,
      output: "Draft 1",
      since: time(10),
    });
    assert.equal(
      applyReading(waiting, pausing("review", "Draft 1"), at(100)).waiting?.since,
      time(10),
    );
  });

  it("keep a rejected output and its feedback next to the new output", () => {
    const rejected = reject(waiting, "Shorter.", at(20));
    assert.equal(rejected.state, "running");
    assert.equal(rejected.waiting, undefined);
    assert.equal(rejected.tasks[0]?.state, "running");
    const second = applyReading(rejected, pausing("review", "Draft 2"), at(30));
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
    const approved = approve(waiting, at(20));
    assert.deepEqual(
      [approved.state, approved.tasks[0]?.state, approved.tasks[0]?.attempts[0]?.output],
      ["running", "completed", "Draft 1"],
    );
    assert.equal(applyReading(approved, working("review", 1), at(21)).tasks[0]?.state, "completed");
  });

  it("use the crew's own number", () => {
    const third = applyReading(waiting, pausing("review", "Draft 3", 3), at(30));
    assert.equal(third.waiting?.attempt, 3);
    assert.deepEqual(
      third.tasks[0]?.attempts.map((attempt) => attempt.number),
      [1, 3],
    );
  });

  it("count a different output as the next attempt if the crew doesn't number them", () => {
    assert.equal(applyReading(waiting, pausing("review", "Draft 2"), at(30)).waiting?.attempt, 2);
  });

  it("count the same output as the next attempt if the crew was running in between, but not at once: one of its servers may be behind", () => {
    const working1 = applyReading(
      reject(waiting, "Shorter.", at(20)),
      working("review", 1),
      at(25),
    );
    const behind = applyReading(working1, pausing("review", "Draft 1"), at(28));
    assert.deepEqual(
      [behind.state, behind.waiting, behind.stillPaused],
      ["running", undefined, target],
    );
    assert.equal(applyReading(behind, pausing("review", "Draft 1"), at(40)).waiting?.attempt, 2);
  });

  it("grow with each rejection", () => {
    let execution = waiting;
    for (const number of [2, 3, 4]) {
      const seconds = number * 20;
      execution = applyReading(
        reject(execution, `No ${number}`, at(seconds)),
        working("review", 1),
        at(seconds + 5),
      );
      execution = applyReading(execution, pausing("review", "Same"), at(seconds + 15));
      assert.equal(execution.waiting?.attempt, number);
    }
    assert.deepEqual(
      execution.tasks[0]?.attempts.map((each) => each.feedback?.text),
      ["No 2", "No 3", "No 4", undefined],
    );
  });

  // The documented dialect numbers attempts; the live one doesn't, and may report the output with other white space.
  for (const [dialect, same] of [
    ["numbers its attempts", pausing("review", "Draft 1", 1)],
    ["does not number them", pausing("review", "Draft 1\n")],
    ["reports no output", pausing("review")],
  ] as const) {
    describe(`after an answered pause that a crew still reports which ${dialect}`, () => {
      for (const [what, answer] of [
        ["accepted approval", approve],
        [
          "accepted rejection",
          (execution: Execution, now: number) => reject(execution, "Shorter.", now),
        ],
      ] as const) {
        it(`say for a minute after an ${what} that the crew still reports the pause`, () => {
          const answered = answer(waiting, at(20));
          for (const seconds of [22, 32, 79]) {
            const lagging = applyReading(answered, same, at(seconds));
            assert.deepEqual(
              [lagging.state, lagging.waiting, lagging.stillPaused],
              ["running", undefined, target],
              `after ${seconds - 20} s`,
            );
            assert.equal(lagging.tasks[0]?.attempts.length, 1);
            assert.equal(answeredPause(lagging)?.feedback.isApprove, what === "accepted approval");
            assert.equal(
              attemptToAnswer(lagging, "review"),
              1,
              "feedback by a typed task ID is for the same output",
            );
          }
        });

        it(`wait again, as the same attempt, a minute after an ${what}`, () => {
          const again = applyReading(
            applyReading(answer(waiting, at(20)), same, at(32)),
            same,
            at(80),
          );
          assert.deepEqual(
            [again.state, again.waiting?.attempt, again.stillPaused],
            ["waiting", 1, undefined],
          );
          assert.equal(answeredPause(again)?.outcome, "answered");
          assert.equal(again.tasks[0]?.attempts.length, 1);
        });
      }
    });
  }

  it("say that the crew still reports the pause even if it doesn't name the task", () => {
    const paused = aReading({ state: "awaiting", stateText: "PAUSED" });
    const lagging = applyReading(approve(waiting, at(20)), paused, at(32));
    assert.deepEqual([lagging.state, lagging.stillPaused], ["running", target]);
    const later = applyReading(lagging, paused, at(80));
    assert.deepEqual(
      [later.state, later.mayBeWaiting, later.stillPaused],
      ["unknown", true, undefined],
    );
    assert.equal(unfollowed(later, "review")?.outcome, "answered");
    assert.equal(
      unfollowed(applyReading(lagging, working("write", 2), at(40)), "review"),
      undefined,
    );
  });

  it("show that unanswered feedback arrived if the execution completes, but not if it was stopped", () => {
    const { sent } = sending(waiting, "Approved.", true, at(20));
    const open = resumeUnanswered(sent, target);
    const outcome = (state: "stopped" | "completed") =>
      applyReading(open, aReading({ state }), at(30)).resumes[0]?.outcome;
    assert.deepEqual([outcome("stopped"), outcome("completed")], ["unanswered", "answered"]);
  });

  it("show the same if the end was seen before it was known that no response arrives", () => {
    const { sent } = sending(waiting, "Approved.", true, at(20));
    const outcome = (state: "stopped" | "completed") =>
      resumeUnanswered(applyReading(sent, aReading({ state }), at(30)), target).resumes[0]?.outcome;
    assert.deepEqual([outcome("stopped"), outcome("completed")], ["unanswered", "answered"]);
  });

  it("count the minute from when the crew accepted the feedback, not from when it was written", () => {
    const { sent } = sending(waiting, "Approved.", true, at(20));
    const answered = resumeAnswered(sent, target, resumed, at(75));
    assert.equal(applyReading(answered, pausing("review", "Draft 1", 1), at(100)).state, "running");
    assert.equal(applyReading(answered, pausing("review", "Draft 1", 1), at(135)).state, "waiting");
  });

  // Observed in the live dialect: the response has a new ID, under which everything happened after the feedback.
  it("treat a pause under a new ID from the response as a new one", () => {
    const followed = approve(waiting, at(20), { kickoffId: "k2" });
    const paused = applyReading(
      followed,
      aReading({ state: "awaiting", stateText: "PAUSED" }),
      at(22),
    );
    assert.deepEqual(
      [paused.state, paused.mayBeWaiting, paused.stillPaused],
      ["unknown", true, undefined],
    );
    assert.equal(unfollowed(followed, "review"), undefined);
    for (const output of ["Draft 1", undefined]) {
      const again = applyReading(followed, pausing("review", output), at(35));
      assert.deepEqual(
        [again.state, again.waiting?.attempt, answeredPause(again)],
        ["waiting", 2, undefined],
      );
    }
  });

  it("forget the answered pause once the crew reports anything else", () => {
    const lagging = applyReading(approve(waiting, at(20)), pausing("review", "Draft 1", 1), at(32));
    for (const reading of [
      working("write", 2),
      pausing("write", "Text"),
      aReading({ state: "queued" }),
      aReading({ state: "awaiting" }),
      aReading({ state: "completed" }),
      notFound,
    ]) {
      const next = applyReading(lagging, reading, at(150));
      assert.equal(next.stillPaused, undefined, reading.stateText);
      assert.equal(answeredPause(next), undefined, reading.stateText);
    }
  });

  it("are distinguished by output if a crew reuses a number", () => {
    const second = applyReading(
      reject(waiting, "Shorter.", at(20)),
      pausing("review", "Draft 2", 1),
      at(25),
    );
    assert.deepEqual([second.waiting?.attempt, second.waiting?.output], [2, "Draft 2"]);
    assert.equal(
      applyReading(second, pausing("review", "Draft 2", 1), at(200)).waiting?.attempt,
      2,
    );
    assert.deepEqual(
      second.tasks[0]?.attempts.map((attempt) => attempt.output),
      ["Draft 1", "Draft 2"],
    );
  });

  it("no longer wait when someone else answered", () => {
    const running = applyReading(waiting, working("write", 2), at(30));
    assert.deepEqual(
      running.tasks.map((task) => [task.taskId, task.state]),
      [
        ["review", "completed"],
        ["write", "running"],
      ],
    );
    assert.equal(running.waiting, undefined);
    assert.equal(
      applyReading(waiting, aReading({ state: "running" }), at(30)).tasks[0]?.state,
      "running",
    );
  });
});

describe("a resume", () => {
  it("adds a new ID, under which the execution continues", () => {
    const approved = approve(waiting, at(20), { kickoffId: "k2" });
    assert.deepEqual(approved.kickoffIds, ["k1", "k2"]);
    assert.equal(approved.resumes[0]?.answer, "k2");
    assert.deepEqual(approve(waiting, at(20), { kickoffId: "k1" }).kickoffIds, ["k1"]);
  });

  it("reopens an ended execution only with a new ID", () => {
    const ended = applyReading(waiting, aReading({ state: "completed", output: "Done" }), at(15));
    assert.equal(approve(ended, at(20)).state, "completed");
    const reopened = approve(ended, at(20), { kickoffId: "k2" });
    assert.deepEqual(
      [reopened.state, reopened.endedAt, reopened.output],
      ["running", undefined, undefined],
    );
  });

  it("changes nothing else if refused, and can be sent again", () => {
    const { target, sent } = sending(waiting, "Approved.", true, at(20));
    const refused = resumeRefused(sent, target, "Not in pending state");
    assert.deepEqual({ ...refused, resumes: [] }, waiting);
    assert.deepEqual(resumesOf(refused, target), []);
    assert.equal(refused.resumes[0]?.outcome, "refused");
  });

  it("stays unanswered while the same output waits or the state is unclear", () => {
    const { target, sent } = sending(waiting, "Shorter.", false, at(20));
    const unanswered = resumeUnanswered(sent, target, "Timed out");
    for (const reading of [
      pausing("review", "Draft 1"),
      pausing("review", "Draft 1", 1),
      notFound,
      aReading({ state: "awaiting" }),
    ]) {
      assert.equal(
        applyReading(unanswered, reading, at(60)).resumes[0]?.outcome,
        "unanswered",
        reading.stateText,
      );
      assert.equal(applyReading(unanswered, reading, at(60)).waiting?.attempt, 1);
    }
  });

  it("counts as answered when the crew continues, even without a response", () => {
    const { target, sent } = sending(waiting, "Shorter.", false, at(20));
    const unanswered = resumeUnanswered(sent, target);
    for (const reading of [
      working("review", 1),
      pausing("review", "Draft 2"),
      pausing("review", "Draft 1", 2),
      pausing("other"),
      aReading({ state: "completed" }),
    ]) {
      const next = applyReading(unanswered, reading, at(60));
      assert.equal(next.resumes[0]?.outcome, "answered", reading.stateText);
      assert.equal(next.tasks[0]?.attempts[0]?.feedback?.text, "Shorter.");
    }
  });

  it("accepts a late response", () => {
    const { target, sent } = sending(waiting, "Shorter.", false, at(20));
    const late = resumeAnswered(resumeUnanswered(sent, target), target, retrying);
    assert.deepEqual([late.resumes[0]?.outcome, late.state], ["answered", "running"]);
  });

  it("is kept twice if the person sent it twice; the response belongs to the last one", () => {
    const { target, sent } = sending(waiting, "Approved.", true, at(20));
    const again = sending(resumeUnanswered(sent, target), "Approved.", true, at(40)).sent;
    assert.equal(resumesOf(again, target).length, 2);
    const settled = resumeAnswered(again, target, resumed);
    assert.deepEqual(
      settled.resumes.map((resume) => resume.outcome),
      ["unanswered", "answered"],
    );
  });

  it("with a typed task ID needs no known pause", () => {
    const doubtful = applyReading(anExecution(), notFound, at(130));
    const approved = resumeAnswered(
      ...(() => {
        const { target, sent } = sending(doubtful, "Good.", true, at(140), "uuid-1");
        return [sent, target, { kickoffId: "k2" }] as const;
      })(),
    );
    assert.deepEqual(
      [approved.state, approved.mayBeWaiting, approved.stateText],
      ["running", undefined, undefined],
    );
    assert.deepEqual(approved.tasks[0], {
      taskId: "uuid-1",
      state: "completed",
      attempts: [
        {
          number: 1,
          feedback: { isApprove: true, text: "Good.", at: time(140) },
        },
      ],
    });
    assert.equal(attemptToAnswer(approved, "uuid-1"), 2);
  });
});
