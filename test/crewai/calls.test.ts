import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { asArray, asObject } from "../../src/base/json.ts";
import { CrewClient } from "../../src/api/client.ts";
import { readStatus } from "../../src/api/read-status.ts";
import { activityOf } from "../../src/executions/activity.ts";
import { readCall } from "../../src/views/page/calls.ts";
import { anExecution } from "../unit/executions/samples.ts";
import { warmPython } from "../support/warm-python.ts";
import type { CrewApi } from "../support/crew-api.ts";
import {
  crewaiProject,
  crewFile,
  needsCrewai,
  newestCrewai,
  oldestCrewai,
  writeProject,
} from "../support/crewai.ts";
import { serveProject, startModel } from "../support/crewai-service.ts";
import { weatherAnswer } from "../support/model-server.ts";

const file = "oslo.recording.jsonl";

/** Writes a recording of an execution, as a person would. */
async function record(api: CrewApi, id: string, project: string): Promise<string> {
  const { status, body } = await api.get(`/executions/${id}/recording`);
  assert.equal(status, 200);
  writeFileSync(path.join(project, file), String(body));
  return file;
}

describe("calls of a crewAI run", () => {
  needsCrewai();

  it("keeps each one whole, and a recording of them replays it without a model", async () => {
    const project = crewaiProject("weather");
    const model = await startModel((request) => weatherAnswer(request, "A report."));
    const { api } = await serveProject(project, model);
    const inputs = { city: "oslo", readers: "" };
    /** Rejects the headline once. */
    const run = async (more: object = {}) => {
      const id = await api.kickoff({ inputs, ...more });
      await api.untilWaiting(id);
      await api.resume(id, "headline", false, "Shorter, please.");
      await api.untilWaiting(id, 2);
      await api.resume(id, "headline", true, "Good.");
      const { result, usage_metrics, events } = await api.untilEnded(id);
      const { calls } = asObject((await api.get(`/executions/${id}/calls`)).body);
      const kept = asArray(calls).map(asObject);
      const begun = asArray(events)
        .map(asObject)
        .map(({ call_id }) => call_id);
      for (const { kind, id } of kept)
        assert.equal(id !== undefined && begun.includes(id), kind === "model");
      return {
        id,
        output: asObject(result)["output"],
        usage_metrics,
        kept: kept.map(({ number, task_id, attempt, name }) => [number, task_id, attempt, name]),
      };
    };
    const { id, ...first } = await run();
    assert.deepEqual(first, {
      output: "A report. (signed)",
      usage_metrics: { total_tokens: 550, prompt_tokens: 500, completion_tokens: 50 },
      kept: [
        [1, "measure", 1, "chat/completions"],
        [2, "measure", 1, "thermometer"],
        [3, "measure", 1, "chat/completions"],
        [4, "headline", 1, "chat/completions"],
        [5, "headline", 2, "chat/completions"],
        [6, "report", 1, "chat/completions"],
      ],
    });
    const whole = asObject((await api.get(`/executions/${id}/calls/5`)).body);
    assert.match(JSON.stringify(whole["request"]), /Shorter, please\./);
    assert.match(JSON.stringify(whole["response"]), /Mild\./);
    assert.equal((await api.get(`/executions/${id}/calls/7`)).status, 404);

    const recording = await record(api, id, project);
    const asked = model.requests.length;
    const again = await run({ replay: { file: recording } });
    assert.deepEqual({ ...again, id }, { ...first, id });
    const tasks = path.join(project, "src/weather/config/tasks.yaml");
    const edited = readFileSync(tasks, "utf8").replace("Write a headline", "Write a title");
    writeFileSync(tasks, edited);
    const changed = await api.untilEnded(
      await api.kickoff({ inputs, replay: { file: recording } }),
    );
    assert.match(
      String(changed.error),
      /Record again.*\n-Current Task: Write a headline.*\n\+Current Task: Write a title/s,
    );
    assert.equal(model.requests.length, asked);
  });

  it("replays agents that ask each other", async () => {
    const agent = "allow_delegation=True";
    const crew = crewFile({ agent, tasks: { first: "" }, crew: "planning=True" });
    const project = writeProject({ "crew.py": crew });
    const model = await startModel(({ prompt, tools, hasToolResult }) => {
      if (prompt.includes("helper goal")) return "Ask the harbour.";
      if (prompt.includes("Task Execution Planner"))
        return '{"list_of_plans_per_task": [{"task_number": 1, "task": "first", "plan": "Ask."}]}';
      const [ask] = tools.filter((name) => /^ask_question/i.test(name));
      if (ask !== undefined && !hasToolResult)
        return {
          tool: ask,
          arguments: { question: "Who?", context: "None.", coworker: "helper role" },
        };
      return hasToolResult ? "The harbour knows." : "A plan.";
    });
    const { api } = await serveProject(project, model);
    const run = async (more: object = {}) => {
      const id = await api.kickoff({ inputs: { topic: "tea" }, ...more });
      const { result, usage_metrics, error } = await api.untilEnded(id);
      return {
        id,
        told: [result, usage_metrics, error].map((each) =>
          JSON.stringify(each ?? null).replace(/"execution_time":[\d.]+/g, ""),
        ),
      };
    };
    const { id, told } = await run();
    assert.match(String(told[0]), /The harbour knows\./);
    assert.ok(model.requests.some(({ prompt }) => prompt.includes("helper goal")));
    const asked = model.requests.length;
    const again = await run({ replay: { file: await record(api, id, project) } });
    assert.deepEqual(again.told, told);
    assert.equal(model.requests.length, asked);
  });

  for (const version of [oldestCrewai, newestCrewai])
    it(`has the call of each bar of the timeline: crewAI ${version}`, async () => {
      const model = await startModel((request) => weatherAnswer(request, "A report."));
      const python = await warmPython(version);
      const { api, service } = await serveProject(crewaiProject("weather"), model, { python });
      const id = await api.kickoff({ inputs: { city: "oslo", readers: "" } });
      const { events = [] } = readStatus(await api.untilWaiting(id));
      const execution = anExecution({ kickoffIds: [id], state: "waiting" });
      const { spans } = activityOf(execution, { events, left: 0 });
      const client = new CrewClient(service.url, service.token);
      const crews = {
        ready: () => Promise.resolve(execution.crew),
        client: () => Promise.resolve(client),
      };
      const bars = spans.filter(({ kind }) => kind === "model" || kind === "tool");
      const read = await Promise.all(bars.map((span) => readCall(crews, execution, spans, span)));
      const found = read.map(({ span, body = {}, last }) => {
        const said = `${JSON.stringify(body["request"])} ${JSON.stringify(body["response"])}`;
        const all = ["Write a headline", "10 degrees", "thermometer"];
        const words = all.find((each) => said.includes(each));
        return [span.kind, span.taskId, body["kind"], words, last !== undefined];
      });
      const isNewest = version === newestCrewai;
      assert.deepEqual(found, [
        ["model", "measure", "model", "thermometer", false],
        // The oldest runs no tool for this answer.
        ...(isNewest ? [["tool", "measure", "tool", "10 degrees", false]] : []),
        ...(isNewest ? [["model", "measure", "model", "10 degrees", true]] : []),
        ["model", "headline", "model", "Write a headline", false],
      ]);
    });

  it("refuses a recording outside of the project", async () => {
    const project = crewaiProject("weather");
    const model = await startModel(() => "A text.");
    const { api } = await serveProject(project, model);
    const inputs = { city: "oslo", readers: "" };
    for (const outside of ["../a.recording.jsonl", "/etc/a.jsonl", "pyproject.toml"]) {
      const id = await api.kickoff({ inputs, replay: { file: outside } });
      assert.match(String((await api.untilEnded(id)).error), /in the project's folder/);
    }
    assert.equal(model.requests.length, 0);
  });
});
