import assert from "node:assert/strict";
import * as vscode from "vscode";
import { Models } from "../../src/models/models.ts";
import { CrewApi, type DocumentedStatus } from "../support/crew-api.ts";
import { crewaiProject, needsCrewai, newestCrewai, pythonWith } from "../support/crewai.ts";
import type { ModelAnswer } from "../support/model-server.ts";
import { waitFor } from "../support/wait.ts";
import { startForWindow } from "../support/window-service.ts";
import { MemoryMemento, MemorySecrets } from "./memory.ts";
import { provideModels, textIn, vendor } from "./model-provider.ts";

const crewId = "local:file:///weather";

/** What a model says to the crew `weather`. */
function sayTo(prompt: string, canMeasure: boolean): ModelAnswer {
  if (canMeasure) return { tool: "thermometer", arguments: { city: "Oslo" } };
  if (prompt.includes("Measure the temperature")) return '{"city": "Oslo", "degrees": 10}';
  if (prompt.includes("Write a headline")) return "It is mild in Oslo today.";
  return "A report.";
}

describe("models of a real crew (crewAI)", () => {
  needsCrewai();
  let models: Models;
  let service: Awaited<ReturnType<typeof startForWindow>> | undefined;

  beforeEach(() => {
    models = new Models({ secrets: new MemorySecrets(), globalState: new MemoryMemento() });
  });

  afterEach(async () => {
    await service?.stop();
    service = undefined;
    models.dispose();
  });

  /** Serves `weather` as a local crew is served, and runs it to its end. */
  async function runWeather(): Promise<DocumentedStatus> {
    const python = await pythonWith(newestCrewai);
    service = await startForWindow({
      folder: crewaiProject("weather"),
      engine: { engine: "crewai", python, parallel: 1 },
      route: await models.route(crewId),
    });
    const { connection, url, token } = service;
    models.follow(crewId, connection);
    const api = new CrewApi({ url, token });
    const id = await api.kickoff({ inputs: { city: "oslo", readers: "" } });
    const until = async (what: string, is: (status: DocumentedStatus) => boolean) => {
      let last: DocumentedStatus | undefined;
      await waitFor(
        what,
        async () => is((last = (await api.get(`/${id}/status`)).body as DocumentedStatus)),
        120_000,
      );
      assert.ok(last);
      return last;
    };
    const hasEnded = ({ status }: DocumentedStatus) => status === "completed" || status === "error";
    const waiting = await until(
      "the headline",
      (status) => status.pending_human_input !== undefined || hasEnded(status),
    );
    assert.equal(
      waiting.pending_human_input?.task_output,
      "It is mild in Oslo today.",
      JSON.stringify(waiting),
    );
    const answered = await api.post("/resume", {
      execution_id: id,
      task_id: "headline",
      is_approve: true,
      human_feedback: "Good.",
    });
    assert.equal(answered.status, 200);
    return await until("the end", hasEnded);
  }

  it("are VS Code's: it calls its tool, keeps its output model, and gets feedback, without a key of its own", async () => {
    const prompts: string[] = [];
    await provideModels(["one"], ({ messages, options, progress }) => {
      const prompt = messages.map(textIn).join("\n");
      prompts.push(prompt);
      const hasResult = messages.some(({ content }) =>
        content.some((part) => part instanceof vscode.LanguageModelToolResultPart),
      );
      const tools = options.tools ?? [];
      const isThermometer = tools.some(({ name }) => name === "thermometer");
      const said = sayTo(prompt, isThermometer && !hasResult);
      progress.report(
        typeof said === "string"
          ? new vscode.LanguageModelTextPart(said)
          : new vscode.LanguageModelToolCallPart("call-1", said.tool, said.arguments),
      );
    });
    await models.choose(crewId, { use: "vscode", vendor, id: "one", name: "Model one" });
    const ended = await runWeather();
    assert.equal(ended.result?.output, "A report. (signed)", JSON.stringify(ended));
    assert.ok(prompts.some((prompt) => prompt.includes("Oslo: 10 degrees at Blindern")));
    assert.ok(prompts.at(-1)?.includes("Good."));
  });
});
