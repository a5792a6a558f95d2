import assert from "node:assert/strict";
import { noActivity } from "../../../src/executions/activity.ts";
import { readStatus } from "../../../src/api/read-status.ts";
import type { Execution } from "../../../src/executions/model.ts";
import { applyReading } from "../../../src/executions/reduce.ts";
import type { Engine } from "../../../src/service/engine.ts";
import { renderExecution } from "../../support/rendered.ts";
import { pageModel } from "../../../src/views/page/model.ts";
import { waitFor } from "../../support/wait.ts";
import { anExecution } from "../executions/samples.ts";
import { Harness } from "../service/support.ts";

/** What the text and the page show of the output of the task `research`. */
function shown(execution: Execution): readonly (string | undefined)[] {
  const { text } = renderExecution(execution);
  const { tasks } = pageModel(execution, noActivity).view;
  const [research] = tasks.filter(({ taskId }) => taskId === "research");
  return [/## Task: research\n([^]*?)\n## /.exec(text)?.[1], research?.attempts[0]?.output];
}

describe("While a task waits, the output of the task before it", () => {
  let harness: Harness;
  afterEach(() => harness.end());
  const read = async (id: string) =>
    readStatus((await harness.request("GET", `/${id}/status`)).body);

  it("stays readable if a deployed crew reported it before the pause, which it doesn't report", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const engine: Engine = {
      name: "held",
      run: async ({ task }) => {
        if (task.id === "draft") await held;
        return { output: `Notes of ${task.id}.` };
      },
    };
    harness = await new Harness({ engine, dialect: "live" }).start();
    const id = await harness.kickoff();
    const reading = await waitFor("the first output", async () => {
      const reading = await read(id);
      return reading.tasks.length === 1 && reading;
    });
    const running = applyReading(anExecution(), reading, Date.now());
    release();
    const pause = await waitFor("the pause", async () => {
      const reading = await read(id);
      return reading.state === "unknown" && reading;
    });
    const execution = applyReading(running, pause, Date.now());
    assert.equal(execution.mayBeWaiting, true);
    for (const text of shown(execution)) assert.match(text ?? "", /Notes of research\./);
  });
});
