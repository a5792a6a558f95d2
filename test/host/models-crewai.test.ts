import assert from "node:assert/strict";
import * as vscode from "vscode";
import { type Models, modelsOf } from "../../src/models/models.ts";
import { CrewApi, type DocumentedStatus } from "../support/crew-api.ts";
import { crewaiProject, needsCrewai, newestCrewai, pythonWith } from "../support/crewai.ts";
import { weatherAnswer } from "../support/model-server.ts";
import { startForWindow } from "../support/window-service.ts";
import { MemoryMemento, MemorySecrets } from "./memory.ts";
import { provideModels, textIn, vendor } from "./model-provider.ts";

const crewId = "local:file:///weather";

describe("models of a real crew (crewAI)", () => {
  needsCrewai();
  let models: Models;
  let service: Awaited<ReturnType<typeof startForWindow>> | undefined;

  beforeEach(() => {
    models = modelsOf({ secrets: new MemorySecrets(), globalState: new MemoryMemento() });
  });

  afterEach(async () => {
    await service?.stop();
    service = undefined;
    models.dispose();
  });

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
    const { pending_human_input: waiting } = await api.untilWaiting(id);
    assert.equal(waiting.task_output, "It is mild in Oslo today.");
    assert.equal((await api.resume(id, "headline", true, "Good.")).status, 200);
    return await api.untilEnded(id);
  }

  it("are VS Code's: it calls its tool, keeps its output model, and gets feedback, without a key of its own", async () => {
    const prompts: string[] = [];
    await provideModels(["one"], ({ messages, options, progress }) => {
      const prompt = messages.map(textIn).join("\n");
      prompts.push(prompt);
      const hasToolResult = messages.some(({ content }) =>
        content.some((part) => part instanceof vscode.LanguageModelToolResultPart),
      );
      const tools = (options.tools ?? []).map(({ name }) => name);
      const said = weatherAnswer({ prompt, tools, hasToolResult }, "A report.");
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
