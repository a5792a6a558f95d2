import assert from "node:assert/strict";
import path from "node:path";
import { readProject } from "../../../src/projects/read.ts";
import { ProjectError } from "../../../src/projects/types.ts";
import { classic, folderWith, removeFolders, rehearsed } from "./folder.ts";

const task = "\n  description: d\n  expected_output: e";
const agentsYaml = (text: string) => ({ ...classic, "config/agents.yaml": text });
const tasksYaml = (text: string) => ({ ...classic, "config/tasks.yaml": text });
const agentJson = '{\n  "role": "r", "goal": "g", "backstory": "b"\n}';
const jsonc = (text: string, agent = agentJson) => ({
  "crew.jsonc": text,
  "agents/a.jsonc": agent,
});
const jsonTasks = (text: string) => jsonc(`{\n"agents": ["a"],\n"tasks": ${text}\n}`);
const toml = (text: string) => ({ ...classic, "pyproject.toml": text });

/** The files, and the message: position, problem and expected content. */
const cases: readonly (readonly [Readonly<Record<string, string | Uint8Array>>, RegExp])[] = [
  [tasksYaml(`a:${task}\n  tools: [1\n`), /^config\/tasks\.yaml:5:\d+: .+ Expected: valid YAML/],
  [
    tasksYaml("a:\n  description: One\n\nsentence\n  expected_output: e\n"),
    /^config\/tasks\.yaml:4:1: Line 4 continues line 2\. Expected: a line with more indentation/,
  ],
  [
    tasksYaml(`a:${task}\n  agent: writer\nof poems\n`),
    /^config\/tasks\.yaml:5:1: Line 5 continues line 4\. Expected: a line with more indentation/,
  ],
  [
    tasksYaml("a:\n  description: Note: a colon\n"),
    /^config\/tasks\.yaml:2:16: There is a second colon in this line\. Expected: text with a colon in quotes/,
  ],
  [
    {
      ...classic,
      "crew.py":
        '@CrewBase\nclass Poem:\n    @task\n    def one(self):\n        return Task(config=self.tasks_config["darft"])\n',
    },
    /^crew\.py:3:5: There is no "darft" in config\/tasks\.yaml\. Expected: one of "draft"\.$/,
  ],
  [
    tasksYaml(`note: Write\na:${task}\n`),
    /^config\/tasks\.yaml:1:7: This is text\. Expected: the task's description/,
  ],
  [
    { "config/tasks.yaml": classic["config/tasks.yaml"] },
    /^config\/agents\.yaml:1:1: The file is missing\. Expected: .+each agent/,
  ],
  [
    { "config/agents.yaml": classic["config/agents.yaml"] },
    /^config\/tasks\.yaml:1:1: The file is missing\. Expected: .+each task/,
  ],
  [
    tasksYaml("# nothing yet\n"),
    /^config\/tasks\.yaml:1:1: The file is empty\. Expected: at least one task/,
  ],
  [tasksYaml("{}"), /^config\/tasks\.yaml:1:1: The file is empty\. Expected: at least one task/],
  [
    tasksYaml("- a\n- b\n"),
    /^config\/tasks\.yaml:1:1: This is a list\. Expected: at least one task/,
  ],
  [
    tasksYaml(`a:${task}\nb:\n`),
    /^config\/tasks\.yaml:4:1: This is empty\. Expected: the task's description/,
  ],
  [
    tasksYaml("a:\n  expected_output: e\n"),
    /^config\/tasks\.yaml:1:1: The task "a" has no description\. Expected: "description"/,
  ],
  [
    tasksYaml("a:\n  expected_output: e\n  description:\n"),
    /^config\/tasks\.yaml:3:3: The task "a" has no description/,
  ],
  [
    tasksYaml("a:\n  description: 3\n"),
    /^config\/tasks\.yaml:2:16: This is the number 3\. Expected: text/,
  ],
  [
    tasksYaml("a:\n  description: 2026-01-02\n"),
    /^config\/tasks\.yaml:2:16: This is a date\. Expected: text; put it in quotes/,
  ],
  [
    tasksYaml(`a:${task}\nb:${task}\n  context: a\n`),
    /^config\/tasks\.yaml:7:12: This is text\. Expected: a list/,
  ],
  [
    tasksYaml(`a:${task}\n  context: [b]\nb:${task}\n`),
    /^config\/tasks\.yaml:4:13: The task "b" comes later\. Expected: an empty list/,
  ],
  [
    tasksYaml(`a:${task}\n---\nb:${task}\n`),
    /^config\/tasks\.yaml:4:1: A second document starts here\. Expected: one document/,
  ],
  [
    agentsYaml("writer: *nobody\n"),
    /^config\/agents\.yaml:1:9: There is no "&nobody" before this\. Expected: the name/,
  ],
  [
    tasksYaml(`# ${"x".repeat(1024 * 1024)}\n`),
    /^config\/tasks\.yaml:1:1: The file is too large\. Expected: .+1 MB/,
  ],
  [
    { ...classic, "config/tasks.yaml": new Uint8Array([0x61, 0x3a, 0x20, 0xff, 0xfe]) },
    /^config\/tasks\.yaml:1:1: The file is not UTF-8 text, as crewAI needs it, but probably Windows 1252\. Expected: text in UTF-8\. .*“Reopen with Encoding” with Windows 1252/,
  ],
  [
    { ...classic, "config/tasks.yaml": Buffer.from("\uFEFFa: 1", "utf16le") },
    /^config\/tasks\.yaml:1:1: .* but probably UTF-16 LE\. /,
  ],
  [
    { ...classic, "config/tasks.yaml": Buffer.from("a: 1", "utf16le").swap16() },
    /^config\/tasks\.yaml:1:1: .* but probably UTF-16 BE\. /,
  ],
  [
    jsonc('{\n  "agents": ["a"]\n  "tasks": []\n}'),
    /^crew\.jsonc:3:3: This is not JSON: comma expected\. Expected: JSON; comments/,
  ],
  [jsonc(""), /^crew\.jsonc:1:1: .+ Expected: /],
  [jsonc("[]"), /^crew\.jsonc:1:1: This is a list\. Expected: a JSON object/],
  [jsonc('{"tasks": []}'), /^crew\.jsonc:1:1: "agents" is missing\. Expected: a list of names/],
  [jsonc('{\n"agents": [],\n"tasks": []}'), /^crew\.jsonc:2:1: There are no agents\./],
  [
    jsonc('{\n"agents": ["a", "b"],\n"tasks": []}'),
    /^crew\.jsonc:2:17: The agent "b" has no file\. Expected: "agents\/b\.jsonc"/,
  ],
  [
    jsonc('{\n"agents": ["../a"],\n"tasks": []}'),
    /^crew\.jsonc:2:12: The agent "\.\.\/a" has no file/,
  ],
  [
    jsonc('{"agents": ["a"], "tasks": []}', '{\n"goal": "g"}'),
    /^agents\/a\.jsonc:1:1: The agent "a" has no role/,
  ],
  [
    jsonc('{"agents": ["a"], "tasks": []}', '{\n  "role": 7}'),
    /^agents\/a\.jsonc:2:11: This is the number 7\. Expected: text/,
  ],
  [jsonc('{"agents": ["a"]}'), /^crew\.jsonc:1:1: "tasks" is missing/],
  [jsonTasks("[]"), /^crew\.jsonc:3:1: There are no tasks\./],
  [
    jsonTasks('[\n  {"name": "x", "expected_output": "e"}\n]'),
    /^crew\.jsonc:4:3: The task "x" has no description/,
  ],
  [
    jsonTasks(
      '[{"name": "x", "description": "d", "expected_output": "e"},\n{"name": "x", "description": "d", "expected_output": "e"}]',
    ),
    /^crew\.jsonc:4:10: The name "x" is used twice/,
  ],
  [
    jsonc(
      '{\n"agents": ["a"],\n"inputs": ["x"],\n"tasks": [{"description": "d", "expected_output": "e"}]}',
    ),
    /^crew\.jsonc:3:1: This is a list\. Expected: an object/,
  ],
  [
    toml('[tool.crewai]\ntype = "crew"\ndefinition = "crew.jsonc"\n'),
    /^pyproject\.toml:3:1: The file "crew\.jsonc" is missing/,
  ],
  [
    toml('[tool.crewai]\ndefinition = "../crew.jsonc"\n'),
    /^pyproject\.toml:2:1: The definition "\.\.\/crew\.jsonc" can't be/,
  ],
  [
    toml('[tool.crewai]\ndefinition = "crew.py"\n'),
    /^pyproject\.toml:2:1: The definition "crew\.py" can't be/,
  ],
  [
    toml('[project]\nname = "a"\n[tool.crewai]\ntype = "flow"\n'),
    /^pyproject\.toml:4:1: This project is a flow without a main\.py\. Expected: src\/<package>\/main\.py/,
  ],
  [
    { "pyproject.toml": '[tool.crewai]\ntype = "flow"\n', "main.py": "class Flow:\n    pass\n" },
    /^main\.py:1:1: It defines no flow\. Expected: a class that derives from Flow/,
  ],
  [
    toml('[tool.crewai]\ntype = "flow"\ndefinition = "src/a/flow.yaml"\n'),
    /^pyproject\.toml:3:1: The file "src\/a\/flow\.yaml" is missing\. Expected: a YAML or JSON file/,
  ],
  [
    {
      ...toml('[tool.crewai]\ntype = "flow"\ndefinition = "flow.yaml"\n'),
      "flow.yaml": "schema: crewai.flow/v9\nmethods: {}\n",
    },
    /^flow\.yaml:1:9: This is not the definition of a flow\. Expected: schema: crewai\.flow\/v1/,
  ],
  [
    { "pyproject.toml": '[tool.crewai]\ntype = "crew"\n' },
    /^pyproject\.toml:2:1: The folder ".+" doesn't contain a crew\. Expected: config\/agents\.yaml/,
  ],
  [
    { "README.md": "" },
    /^The folder "crewdeck-project-\w+" doesn't contain a crew\. Expected: config\/agents\.yaml/,
  ],
];

describe("a broken project names the place, the problem and the expected content", () => {
  afterEach(removeFolders);

  for (const [files, message] of cases)
    it(message.source, async () => {
      const error = await rehearsed(await folderWith(files)).catch((each: unknown) => each);
      assert.ok(error instanceof ProjectError, String(error));
      assert.match(error.message, message);
    });

  for (const [what, files] of [
    [
      "agents below another key",
      agentsYaml(
        `agents:\n${["a", "b", "c", "d", "e"].map((name) => `  ${name}:\n    role: r\n`).join("")}`,
      ),
    ],
    [
      "tasks below another key",
      tasksYaml(`tasks:\n  a:\n    description: d\n  b:\n    description: d\n`),
    ],
    [
      "agents inside a JSON crew",
      jsonc(
        `{"agents": [${'{"name": "a", "role": "r"},'.repeat(5)}], "tasks": [{"description": "d", "expected_output": "e", "agent": "a"}]}`,
      ),
    ],
  ] as const)
    it(`${what}, with one message`, async () => {
      const { problems } = await readProject(await folderWith(files));
      assert.deepEqual(
        problems.map(({ error }) => error.text.replace(/ Expected: .*/, "")),
        [
          what.endsWith("JSON crew")
            ? "The agents are nested here."
            : "This has others below it, and no fields of its own.",
        ],
      );
    });

  it("what crewAI can do without is only a warning", async () => {
    for (const files of [toml('[project]\nname = "a\n'), toml("[tool.crewai]\ntype = 1\n")]) {
      const { project, problems } = await readProject(await folderWith(files));
      assert.deepEqual(
        problems.map(({ kind }) => kind),
        ["warning"],
      );
      assert.deepEqual([project.tasks.length, project.lacks], [1, "tasks"]);
    }
  });

  it("a flow, a project of several crews and a folder without one name the crews below", async () => {
    const crews = {
      "src/news/crews/content/config/tasks.yaml": "",
      "crews/short/crew.jsonc": "{}",
      "crews/short/agents/a.jsonc": agentJson,
    };
    for (const text of [
      '[tool.crewai]\ntype = "flow"\n',
      '[tool.crewai]\ntype = "crew"\n',
      '[project]\nname = "a"\n',
    ]) {
      const folder = await folderWith({ ...crews, "pyproject.toml": text });
      await assert.rejects(
        rehearsed(folder),
        /To serve a crew inside it, choose its folder: crews\/short, src\/news\/crews\/content\.$/,
      );
    }
  });

  it("a folder with another crew.py beside a crew names that crew", async () => {
    const folder = await folderWith({
      "crew.py": "print('hi')  # Crew(",
      "one/crew.jsonc": "{}",
      "one/agents/a.jsonc": agentJson,
    });
    await assert.rejects(rehearsed(folder), /doesn't contain a crew.+choose its folder: one\.$/);
  });

  it("a folder with many crews names the first", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [`crew_${index}/pyproject.toml`, "[tool.crewai]\n"]),
    );
    await assert.rejects(
      rehearsed(await folderWith(files)),
      /choose its folder: crew_0, crew_1, crew_2, crew_3, crew_4, …\.$/,
    );
  });

  it("a folder that doesn't exist", async () => {
    await assert.rejects(
      rehearsed(path.join(await folderWith({}), "nowhere")),
      /The folder .+nowhere doesn't exist/,
    );
  });
});
