import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { CrewApi, DocumentedStatus } from "../support/crew-api.ts";
import { crewaiProject, needsCrewai } from "../support/crewai.ts";
import { serveProject, type Model } from "../support/crewai-service.ts";
import { endsOf } from "../support/ends.ts";
import { startModelServer } from "../support/model-server.ts";

/** What each task of `weather` asks of the model, and the answer. */
const answers = {
  "Measure the temperature": '{"city": "Oslo", "degrees": 10}',
  "Warn about frost": "Mind the ice.",
  "Write a headline": "It is mild in Oslo today.",
  "Write the report": "A report.",
} as const;
type Asked = keyof typeof answers;

describe("a project that runs again from a task with crewAI", () => {
  needsCrewai();
  let folder: string;
  const atEnd = endsOf(after);
  let model: Model;
  let api: CrewApi;
  /** An execution that waits for feedback at `headline`. */
  let waiting: string;

  /** The task that a prompt is about: the current one is named first. */
  const askedBy = (prompt: string) =>
    (Object.keys(answers) as Asked[])
      .filter((text) => prompt.includes(text))
      .sort((one, other) => prompt.indexOf(one) - prompt.indexOf(other))[0];
  const outputsIn = (tasks: DocumentedStatus["tasks"] = []) =>
    tasks.map(({ task_id, output }) => [task_id, output]);

  const again = (task_id: string, more: object = {}) => ({
    inputs: { city: "oslo", readers: "" },
    run_again: { execution_id: waiting, task_id, ...more },
  });
  /** Runs again, and returns what the model was asked meanwhile. */
  async function rerun(request: object, settled: "untilWaiting" | "untilEnded") {
    const before = model.requests.length;
    const id = await api.kickoff(request);
    const status = await api[settled](id);
    const requests = model.requests.slice(before);
    return { id, status, asked: requests.map(({ prompt }) => askedBy(prompt)), requests };
  }

  before(async () => {
    model = await startModelServer(({ prompt, tools, hasToolResult }) => {
      if (tools.includes("thermometer") && !hasToolResult)
        return { tool: "thermometer", arguments: { city: "Oslo" } };
      return answers[askedBy(prompt) ?? "Write the report"];
    });
    atEnd(() => model.stop());
    folder = crewaiProject("weather");
    ({ api } = await serveProject(folder, model, {}, atEnd));
    waiting = await api.kickoff({ inputs: { city: "oslo", readers: "" } });
    await api.untilWaiting(waiting);
  });

  it("keeps the earlier outputs of an execution that waits, which reach the model without another call for their tasks", async () => {
    const { id, status, asked, requests } = await rerun(again("headline"), "untilWaiting");
    assert.deepEqual(asked, ["Write a headline"]);
    const prompt = requests[0]?.prompt ?? "";
    assert.ok(prompt.includes('{"city": "Oslo", "degrees": 10}'), prompt);
    // The hook before the kickoff changed both inputs again.
    assert.ok(prompt.includes("Write a headline about Oslo for everybody."), prompt);
    assert.deepEqual(outputsIn(status.tasks), [
      ["measure", '{"city": "Oslo", "degrees": 10}'],
      ["warn", ""],
    ]);
    assert.equal((await api.post(`/stop/${id}`, {})).status, 200);
    await api.untilWaiting(waiting);
  });

  it("takes an edited output: it is what later prompts have, and what a condition is asked with", async () => {
    const outputs = { measure: '{"city": "Oslo", "degrees": -8}' };
    const { status, asked, requests } = await rerun(again("warn", { outputs }), "untilWaiting");
    assert.deepEqual(asked, ["Warn about frost", "Write a headline"]);
    for (const { prompt } of requests) {
      assert.ok(prompt.includes('"degrees": -8'), prompt);
      assert.ok(!prompt.includes('"degrees": 10'), prompt);
    }
    assert.deepEqual(outputsIn(status.tasks), [
      ["measure", outputs.measure],
      ["warn", "Mind the ice."],
    ]);
  });

  it("runs the last task from an output that a person wrote before the task that waits was approved", async () => {
    const outputs = { headline: "Storm over Oslo." };
    const { status, asked, requests } = await rerun(again("report", { outputs }), "untilEnded");
    assert.deepEqual(asked, ["Write the report"]);
    assert.ok(requests[0]?.prompt.includes("Storm over Oslo."), requests[0]?.prompt);
    assert.equal(status.result?.output, "A report. (signed)");
  });

  it("changes the inputs by hooks also if the condition of the first task isn't met", async () => {
    const { asked, requests } = await rerun(again("warn"), "untilWaiting");
    assert.deepEqual(asked, ["Write a headline"]);
    const prompt = requests[0]?.prompt ?? "";
    assert.ok(prompt.includes("Write a headline about Oslo for everybody."), prompt);
  });

  it("names a task whose tools or output model changed", async () => {
    const count = model.requests.length;
    for (const [file, text, changed] of [
      ["crew.py", "degrees: int", "degrees: float"],
      ["tools/thermometer.py", "(city: str)", "(city: str, day: str = '')"],
    ] as const) {
      const whole = path.join(folder, "src/weather", file);
      const before = readFileSync(whole, "utf8");
      assert.ok(before.includes(text), before);
      writeFileSync(whole, before.replace(text, changed));
      const { status } = await rerun(again("headline"), "untilEnded");
      assert.match(status.error ?? "", /^The crew can't run: .*"measure" changed/, file);
      writeFileSync(whole, before);
    }
    assert.equal(model.requests.length, count);
  });
});
