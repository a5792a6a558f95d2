import assert from "node:assert/strict";
import type { ActivityEvent } from "../../../src/api/types.ts";
import { activityOf } from "../../../src/executions/activity.ts";
import { stepsOf } from "../../../src/executions/steps.ts";
import { anEvent as event, anExecution, at } from "./samples.ts";

function stepsIn(events: readonly ActivityEvent[]) {
  return stepsOf(activityOf(anExecution({ state: "running" }), { events, left: 0 }));
}

const begun = [
  event("t", "task_started", 1, { taskName: "plan" }),
  event("a", "agent_execution_started", 1, { parentId: "t", agent: "Planner" }),
];
const events = [
  ...begun,
  event("old", "agent_logs_execution", 2, { parentId: "a", thought: "Hm." }),
  event("why", "agent_logs_execution", 3, { parentId: "a", thought: "I need the weather." }),
  event("l", "tool_usage_started", 4, {
    parentId: "a",
    tool: "lookup",
    arguments: '{"city":"Oslo"}',
  }),
  event("le", "tool_usage_finished", 4.2, { startedId: "l", text: "10 degrees" }),
  event("f", "tool_usage_started", 5, { parentId: "a", tool: "search" }),
  event("fe", "tool_usage_error", 6, { startedId: "f", error: "No network." }),
  event("done", "agent_logs_execution", 7, { parentId: "a", thought: "Enough.", text: "Go." }),
  event("empty", "agent_logs_execution", 8, { parentId: "a", thought: " ", text: "Go." }),
];

describe("a step", () => {
  it("is a picture that an agent drew", () => {
    const picture = { type: "png" } as const;
    assert.deepEqual(
      stepsIn([...begun, event("i", "image_generated", 2, { parentId: "a", picture })]),
      [{ id: "i", taskId: "plan", start: at(2), end: at(2), picture: "png" }],
    );
  });

  it("has its thought, tool, arguments and result, or its error", () => {
    const of = { taskId: "plan" };
    assert.deepEqual(stepsIn(events), [
      { id: "old", ...of, start: at(2), end: at(2), thought: "Hm." },
      {
        id: "l",
        ...of,
        start: at(4),
        end: at(4.2),
        tool: "lookup",
        thought: "I need the weather.",
        arguments: '{"city":"Oslo"}',
        result: "10 degrees",
      },
      { id: "f", ...of, start: at(5), end: at(6), tool: "search", error: "No network." },
      { id: "done", ...of, start: at(7), end: at(7), thought: "Enough.", result: "Go." },
    ]);
  });

  it("is a call of a model, with its tokens, the end of its prompt and the beginning of its answer", () => {
    const [model, tokens] = ["gpt-4o-mini", { total: 110 }];
    const calls = [
      event("m", "llm_call_started", 3.5, {
        parentId: "a",
        model,
        callId: "c",
        arguments: "Plan.",
      }),
      event("me", "llm_call_completed", 4, { startedId: "m", model, tokens, text: "Look." }),
    ];
    const step = { id: "m", taskId: "plan", start: at(3.5), end: at(4), model, tokens };
    assert.deepEqual(
      stepsIn([...events, ...calls]).find(({ id }) => id === "m"),
      { ...step, arguments: "Plan.", result: "Look." },
    );
  });

  it("is shown once if both a callback and the crew's events report it", () => {
    const steps = [
      event("s1", "step", 4.3, { tool: "lookup", text: "10 degrees", thought: "Look." }),
      event("s2", "step", 9, { thought: "Only here.", arguments: "{}", text: "An answer." }),
    ];
    const shown = stepsIn([...events, ...steps]);
    const ids = shown.map(({ id }) => id);
    assert.deepEqual(ids, ["old", "l", "f", "done", "s2"]);
    assert.equal(shown.at(-1)?.arguments, "{}");
  });

  it("has no end while its tool works", () => {
    const [step] = stepsIn([...begun, event("l", "tool_usage_started", 4, { tool: "lookup" })]);
    assert.deepEqual(step, { id: "l", taskId: "plan", start: at(4), tool: "lookup" });
  });

  it("says that it was interrupted", () => {
    const cut = [
      ...begun,
      event("l", "tool_usage_started", 4, { parentId: "a", tool: "lookup" }),
      event("c", "execution_continued", 60),
    ];
    const steps = stepsIn(cut);
    const ends = steps.map(({ id, end, isInterrupted }) => ({ id, end, isInterrupted }));
    assert.deepEqual(ends, [{ id: "l", end: at(4), isInterrupted: true }]);
  });
});
