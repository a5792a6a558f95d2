import assert from "node:assert/strict";
import { activityOf } from "../../../src/executions/activity.ts";
import { canRunAgainFrom } from "../../../src/executions/model.ts";
import { recordedEvents } from "../../support/recorded-execution.ts";
import { anExecution } from "./samples.ts";

/** Of the flow in test/fixtures/crewai/review on crewAI 1.15.30: changes were requested, then it was approved. */
const recorded = recordedEvents("flow.ndjson");
const crew = { id: "local:review", name: "review", url: "http://127.0.0.1:1" };

describe("the timeline of a flow", () => {
  it("has its methods as rows, with crews inside, a pause where a person answered, and each run of a loop", () => {
    const execution = anExecution({
      crew,
      state: "completed",
      startedAt: new Date(recorded[0]?.at ?? 0).toISOString(),
      endedAt: new Date(recorded.at(-1)?.at ?? 0).toISOString(),
    });
    const { spans } = activityOf(execution, { events: recorded, left: 0 });
    const run = (number: number) => [
      `    attempt write ${number}`,
      `      crew crew ${number}`,
      `        task draft ${number}`,
      `          agent Writer ${number}`,
      `            model gpt-4o-mini ${number}`,
    ];
    assert.deepEqual(
      spans.map(({ depth, kind, name, attempt = "" }) =>
        `${"  ".repeat(depth)}${kind} ${name} ${attempt}`.trimEnd(),
      ),
      [
        "crew review",
        "  task outline 1",
        "  task write",
        ...run(1),
        ...run(2),
        "  task review",
        "    attempt review 1",
        "    wait review 1",
        "    attempt review 2",
        "    wait review 2",
        // It classified the first feedback.
        "  model gpt-4o-mini",
        "  task publish 1",
      ],
    );
    assert.ok(spans.every(({ state }) => state === "completed"));
    const answers = spans.filter(({ kind }) => kind === "wait").map(({ isApprove }) => isApprove);
    assert.deepEqual(answers, [false, true]);
    assert.equal(spans[0]?.tokens?.total, 330);
  });

  it("can't begin at one of its methods", () => {
    const ended = (unit: string) =>
      anExecution({
        crew,
        state: "completed",
        request: { inputs: {}, callbacks: {} },
        tasks: [{ taskId: "write", state: "completed", attempts: [] }],
        progress: { completed: 1, unit },
      });
    assert.equal(canRunAgainFrom(ended("task")), true);
    assert.equal(canRunAgainFrom(ended("step")), false);
  });
});
