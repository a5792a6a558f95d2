import assert from "node:assert/strict";
import path from "node:path";
import type { CrewApi } from "../support/crew-api.ts";
import { crewaiProject, needsCrewai } from "../support/crewai.ts";
import { serveProject, startModel, type Model } from "../support/crewai-service.ts";
import { weatherAnswer } from "../support/model-server.ts";
import type { RunningService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";

describe("a service that runs a project with crewAI", () => {
  needsCrewai();
  let model: Model;
  let service: RunningService;
  /** Whether the model answers. */
  let gate: Promise<void>;
  let openGate: () => void;

  beforeEach(async () => {
    gate = Promise.resolve();
    model = await startModel(async (request) => {
      await gate;
      return weatherAnswer(request);
    });
  });

  async function serve(folder: string, args: readonly string[] = []): Promise<CrewApi> {
    const served = await serveProject(folder, model, { args });
    ({ service } = served);
    return served.api;
  }

  describe("and was killed while an execution ran", () => {
    /** The execution's id, and where its service kept it. */
    async function interrupted(folder: string) {
      gate = new Promise((resolve) => (openGate = resolve));
      const data = path.join(path.dirname(folder), "data");
      const api = await serve(folder, ["--data", data]);
      const id = await api.kickoff({ inputs: {} });
      await waitFor("a request to the model", () => model.requests.length > 0, 60_000);
      await service.kill();
      openGate();
      return { id, data: ["--data", data] };
    }

    it("holds it and says how it can continue, which `--on-restart continue` lets it", async () => {
      const folder = crewaiProject("declared");
      const { id, data } = await interrupted(folder);
      const held = await serve(folder, data);
      await waitFor("the message", () => service.log().includes("--on-restart continue"));
      assert.match(service.log(), new RegExp(`Unfinished executions were interrupted: ${id}`));
      assert.equal((await held.status(id)).status, "running");
      assert.equal(model.requests.length, 1);
      await service.stop();
      const api = await serve(folder, [...data, "--on-restart", "continue"]);
      await api.untilWaiting(id);
      assert.doesNotMatch(service.log(), /unfinished/);
    });
  });
});
