import assert from "node:assert/strict";
import type { Execution, SentResume, StateChange } from "../../../src/executions/model.ts";
import { historyPart } from "../../../src/views/document/history.ts";
import { taskTimes } from "../../../src/views/document/task-times.ts";
import { timesPart } from "../../../src/views/document/times.ts";
import { timeInWords } from "../../../src/views/words.ts";
import { anExecution, notWaiting } from "./executions.ts";

const minute = (at: number, second = 0) => `2026-10-21T12:${String(at).padStart(2, "0")}:${String(second).padStart(2, "0")}.000Z`;

/** The history's lines, each minute as "+n". */
function lines(execution: Execution): string[] {
  const shown = historyPart(execution).flatMap((part) => part.lines).slice(2).join("\n");
  const all = Array.from({ length: 60 }, (_, at) => [timeInWords(minute(at)), `+${at}`] as const);
  return all.reduce((text, [time, words]) => text.replaceAll(time, words), shown).split("\n");
}

describe("the history in an execution's document", () => {
  const resume = (attempt: number, isApprove: boolean, at: string, outcome: SentResume["outcome"] = "answered"): SentResume => ({ taskId: "review", attempt, feedback: { isApprove, text: "So.", at }, outcome });

  it("tells states, tasks and attempts with their times, and what the person said between them", () => {
    const history: StateChange[] = [
      { at: minute(1), state: "running", taskId: "research" },
      { at: minute(2), state: "waiting", taskId: "review", attempt: 1 },
      { at: minute(4), state: "running", taskId: "review" },
      { at: minute(5), state: "waiting", taskId: "review", attempt: 2 },
      { at: minute(7), state: "completed" },
    ];
    const execution = notWaiting({ state: "completed", endedAt: minute(7), history, resumes: [resume(1, false, minute(3)), resume(2, true, minute(6))] });
    assert.deepEqual(lines(execution), [
      "- +0 – Kicked off",
      "- +1 – Running: task research",
      "- +2 – Waiting for you: task review, attempt 1",
      "- +3 – You rejected task review, attempt 1",
      "- +4 – Running: task review",
      "- +5 – Waiting for you: task review, attempt 2",
      "- +6 – You approved task review, attempt 2",
      "- +7 – Completed",
    ]);
  });

  it("says between which times a change happened that was seen long after it", () => {
    const history: StateChange[] = [{ at: minute(50), state: "failed", notBefore: minute(9) }];
    assert.deepEqual(lines(notWaiting({ state: "failed", history })).at(-1), "- +50 – Failed (at some time after +9)");
  });

  it("leaves out what the crew refused, and says what may have been sent", () => {
    const told = lines(anExecution({ resumes: [resume(1, true, minute(2), "refused"), resume(1, true, minute(3), "unanswered")] }));
    assert.deepEqual(told, ["- +0 – Kicked off", "- +1 – Waiting for you: task review, attempt 1", "- +3 – You approved task review, attempt 1; may have been sent"]);
  });

  it("tells of a record without one what that knows, and nothing where it knows only how it began", () => {
    assert.deepEqual(lines(notWaiting({ state: "completed", endedAt: minute(9), origin: "tracked" })), ["- +0 – Followed from here on", "- +9 – Completed"]);
    assert.deepEqual(historyPart(notWaiting()), []);
  });

  it("keeps names of tasks and states harmless", () => {
    const history: StateChange[] = [{ at: minute(1), state: "unknown", stateText: "<b>x</b>", taskId: "[a](command:b.c)" }];
    assert.equal(lines(notWaiting({ state: "unknown", history })).at(-1), "- +1 – \\<b>x\\</b>: task \\[a\\](command\\:b.c)");
  });
});

describe("the share of time of each task", () => {
  const done = (taskId: string, executionTime?: number) => ({ taskId, state: "completed", attempts: [], ...(executionTime === undefined ? {} : { executionTime }) }) as const;
  const ended = (changes: Partial<Execution>) => notWaiting({ state: "completed", endedAt: minute(10), progress: { completed: 2, total: 2, unit: "task" }, ...changes });

  it("is a table with words before the bars, told by the crew, whose shares add up to 100", () => {
    const { parts } = timesPart(ended({ tasks: [done("research", 45.2), done("write|up", 22.7), done("check", 0.1)] }));
    assert.deepEqual(parts?.[0]?.lines, [
      "| Task      | Worked for | Share |               |",
      "| --------- | ---------- | ----- | ------------- |",
      "| research  | 45 s       | 67 %  | █████████████ |",
      "| write\\|up | 22 s       | 33 %  | ███████       |",
      "| check     | 0 s        | 0 %   | ▏             |",
    ]);
    for (const seconds of [[1, 1, 1], [1, 1, 1, 1, 1, 1, 1], [0.001, 99.999], [5, 0]]) {
      const times = taskTimes(ended({ tasks: seconds.map((each, at) => done(`t${at}`, each)) }));
      assert.equal(times.reduce((sum, { percent }) => sum + percent, 0), 100);
    }
  });

  it("is taken from the history where the crew does not tell, all attempts of a task together", () => {
    const history: StateChange[] = [
      { at: minute(1), state: "running", taskId: "research" },
      { at: minute(2), state: "running", taskId: "review" },
      { at: minute(3), state: "waiting", taskId: "review", attempt: 1 },
      { at: minute(7), state: "running", taskId: "review" },
      { at: minute(9), state: "completed" },
    ];
    assert.deepEqual(taskTimes(ended({ tasks: [done("research"), done("review")], history })), [
      { taskId: "research", seconds: 60, isAbout: true, percent: 25 },
      { taskId: "review", seconds: 180, isAbout: true, percent: 75 },
    ]);
    assert.match(timesPart(ended({ tasks: [done("research"), done("review")], history })).parts?.[0]?.lines.join("\n") ?? "", /\| research \| about 1 min \| 25 % {2}\| █{5} /);
  });

  it("is taken from the history for a task of several attempts, of which the crew tells the last one's time alone", () => {
    const attempts = [1, 2].map((number) => ({ number, output: `Draft ${number}` }));
    const history: StateChange[] = [
      { at: minute(1), state: "running", taskId: "review" },
      { at: minute(2), state: "waiting", taskId: "review", attempt: 1 },
      { at: minute(5), state: "running", taskId: "review" },
      { at: minute(7), state: "completed" },
    ];
    const tasks = [done("research", 60), { ...done("review", 120), attempts }];
    assert.deepEqual(taskTimes(ended({ tasks, history })), [
      { taskId: "research", seconds: 60, isAbout: false, percent: 25 },
      { taskId: "review", seconds: 180, isAbout: true, percent: 75 },
    ]);
    assert.deepEqual(taskTimes(ended({ tasks, history: [] })), [], "the first one's time is not known");
  });

  it("is not told where the time of one task is not known, or seen too late to be known", () => {
    const history: StateChange[] = [
      { at: minute(1), state: "running", taskId: "research" },
      { at: minute(9), state: "completed", notBefore: minute(2) },
    ];
    assert.deepEqual(taskTimes(ended({ tasks: [done("research"), done("review", 5)], history })), []);
    assert.deepEqual(taskTimes(ended({ tasks: [done("research"), done("review", 5)] })), []);
    assert.deepEqual(taskTimes(ended({ tasks: [done("research", 4), done("review", 5)], progress: { completed: 3, total: 3, unit: "task" } })), []);
  });

  it("is not told of a single task or of no time, nor of a task under way", () => {
    assert.deepEqual(taskTimes(ended({ tasks: [done("research", 5)] })), []);
    assert.deepEqual(taskTimes(ended({ tasks: [done("research", 0), done("review", 0)] })), []);
    const running = taskTimes(notWaiting({ tasks: [done("research", 5), done("review", 5), { taskId: "late", state: "running", attempts: [], executionTime: 0 }], progress: { completed: 2, unit: "task" } }));
    assert.deepEqual(running.map(({ taskId }) => taskId), ["research", "review"]);
  });
});
