import assert from "node:assert/strict";
import { type Activity, noActivity } from "../../../src/executions/activity.ts";
import type { Circumstances } from "../../../src/view/actions.ts";
import { viewOf } from "../../../src/view/execution-view.ts";
import type { Execution, SentResume, StateChange } from "../../../src/executions/model.ts";
import { taskBrief } from "../../../src/view/brief.ts";
import { sectionOf } from "../../../src/view/text.ts";
import { renderExecution } from "../../support/rendered.ts";
import { formatTime } from "../../../src/view/words.ts";
import { anExecution, aTask, notWaiting } from "./executions.ts";

const minute = (at: number, second = 0) =>
  `2026-10-21T12:${String(at).padStart(2, "0")}:${String(second).padStart(2, "0")}.000Z`;

/** Its lines in the text. */
function sectionText(
  execution: Execution,
  id: string,
  activity: Partial<Activity> = {},
  circumstances: Circumstances = {},
): string[] {
  const happened = { ...noActivity, ...activity };
  const rendered = renderExecution(execution, circumstances, happened);
  const { start, end } = sectionOf(rendered, id) ?? { start: 0, end: 1 };
  return rendered.text.split("\n").slice(start, end - 1);
}

/** The history's lines, each minute as "+n". */
function lines(
  execution: Execution,
  activity: Partial<Activity> = {},
  circumstances: Circumstances = {},
): string[] {
  const shown = sectionText(execution, "history", activity, circumstances).slice(2).join("\n");
  const all = Array.from({ length: 60 }, (_, at) => [formatTime(minute(at)), `+${at}`] as const);
  return all.reduce((text, [time, label]) => text.replaceAll(time, label), shown).split("\n");
}

const mark = { id: "m", parentId: "p", at: 0, type: "t" } as const;

const resume = (
  attempt: number,
  isApprove: boolean,
  at: string,
  outcome: SentResume["outcome"] = "answered",
): SentResume => ({
  taskId: "review",
  attempt,
  feedback: { isApprove, text: "So.", at },
  outcome,
});

describe("the history in an execution's document", () => {
  it("shows states, tasks and attempts with their times, and the feedback between them", () => {
    const history: StateChange[] = [
      { at: minute(1), state: "running", taskId: "research" },
      { at: minute(2), state: "waiting", taskId: "review", attempt: 1 },
      { at: minute(4), state: "running", taskId: "review" },
      { at: minute(5), state: "waiting", taskId: "review", attempt: 2 },
      { at: minute(7), state: "completed" },
    ];
    const execution = notWaiting({
      state: "completed",
      endedAt: minute(7),
      history,
      resumes: [resume(1, false, minute(3)), resume(2, true, minute(6))],
    });
    assert.deepEqual(lines(execution), [
      "- +0 – Kicked off",
      "- +1 – Running, task research",
      "- +2 – Waiting for you, task review, attempt 1",
      "- +3 – Rejected, task review, attempt 1",
      "- +4 – Running, task review",
      "- +5 – Waiting for you, task review, attempt 2",
      "- +6 – Approved, task review, attempt 2",
      "- +7 – Completed",
    ]);
  });

  it("shows when a restart interrupted it, and when a person let it continue", () => {
    const at = (number: number) => Date.parse(minute(number));
    const execution = notWaiting({ history: [{ at: minute(1), state: "running" }] });
    const once = [{ from: at(2), to: at(30) }];
    const before = ["- +0 – Kicked off", "- +1 – Running"];
    const continued = [...before, "- +2 – Interrupted", "- +30 – Continued"];
    assert.deepEqual(lines(execution, { interruptions: once }), continued);
    const again = { interruptions: once, marks: [{ ...mark, at: at(31) }] };
    const held = { isInterrupted: true };
    assert.deepEqual(lines(execution, again, held), [...continued, "- +31 – Interrupted"]);
    const view = viewOf(execution, { ...noActivity, ...again }, held);
    assert.equal(view.elapsed, "31 min", "as long as it was seen at work");
    assert.deepEqual(lines(execution, {}, held), before, "nothing is known of it");
  });

  it("says between which times a change happened if it was seen late", () => {
    const history: StateChange[] = [{ at: minute(50), state: "failed", notBefore: minute(9) }];
    const last = lines(notWaiting({ state: "failed", history })).at(-1);
    assert.deepEqual(last, "- +50 – Failed (at some time after +9)");
  });

  it("omits refused feedback, and says what may have been sent", () => {
    const shown = lines(
      anExecution({
        resumes: [resume(1, true, minute(2), "refused"), resume(1, true, minute(3), "unanswered")],
      }),
    );
    assert.deepEqual(shown, [
      "- +0 – Kicked off",
      "- +1 – Waiting for you, task review, attempt 1",
      "- +3 – Approved, task review, attempt 1; may have been sent",
    ]);
  });

  it("shows start and end of a record without a history, and nothing if there is only a start", () => {
    const shown = lines(notWaiting({ state: "completed", endedAt: minute(9), origin: "tracked" }));
    assert.deepEqual(shown, ["- +0 – Tracked from here on", "- +9 – Completed"]);
    assert.deepEqual(sectionText(notWaiting(), "history"), []);
  });

  it("escapes the names of tasks and states", () => {
    const history: StateChange[] = [
      { at: minute(1), state: "unknown", stateText: "<b>x</b>", taskId: "[a](command:b.c)" },
    ];
    const last = lines(notWaiting({ state: "unknown", history })).at(-1);
    assert.equal(last, "- +1 – \\<b>x\\</b>, task \\[a\\](command\\:b.c)");
  });
});

describe("the times of an execution's tasks", () => {
  const done = (taskId: string, executionTime: number) => ({
    ...aTask(taskId, "completed"),
    executionTime,
  });

  it("are at each task as the crew reports them, and the time spent waiting for a person with its whole time", () => {
    const history: StateChange[] = [
      { at: minute(0, 20), state: "running", taskId: "research" },
      { at: minute(0, 50), state: "waiting", taskId: "review", attempt: 1 },
      { at: minute(9, 50), state: "running", taskId: "review" },
      { at: minute(10), state: "completed" },
    ];
    const execution = notWaiting({
      ...{ state: "completed", endedAt: minute(10), history },
      tasks: [done("research", 0.1), done("review", 20)],
      resumes: [resume(1, true, minute(9, 50))],
    });
    const facts = execution.tasks.map((task) => taskBrief(task, execution, {}).facts[0]);
    assert.deepEqual(facts, ["100 ms", "20 s"]);
    assert.equal(sectionText(execution, "times").at(-1), "- Waited for you: about 9 min");
  });
});
