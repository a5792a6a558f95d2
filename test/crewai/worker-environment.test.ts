import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import path from "node:path";
import { CrewApi, type DocumentedStatus } from "../support/crew-api.ts";
import { crewaiProject, crewaiVersions, needsCrewai, pythonWith } from "../support/crewai.ts";
import { startModel, type Model } from "../support/crewai-service.ts";
import { atEndOfTest } from "../support/ends.ts";
import { waitFor } from "../support/wait.ts";
import { warmPython } from "../support/warm-python.ts";
import { startForWindow } from "../support/window-service.ts";

describe("the environment that the extension gives a crew's Python", () => {
  needsCrewai();
  const key = "key-of-the-chosen-model";
  let [chosen, other]: Model[] = [];
  let service: Awaited<ReturnType<typeof startForWindow>> | undefined;

  beforeEach(async () => {
    chosen = await startModel(() => "A text.");
    other = await startModel(() => "Another text.");
  });

  async function run(folder: string, python: string): Promise<DocumentedStatus> {
    const { url = "" } = chosen ?? {};
    const own = { OPENAI_BASE_URL: other?.url ?? "", OPENAI_API_KEY: "key-of-the-service" };
    const before = process.env;
    process.env = { ...before, ...own };
    const variables = {
      OPENAI_BASE_URL: url,
      OPENAI_API_BASE: url,
      OPENAI_API_KEY: key,
      MODEL: "openai/gpt-chosen",
    };
    const engine = { engine: "crewai", python, parallel: 1 } as const;
    service = await startForWindow({ folder, engine, route: { variables } }).finally(() => {
      process.env = before;
    });
    atEndOfTest(() => service?.stop());
    const api = new CrewApi(service);
    const id = await api.kickoff({ inputs: { topic: "tides", city: "Oslo", readers: "" } });
    return await waitFor(
      "the first output",
      async () => {
        const status = await api.status(id);
        return (status.pending_human_input !== undefined || status.status === "error") && status;
      },
      120_000,
    );
  }

  const tried = crewaiVersions.flatMap((version) =>
    ["weather", "declared"].map((project) => ({ version, project })),
  );
  for (const { version, project } of tried.filter(
    // The oldest version reads no declarative crews.
    (each) => each.version !== "1.0.0" || each.project === "weather",
  ))
    it(`wins over the project's .env, and no key reaches another host (crewAI ${version}, ${project})`, async () => {
      const folder = crewaiProject(project);
      const { url = "" } = other ?? {};
      appendFileSync(
        path.join(folder, ".env"),
        `\nMODEL=openai/gpt-of-the-project\nBASE_URL=${url}\nOPENAI_API_BASE=${url}\nOPENAI_API_KEY=key-of-the-project\n`,
      );
      const status = await run(folder, await pythonWith(version));
      assert.ok((chosen?.requests.length ?? 0) > 0, JSON.stringify(status));
      assert.deepEqual(other?.requests, []);
      // The agent of `declared` names its model itself.
      const model = project === "declared" ? "gpt-4o-mini" : "gpt-chosen";
      for (const request of chosen?.requests ?? [])
        assert.deepEqual([request.key, request.model], [key, model]);
    });

  it("isn't visible as such to the project, and its key is neither logged nor in an error", async () => {
    const folder = crewaiProject("weather");
    appendFileSync(
      path.join(folder, "src/weather/crew.py"),
      "\n\nimport os\nprint('The key is', os.environ['OPENAI_API_KEY'])\nraise ValueError(os.environ['OPENAI_API_KEY'], [name for name in os.environ if 'CREWDECK' in name])\n",
    );
    const { error } = await run(folder, await warmPython());
    assert.match(error ?? "", /ValueError: \('\[hidden\]', \[\]\)/);
    await waitFor("the log", () => service?.log().includes("The key is [hidden]"));
    assert.ok(!service?.log().includes(key));
  });
});
