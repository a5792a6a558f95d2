import assert from "node:assert/strict";
import { readStatus } from "../../../src/api/read-status.ts";
import { readPayload } from "../../../src/callbacks/payload.ts";
import { applyReport } from "../../../src/executions/callback-report.ts";
import type { Execution } from "../../../src/executions/model.ts";
import { applyReading } from "../../../src/executions/reduce.ts";
import { resumeAnswered, resumeSending } from "../../../src/executions/resumes.ts";
import { answersTo } from "../../../src/view/actions.ts";
import { viewOf } from "../../../src/view/execution-view.ts";
import { placeOfWaiting, textOf } from "../../../src/view/text.ts";
import { eventOf } from "../../../src/views/events.ts";
import { pageModel } from "../../../src/views/page/model.ts";
import { executionRow, taskRow } from "../../../src/views/tree/execution-rows.ts";
import { anExecution, at, START } from "./samples.ts";

const call_id = "first: send_mail #1";
const pending_tool_call = {
  ...{ call_id, task_id: "first", attempt: 2, tool: "send_mail", arguments: { to: "Ada" } },
};
const status = { status: "running", current_task: "first", progress: { completed_tasks: 0 } };
const nothing = { spans: [], marks: [], interruptions: [], left: 0 };

const read = (execution: Execution, answer: object, seconds: number) =>
  applyReading(execution, readStatus({ ...status, ...answer }), at(seconds));
const started = () => read(anExecution({ kickoffIds: ["k"] }), {}, 1);
const asked = () => read(started(), { pending_tool_call }, 2);

function answer(execution: Execution, isApprove: boolean, seconds: number): Execution {
  const target = { taskId: execution.waiting?.taskId ?? "", attempt: 1 };
  const feedback = {
    isApprove,
    isCall: true as const,
    text: "No.",
    at: new Date(at(seconds)).toISOString(),
  };
  const sending = resumeSending(execution, target, feedback);
  return resumeAnswered(sending, target, { status: "resumed" }, at(seconds));
}

describe("A call that waits for a person", () => {
  it("waits like an output, and its task is not one with an output", () => {
    const execution = asked();
    const { state, waiting, tasks } = execution;
    assert.equal(state, "waiting");
    assert.deepEqual(waiting, {
      ...{ taskId: call_id, attempt: 1, since: new Date(at(2)).toISOString() },
      ...{ output: '{\n  "to": "Ada"\n}', call: { ofTask: "first", tool: "send_mail" } },
    });
    assert.deepEqual(
      tasks.map(({ taskId, state, attempts }) => [taskId, state, attempts.length]),
      [["first", "waiting", 0]],
    );
    assert.deepEqual(
      answersTo(execution).map(({ verb, label }) => [verb, label]),
      [
        ["approve", "Allow"],
        ["reject", "Refuse…"],
      ],
    );
    assert.match(
      executionRow(execution, START).description,
      /^Waiting for you.*first: send_mail #1/,
    );
    const [task] = tasks;
    assert.ok(task);
    assert.match(taskRow(task, execution).facts, /^task:waiting:approve:reject/);
    assert.match(
      eventOf(execution, at(3))?.message ?? "",
      /asks you before it goes on: first: send_mail #1\.$/,
    );
  });

  it("shows its arguments on the page and in the text, at the place where it is answered", () => {
    const execution = asked();
    const { review } = pageModel(execution, nothing, { target: execution.waiting });
    assert.equal(review?.call, "tool");
    assert.equal(review.output, execution.waiting?.output);
    assert.equal(review.note, "The agent wants to call the tool “send_mail” with these arguments.");
    const rendered = textOf(viewOf(execution, nothing));
    const place = placeOfWaiting(execution, rendered);
    const lines = rendered.text.split("\n").slice(place?.first, (place?.last ?? 0) + 1);
    assert.match(lines.join("\n"), /send_mail.*\n\n```json\n\{\n {2}"to": "Ada"\n\}\n```/);
  });

  it("goes on after the answer, and waits again with the next call or the output", () => {
    const answered = answer(asked(), false, 3);
    assert.equal(answered.state, "running");
    assert.equal(answered.waiting, undefined);
    assert.deepEqual(
      answered.tasks.map(({ taskId }) => taskId),
      ["first"],
    );
    // A status that was asked before the answer may come after it.
    assert.equal(read(answered, { pending_tool_call }, 4).state, "running");
    const next = { ...pending_tool_call, call_id: "first: send_mail #2" };
    const again = read(answered, { pending_tool_call: next }, 5);
    assert.equal(again.waiting?.taskId, next.call_id);
    const output = { task_id: "first", task_output: "Done", attempt: 1 };
    const reviewed = read(answer(again, true, 6), { pending_human_input: output }, 7);
    assert.deepEqual([reviewed.waiting?.taskId, reviewed.waiting?.call], ["first", undefined]);
    const { label, state, attempts } = viewOf(reviewed, nothing).tasks.at(-2) ?? assert.fail();
    assert.deepEqual([label, state], ["Refused", "completed"]);
    const { feedback } = attempts[0] ?? {};
    assert.deepEqual(
      feedback?.map(({ title }) => title),
      ["Refused"],
    );
  });

  it("is read from a callback, which an answer overtakes", () => {
    const body = {
      execution_id: "k",
      task_id: call_id,
      task_output: '{"to":"Ada"}',
      pending_tool_call,
    };
    const { report } = readPayload(body, "e", at(2));
    assert.ok(report);
    assert.deepEqual(applyReport(started(), report, at(2)).waiting?.call, asked().waiting?.call);
    const answered = answer(asked(), true, 3);
    assert.deepEqual(applyReport(answered, report, at(4)), answered);
  });

  it("is of a budget, which a person gives again", () => {
    const pending_budget = {
      ...{ call_id: "first: budget #1", task_id: "first", attempt: 1 },
      ...{ tokens: 1100, dollars: 0, limits: { tokens: 1000 } },
    };
    const execution = read(started(), { pending_budget }, 2);
    assert.deepEqual(
      answersTo(execution).map(({ label }) => label),
      ["Give as Much Again"],
    );
    const { review } = pageModel(execution, nothing, { target: execution.waiting });
    assert.deepEqual([review?.call, review?.output], ["budget", undefined]);
    assert.match(review?.note ?? "", /used up its budget.*as much again: 1,000 tokens\.$/);
  });

  it("of a flow belongs to no task", () => {
    const of = { ...pending_tool_call, task_id: "", call_id: "send_mail #1" };
    const execution = read(started(), { pending_tool_call: of }, 2);
    assert.deepEqual([execution.state, execution.waiting?.taskId], ["waiting", "send_mail #1"]);
    assert.deepEqual(
      execution.tasks.map(({ state }) => state),
      ["running"],
    );
  });
});
