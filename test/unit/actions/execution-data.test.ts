import assert from "node:assert/strict";
import { beginningOf, overviewOf, summaryOf } from "../../../src/actions/execution-data.ts";
import { anExecution, aTask, notWaiting } from "../views/executions.ts";

describe("What a model reads of an execution", () => {
  it("is its state, what waits, its inputs and its tasks, each output once", () => {
    assert.deepEqual(overviewOf(anExecution()), {
      executionId: "11111111-aaaa",
      kickoffIds: ["11111111-aaaa"],
      crew: "Writers",
      title: "Sea otters",
      state: "waiting",
      stateLabel: "Waiting for you",
      startedAt: "2026-10-21T12:00:00.000Z",
      progress: { completed: 1, total: 3 },
      inputs: { topic: "Sea otters" },
      waiting: { taskId: "review", attempt: 1, output: "# Draft\n\nText." },
      tasks: [
        {
          ...{ taskId: "research", state: "completed", agent: "Researcher" },
          ...{ output: "Found a lot.", attempts: [{ number: 1 }] },
        },
        { taskId: "review", state: "waiting", agent: "Editor", attempts: [{ number: 1 }] },
      ],
    });
  });

  it("is the time of the crew's last answer, unless it has ended", () => {
    const seenAt = "2026-10-21T12:05:00.000Z";
    assert.equal(summaryOf(notWaiting({ seenAt }))["lastAnswerAt"], seenAt);
    assert.equal(summaryOf(notWaiting({ seenAt, state: "completed" }))["lastAnswerAt"], undefined);
  });

  it("holds no callback: whoever knows its address may post to it", () => {
    const authentication = { strategy: "basic", username: "me" } as const;
    const callbacks = {
      crewWebhookUrl: "https://hooks.test/capability",
      humanInputWebhook: { url: "https://hooks.test/other", authentication },
    };
    const execution = anExecution({ request: { inputs: { topic: "Otters" }, callbacks } });
    const told = JSON.stringify([overviewOf(execution), summaryOf(execution)]);
    assert.doesNotMatch(told, /hooks\.test|capability|"me"/);
  });

  it("stays small, whatever a crew wrote, and has the next offset", () => {
    const long = "x".repeat(1_000_000);
    const tasks = Array.from({ length: 100 }, (_, index) =>
      aTask(`task ${index}`, "completed", { output: long }),
    );
    const request = { inputs: { topic: long }, callbacks: {} };
    const texts = { output: long, error: long, tasks, request };
    const overview = overviewOf(notWaiting({ state: "completed", ...texts }));
    assert.ok(JSON.stringify(overview).length < 70_000, String(JSON.stringify(overview).length));
    assert.deepEqual(overview["output"], {
      text: "x".repeat(8_000),
      totalCharacters: 1_000_000,
      nextOffset: 8_000,
    });
    assert.equal(overview["earlierTasksNotShown"], 60);
  });

  it("has the feedback of each attempt", () => {
    const feedback = { isApprove: false, text: "Shorter.", at: "2026-10-21T12:02:00.000Z" };
    const overview = overviewOf(
      anExecution({
        tasks: [
          aTask("review", "waiting", { output: "a", feedback }, { output: "b" }),
          aTask("answered elsewhere", "completed", { output: "a" }, { output: "b" }),
        ],
      }),
    );
    assert.deepEqual(overview["tasks"], [
      {
        taskId: "review",
        state: "waiting",
        attempts: [{ number: 1, feedback: { isApprove: false, text: "Shorter." } }, { number: 2 }],
      },
      {
        ...{ taskId: "answered elsewhere", state: "completed", output: "b" },
        attempts: [{ number: 1 }, { number: 2 }],
      },
    ]);
  });

  it("continues at an offset, up to the end", () => {
    assert.deepEqual(beginningOf("abcdef", 4), { text: "abcd", totalCharacters: 6, nextOffset: 4 });
    assert.deepEqual(beginningOf("abcdef", 4, 4), { text: "ef", totalCharacters: 6 });
    assert.equal(beginningOf("abc", 4), "abc");
  });
});
