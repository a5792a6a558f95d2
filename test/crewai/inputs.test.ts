import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { readProject } from "../../src/projects/read.ts";
import { crewaiProject, crewaiVersions, needsCrewai, pythonWith } from "../support/crewai.ts";

const run = promisify(execFile);

/** Text of a task with every kind of braces. */
const odd = [
  'Answer as {"idea": "…", "days": {days}}.',
  "{month of travel} {größe} {user.name} {my-key_2} {f(x)} {2} {} { }",
  "{open",
  "closed} {{twice}} {'name': \"Cholesterol\", 'value': \"230 mg/dL\"}",
];

const programs = {
  weather:
    "import sys; sys.path.insert(0, 'src'); from weather.crew import Weather; crew = Weather().crew()",
  declared: "from crewai.project.crew_loader import load_crew; crew = load_crew('crew.jsonc')[0]",
};

describe("the names of inputs", () => {
  needsCrewai();
  for (const version of crewaiVersions)
    for (const name of ["weather", "declared"] as const) {
      if (name === "declared" && version === "1.0.0") continue;
      it(`are those of fetch_inputs() of crewAI ${version}, odd ones with braces included: ${name}`, async () => {
        const folder = crewaiProject(name);
        if (name === "weather") {
          const tasks = path.join(folder, "src", "weather", "config", "tasks.yaml");
          const text = readFileSync(tasks, "utf8");
          const lines = odd.map((line) => `    ${line}\n`).join("");
          writeFileSync(tasks, text.replace("    Write the report.\n", `    {across\n${lines}`));
          const agents = path.join(folder, "src", "weather", "config", "agents.yaml");
          appendFileSync(agents, "    And {the last one}\n");
        } else {
          const file = path.join(folder, "crew.jsonc");
          const text = readFileSync(file, "utf8");
          const description = JSON.stringify(`Write about {topic}\n${odd.join("\n")}`);
          writeFileSync(file, text.replace('"Write about {topic}"', description));
        }
        const program = `${programs[name]}; import json; print(); print(json.dumps(sorted(crew.fetch_inputs())))`;
        const { stdout } = await run(await pythonWith(version), ["-c", program], {
          cwd: folder,
          env: { ...process.env, OPENAI_API_KEY: "key", CREWAI_DISABLE_TELEMETRY: "true" },
        });
        const expected: unknown = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
        const { inputs } = await readProject(folder);
        assert.deepEqual([...inputs].sort(), expected);
        assert.ok(inputs.includes("month of travel"));
      });
    }
});
