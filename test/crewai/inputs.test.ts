import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { crewaiProject, smokedVersions, needsCrewai, pythonWith } from "../support/crewai.ts";
import { CrewApi } from "../support/crew-api.ts";
import { startService } from "../support/service.ts";

const run = promisify(execFile);

/** Text of a task with every kind of braces. */
const odd = [
  'Answer as {"idea": "…", "days": {days}}.',
  "{month of travel} {größe} {user.name} {my-key_2} {f(x)} {2} {} { }",
  "{open",
  "closed} {{twice}} {'name': \"Cholesterol\", 'value': \"230 mg/dL\"}",
];

/** Python that leaves a file when it runs. */
const trace = "\nopen('python-ran', 'w').close()\n";

/** Projects with odd names of inputs, and with texts that crewAI asks nothing for. */
const projects = {
  weather: {
    program:
      "import sys; sys.path.insert(0, 'src'); from weather.crew import Weather; crew = Weather().crew()",
    change: (folder: string) => {
      const config = path.join(folder, "src", "weather", "config");
      const tasks = path.join(config, "tasks.yaml");
      const text = readFileSync(tasks, "utf8");
      const lines = odd.map((line) => `    ${line}\n`).join("");
      writeFileSync(tasks, text.replace("    Write the report.\n", `    {across\n${lines}`));
      appendFileSync(tasks, "unused:\n  description: '{unused}'\n  expected_output: e\n");
      appendFileSync(
        path.join(config, "agents.yaml"),
        "    And {the last one}\nretired:\n  role: '{retired}'\n  goal: g\n  backstory: b\n",
      );
      appendFileSync(path.join(folder, "src", "weather", "crew.py"), trace);
    },
  },
  declared: {
    program: "from crewai.project.crew_loader import load_crew; crew = load_crew('crew.jsonc')[0]",
    change: (folder: string) => {
      const file = path.join(folder, "crew.jsonc");
      const text = readFileSync(file, "utf8");
      const description = JSON.stringify(`Write about {topic}\n${odd.join("\n")}`);
      writeFileSync(
        file,
        text
          .replace('"Write about {topic}"', description)
          .replace('"sequential"', '"hierarchical", "manager_agent": "manager"'),
      );
      writeFileSync(
        path.join(folder, "agents", "manager.jsonc"),
        '{"role": "Manager of {team}", "goal": "g", "backstory": "b"}',
      );
      appendFileSync(path.join(folder, "tools", "lookup.py"), trace);
    },
  },
} as const;

describe("GET /inputs", () => {
  needsCrewai();
  for (const version of smokedVersions)
    for (const name of ["weather", "declared"] as const) {
      if (name === "declared" && version === "1.0.0") continue;
      it(`names what fetch_inputs() of crewAI ${version} names, odd names included, and what crewAI fills in besides, in both dialects, before any Python runs: ${name}`, async () => {
        const { program, change } = projects[name];
        const folder = crewaiProject(name);
        change(folder);
        const python = await pythonWith(version);
        const named: string[][] = [];
        for (const dialect of ["documented", "live"]) {
          const args = ["--engine", "crewai", "--python", python, "--dialect", dialect];
          const service = await startService({ folder, args });
          const { body } = await new CrewApi(service).get("/inputs");
          named.push((body as { inputs: string[] }).inputs);
          await service.stop();
        }
        const mark = path.join(folder, "python-ran");
        assert.ok(!existsSync(mark));
        const { stdout } = await run(
          python,
          [
            "-c",
            `${program}; import json; print(); print(json.dumps(sorted(crew.fetch_inputs())))`,
          ],
          {
            cwd: folder,
            env: { ...process.env, OPENAI_API_KEY: "key", CREWAI_DISABLE_TELEMETRY: "true" },
          },
        );
        assert.ok(existsSync(mark));
        const fetched = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as string[];
        // crewAI fills it in, and asks only for "{twice".
        const expected = [...fetched, "twice"].sort();
        const [documented = [], live] = named;
        assert.deepEqual([...documented].sort(), expected);
        assert.deepEqual(live, expected);
        assert.ok(documented.includes("month of travel"));
      });
    }
});
