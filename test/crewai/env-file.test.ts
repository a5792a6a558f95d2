import assert from "node:assert/strict";
import { appendFileSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Worker } from "../../src/service/crewai/worker.ts";
import { Secrets } from "../../src/service/operations/redact.ts";
import {
  crewaiProject,
  crewaiVersions,
  needsCrewai,
  pythonWith,
  workerProgram,
  writeProject,
} from "../support/crewai.ts";
import { serveProject, startModel } from "../support/crewai-service.ts";
import { weatherAnswer } from "../support/model-server.ts";
import { warmPython } from "../support/warm-python.ts";

/** A crew that shows a variable. */
const classic = `import os
from crewai import Agent, Crew, Task

def build() -> Crew:
    worker = Agent(role="Worker", goal="Work", backstory="You work.")
    task = Task(name="one", description=f"{os.environ.get('FIRST')} {os.environ.get('SECOND')}", expected_output="Text.", agent=worker)
    return Crew(agents=[worker], tasks=[task])
`;

describe("a project's .env", () => {
  needsCrewai();

  const open = (python: string) =>
    new Worker({
      python,
      program: workerProgram,
      secrets: new Secrets(),
      env: { ...process.env, OPENAI_API_KEY: "key", FIRST: "from outside" },
      loadMs: 120_000,
      onLine: () => undefined,
    });
  const projectIn = (folder: string, file: string) => ({
    ...{ folder, source: folder, file },
    ...{
      crewClass: null,
      storage: null,
      isFlow: false,
      environment: {},
      replay: null,
      debugPort: null,
    },
  });

  for (const version of crewaiVersions)
    it(`is read when the project is opened, not when its crewAI ${version} is imported; the environment wins`, async () => {
      const folder = writeProject({ "crew.py": classic, ".env": "FIRST=old\nSECOND=old\n" });
      // In a project's own environment, crewAI finds the file by itself.
      const python = await pythonWith(version);
      symlinkSync(path.dirname(path.dirname(python)), path.join(folder, ".venv"));
      const worker = open(path.join(folder, ".venv", "bin", "python"));
      try {
        await worker.ready;
        writeFileSync(path.join(folder, ".env"), "FIRST=new\nSECOND=new\n");
        const opened = await worker.open(projectIn(folder, "crew.py"), false);
        assert.match(JSON.stringify(opened), /"description":"from outside new"/);
      } finally {
        worker.end();
        await worker.ended;
      }
    });

  it("wins over the environment in a declarative project, as `crewai run` has it", async () => {
    const folder = crewaiProject("declared");
    // The end of the value: all of it would be hidden.
    writeFileSync(path.join(folder, ".env"), "FIRST=from the file\n");
    appendFileSync(
      path.join(folder, "tools", "lookup.py"),
      "\nimport os\nraise ValueError(os.environ['FIRST'][-4:])\n",
    );
    const worker = open(await warmPython());
    try {
      await worker.ready;
      await assert.rejects(worker.open(projectIn(folder, "crew.jsonc"), false), /: file\n/);
    } finally {
      worker.end();
      await worker.ended;
    }
  });

  it("is neither stored nor logged", async () => {
    const model = await startModel(weatherAnswer);
    const folder = crewaiProject("weather");
    appendFileSync(path.join(folder, ".env"), "STATION_KEY=hush-hush-hush\n");
    const { api, service } = await serveProject(folder, model);
    const id = await api.kickoff({ inputs: { city: "Oslo", readers: "" } });
    await api.untilWaiting(id);
    const files = readdirSync(service.data, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => path.join(parentPath, name));
    assert.ok(files.some((file) => file.endsWith("crew.py")));
    const texts = [service.log(), ...files.map((file) => readFileSync(file, "latin1"))];
    assert.ok(texts.every((text) => !text.includes("hush-hush")));
  });
});
