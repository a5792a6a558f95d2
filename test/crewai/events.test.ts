import assert from "node:assert/strict";
import { readStatus } from "../../src/api/read-status.ts";
import { activityOf } from "../../src/executions/activity.ts";
import { newExecution } from "../../src/executions/reduce.ts";
import { crewaiProject, crewaiVersions, needsCrewai } from "../support/crewai.ts";
import { serveProject, startModel } from "../support/crewai-service.ts";
import { endsOf } from "../support/ends.ts";
import { weatherAnswer } from "../support/model-server.ts";
import { waitFor } from "../support/wait.ts";
import { warmPython } from "../support/warm-python.ts";

describe("events of a crewAI project", () => {
  needsCrewai();
  const atEnd = endsOf(afterEach);

  for (const version of crewaiVersions)
    it(`are those of the event bus of crewAI ${version}, with their tokens, nested in the service's`, async () => {
      const model = await startModel(atEnd, weatherAnswer);
      const python = await warmPython(version);
      const served = await serveProject(atEnd, crewaiProject("weather"), model, { python });
      const { api, service } = served;
      const id = await api.kickoff({ inputs: { city: "oslo", readers: "" } });
      const read = async () => readStatus((await api.get(`/${id}/status`)).body);
      await waitFor("the task to wait", async () => (await read()).state === "waiting", 120_000);
      const { events = [] } = await read();
      const ids = new Set([undefined, ...events.map(({ id }) => id)]);
      const strays = events.filter(({ parentId }) => !ids.has(parentId));
      assert.deepEqual(strays, [], "each is part of an event that is there");
      const crew = { id: "local:weather", name: "weather", url: service.url };
      const clock = { now: () => Date.now(), after: () => () => undefined };
      const execution = newExecution({ crew, origin: "tracked", kickoffId: id }, clock);
      const { spans } = activityOf(execution, { events, folded: {} });
      const kindOf = new Map(spans.map((span) => [span.id, span.kind]));
      const nested = spans.map(({ kind, parentId = "" }) => `${kindOf.get(parentId)} > ${kind}`);
      for (const expected of ["crew > task", "task > agent", "agent > model"])
        assert.ok(nested.includes(expected), `${expected}: ${nested.join(", ")}`);
      const calls = spans.filter(({ kind }) => kind === "model");
      assert.equal(calls.length, model.requests.length);
      assert.ok(calls.every(({ end, name }) => end !== undefined && name !== ""));
      for (const { arguments: prompt = "" } of calls) assert.match(prompt, /user: /);
      assert.match(calls[0]?.arguments ?? "", /Measure the temperature/);
      assert.ok(!spans.some(({ name }) => name === "AgentExecutor"));
      assert.ok((spans.find(({ kind }) => kind === "task")?.tokens?.total ?? 0) > 0);
    });
});
