import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import path from "node:path";
import { CrewApi } from "../support/crew-api.ts";
import { crewaiEnv, needsCrewai, writeProject } from "../support/crewai.ts";
import type { Model } from "../support/crewai-service.ts";
import { endsOf } from "../support/ends.ts";
import { startModelServer } from "../support/model-server.ts";
import { runService, startService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";
import { warmPython } from "../support/warm-python.ts";

const agents = "writer:\n  role: Writer\n  goal: Write\n  backstory: You write.\n";
const tasks =
  "content:\n  description: Write the content about {topic}.\n  expected_output: Text.\n  agent: writer\n";

/** As `crewai create flow` makes it, with a declarative crew besides. */
const flow = {
  "pyproject.toml": '[project]\nname = "news"\n\n[tool.crewai]\ntype = "flow"\n',
  ".env": "STATION=Oslo\n",
  "src/news/__init__.py": "",
  "src/news/tools/__init__.py": "",
  "src/news/tools/station.py": 'import os\nprint("the station is " + os.environ["STATION"])\n',
  "src/news/crews/content/config/agents.yaml": agents,
  "src/news/crews/content/config/tasks.yaml": tasks,
  "src/news/crews/content/content.py": `import os
from crewai import Agent, Crew, Task
from crewai.project import CrewBase, agent, crew, task
from news.tools import station

print("it runs in " + os.getcwd())

@CrewBase
class Content:
    agents_config = "config/agents.yaml"
    tasks_config = "config/tasks.yaml"
    @agent
    def writer(self) -> Agent:
        return Agent(config=self.agents_config["writer"])
    @task
    def content(self) -> Task:
        return Task(config=self.tasks_config["content"])
    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks)
`,
  "crews/short/agents/writer.jsonc": '{"role": "Writer", "goal": "Write", "backstory": "You."}',
  "crews/short/crew.jsonc": `{
  "name": "Short",
  "agents": ["writer"],
  "tasks": [{"name": "short", "description": "Shorten {topic}.", "expected_output": "Text.", "agent": "writer"}]
}`,
};

describe("a project of several crews", () => {
  needsCrewai();
  const atEnd = endsOf(after);
  let model: Model;
  let folder: string;
  before(async () => {
    model = await startModelServer(({ prompt }) =>
      prompt.includes("Shorten") ? "In short." : "The content.",
    );
    atEnd(() => model.stop());
    folder = writeProject(flow);
    symlinkSync(path.resolve(await warmPython(), "../.."), path.join(folder, ".venv"));
  });

  for (const [crew, output] of [
    ["src/news/crews/content", "The content."],
    ["crews/short", "In short."],
  ] as const)
    it(`serves ${crew} with the project's Python, .env and modules`, async () => {
      const service = await startService({
        folder: path.join(folder, crew),
        args: ["--engine", "crewai"],
        env: crewaiEnv(model),
      });
      try {
        const api = new CrewApi(service);
        const id = await api.kickoff({ inputs: { topic: "tides" } });
        const ended = await api.untilEnded(id);
        assert.equal(ended.result?.output, output, JSON.stringify(ended));
        if (crew === "crews/short") return;
        await waitFor("the log", () => service.log().includes("the station is Oslo"));
        assert.ok(service.log().includes(`it runs in ${folder}\n`), service.log());
      } finally {
        await service.stop();
      }
    });

  it("names its crews where it has none of its own", async () => {
    const { code, stderr } = await runService([folder, "--engine", "crewai"]);
    assert.equal(code, 4);
    assert.match(
      stderr,
      /A flow needs .*choose its folder: crews\/short, src\/news\/crews\/content\./,
    );
  });
});
