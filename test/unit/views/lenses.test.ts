import assert from "node:assert/strict";
import { noActivity } from "../../../src/executions/activity.ts";
import type { Execution } from "../../../src/executions/model.ts";
import type { Circumstances } from "../../../src/view/actions.ts";
import { viewOf } from "../../../src/view/execution-view.ts";
import { textOf } from "../../../src/view/text.ts";
import { lensesOf } from "../../../src/views/document/lenses.ts";
import { anExecution, aTask, notWaiting } from "./executions.ts";

const waits = "### Attempt 1";

/** Above a line of this text. */
function lensesAbove(heading: string, execution: Execution, circumstances: Circumstances = {}) {
  const view = viewOf(execution, noActivity, circumstances);
  const rendered = textOf(view);
  return lensesOf(execution, view, rendered).filter(
    ({ line }) => rendered.text.split("\n")[line] === heading,
  );
}

const titlesAbove = (...given: Parameters<typeof lensesAbove>) =>
  lensesAbove(...given).map(({ title }) => title);

describe("The lenses of an execution's document", () => {
  it("run the commands of what can be done next, above the title", () => {
    const title = "# Sea otters";
    const target = { crew: anExecution().crew.id, kickoffId: "failed", by: "person" };
    const failed = notWaiting({ kickoffIds: ["failed"], state: "failed" });
    assert.deepEqual(lensesAbove(title, failed), [
      { line: 0, title: "Run Again…", command: "crewdeck.runAgain", arguments: [target] },
      {
        ...{ line: 0, title: "Compare Executions…", command: "crewdeck.compareExecutions" },
        arguments: [target],
      },
    ]);
    const stop = { at: "2026-10-21T12:03:00.000Z", outcome: "answered" } as const;
    const stopping = lensesAbove(title, notWaiting({ stop }), { canStop: true });
    assert.deepEqual(stopping, [{ title: "Stopping…", line: 0 }]);
    const [go] = lensesAbove(title, anExecution());
    assert.deepEqual([go?.title, go?.command], ["Go to Output", "crewdeck.openExecution"]);
  });

  it("answer the output that waits, as this attempt", () => {
    const [approve, reject, ...others] = lensesAbove(waits, anExecution());
    assert.deepEqual([approve?.title, reject?.title], ["Approve", "Reject…"]);
    const titles = others.map(({ title }) => title);
    assert.deepEqual(titles, ["Open Output"]);
    assert.match(approve?.tooltip ?? "", /later tasks read “Approved\.” as your feedback/);
    assert.partialDeepStrictEqual(approve?.arguments, [{ taskId: "review", attempt: 1 }]);
  });

  it("open each output above its task, however tasks are named, and above the result", () => {
    const output = (taskId: string) => aTask(taskId, "completed", { output: `Of ${taskId}.` });
    const tasks = ["review", "review output", "review attempt"].map(output);
    const execution = notWaiting({ tasks, state: "completed", output: "All." });
    const target = { crew: execution.crew.id, kickoffId: "11111111-aaaa", by: "person" };
    for (const [heading, output] of [
      ["## Result", { result: true }],
      ...tasks.map(({ taskId }) => [`## Task: ${taskId}`, { taskId, attempt: 1 }] as const),
    ] as const) {
      const lenses = lensesAbove(heading, execution).map((lens) => [lens.title, lens.arguments]);
      assert.deepEqual(lenses, [["Open Output", [{ ...target, ...output }]]]);
    }
  });

  it("give each answer of a flow, up to eight, with the default marked", () => {
    const asked = (options: readonly string[]) => ({
      ...anExecution().waiting!,
      ...{ options, defaultOption: "revise" },
    });
    const few = anExecution({ waiting: asked(["publish", "revise"]) });
    const expected = ["publish", "revise (default)", "Write Answer…", "Open Output"];
    assert.deepEqual(titlesAbove(waits, few), expected);
    const many = anExecution({ waiting: asked(Array.from("abcdefghij")) });
    assert.deepEqual(titlesAbove(waits, many).slice(7, 9), ["h", "Write Answer…"]);
  });

  it("ask for a task's ID if the crew doesn't report which task waits", () => {
    const gone = notWaiting({ state: "unknown", mayBeWaiting: true });
    const titles = ["Give Feedback…", "Paste Received Callback…"];
    assert.deepEqual(titlesAbove("## It may be waiting for you", gone), titles);
  });
});
