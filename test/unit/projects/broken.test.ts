import assert from "node:assert/strict";
import { readProject } from "../../../src/projects/read.ts";
import { ProjectError } from "../../../src/projects/types.ts";
import { classic, folderWith, rehearsed } from "./folder.ts";

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

/** The files, and the message: position and problem. */
const cases: readonly (readonly [Readonly<Record<string, string | Uint8Array>>, RegExp])[] = [
  [tasksYaml(`a:${task}\n  tools: [1\n`), /^config\/tasks\.yaml:5:\d+: This is not YAML: /],
  [
    tasksYaml("a:\n  description: One\n\nsentence\n  expected_output: e\n"),
    /^config\/tasks\.yaml:4:1: Line 4 continues line 2\. It needs more indentation/,
  ],
  [
    tasksYaml("a:\n  description: Note: a colon\n"),
    /^config\/tasks\.yaml:2:16: There is a second colon in this line\. Put the text in quotes/,
  ],
  [
    {
      ...classic,
      "crew.py":
        '@CrewBase\nclass Poem:\n    @task\n    def one(self):\n        return Task(config=self.tasks_config["darft"])\n',
    },
    /^crew\.py:3:5: There is no "darft" in config\/tasks\.yaml\.$/,
  ],
  [tasksYaml(`note: Write\na:${task}\n`), /^config\/tasks\.yaml:1:7: This must be a mapping/],
  [
    { "config/tasks.yaml": classic["config/tasks.yaml"] },
    /^config\/agents\.yaml:1:1: The file is missing or empty\.$/,
  ],
  [tasksYaml("# nothing yet\n"), /^config\/tasks\.yaml:1:1: The file is missing or empty/],
  [
    tasksYaml("a:\n  expected_output: e\n  description:\n"),
    /^config\/tasks\.yaml:3:3: "a" has no description\.$/,
  ],
  [tasksYaml("a:\n  description: 3\n"), /^config\/tasks\.yaml:2:16: This must be text; put/],
  [
    tasksYaml(`a:${task}\nb:${task}\n  context: a\n`),
    /^config\/tasks\.yaml:7:12: This must be a list/,
  ],
  [agentsYaml("writer: *nobody\n"), /^config\/agents\.yaml:1:9: There is no "&nobody" before this/],
  [
    tasksYaml(`# ${"x".repeat(1024 * 1024)}\n`),
    /^config\/tasks\.yaml:1:1: The file can't be read: .+ is larger than 262144 bytes/,
  ],
  ...[new Uint8Array([0x61, 0x3a, 0x20, 0xff, 0xfe]), Buffer.from("a: 1", "utf16le")].map(
    (bytes) =>
      [
        { ...classic, "config/tasks.yaml": bytes },
        /^config\/tasks\.yaml:1:1: The file is not UTF-8 text, as crewAI needs it\. .*“Reopen with Encoding”/,
      ] as const,
  ),
  [
    jsonc('{\n  "agents": ["a"]\n  "tasks": []\n}'),
    /^crew\.jsonc:3:3: This is not JSON: comma expected/,
  ],
  [jsonc(""), /^crew\.jsonc:1:1: .+/],
  [jsonc('{"tasks": []}'), /^crew\.jsonc:1:1: "agents" must be a list that isn't empty/],
  [
    jsonc('{\n"agents": ["a", "b"],\n"tasks": []}'),
    /^crew\.jsonc:2:17: The agent "b" has no file agents\/b\.jsonc\.$/,
  ],
  [
    jsonc('{\n"agents": ["../a"],\n"tasks": []}'),
    /^crew\.jsonc:2:12: The agent "\.\.\/a" has no file/,
  ],
  [
    jsonc('{"agents": ["a"], "tasks": []}', '{\n"goal": "g"}'),
    /^agents\/a\.jsonc:1:1: "a" has no role/,
  ],
  [
    jsonTasks('[\n  {"name": "x", "expected_output": "e"}\n]'),
    /^crew\.jsonc:4:3: "x" has no description/,
  ],
  [
    jsonTasks(
      '[{"name": "x", "description": "d", "expected_output": "e"},\n{"name": "x", "description": "d", "expected_output": "e"}]',
    ),
    /^crew\.jsonc:4:10: The name "x" is used twice/,
  ],
  [
    toml('[tool.crewai]\ndefinition = "../crew.jsonc"\n'),
    /^pyproject\.toml:2:1: The definition "\.\.\/crew\.jsonc" must be/,
  ],
  [
    toml('[project]\nname = "a"\n[tool.crewai]\ntype = "flow"\n'),
    /^pyproject\.toml:4:1: A flow needs src\/<package>\/main\.py/,
  ],
  [
    { "pyproject.toml": '[tool.crewai]\ntype = "flow"\n', "main.py": "class Flow:\n    pass\n" },
    /^main\.py:1:1: The file has no flow: a class that derives from Flow/,
  ],
  [
    {
      ...toml('[tool.crewai]\ntype = "flow"\ndefinition = "flow.yaml"\n'),
      "flow.yaml": "schema: crewai.flow/v9\nmethods: {}\n",
    },
    /^flow\.yaml:1:9: This is no flow of the schema crewai\.flow\/v1/,
  ],
  [
    { "pyproject.toml": '[tool.crewai]\ntype = "crew"\n' },
    /^pyproject\.toml:2:1: The folder ".+" is not the folder of one crew, which has config\/agents\.yaml/,
  ],
  [{ "README.md": "" }, /^The folder "crewdeck-project-\w+" is not the folder of one crew/],
];

describe("a broken project names the place and the problem", () => {
  for (const [files, message] of cases)
    it(message.source, async () => {
      const error = await rehearsed(await folderWith(files)).catch((each: unknown) => each);
      assert.ok(error instanceof ProjectError, String(error));
      assert.match(error.message, message);
    });

  for (const [what, files, text] of [
    [
      "agents below another key",
      agentsYaml(
        `agents:\n${["a", "b", "c", "d", "e"].map((name) => `  ${name}:\n    role: r\n`).join("")}`,
      ),
      /^This has others below it/,
    ],
    [
      "tasks below another key",
      tasksYaml(`tasks:\n  a:\n    description: d\n  b:\n    description: d\n`),
      /^This has others below it/,
    ],
    [
      "agents inside a JSON crew",
      jsonc(
        `{"agents": [${'{"name": "a", "role": "r"},'.repeat(5)}], "tasks": [{"description": "d", "expected_output": "e", "agent": "a"}]}`,
      ),
      /^An agent must be a name here/,
    ],
  ] as const)
    it(`${what}, with one message`, async () => {
      const { problems } = await readProject(await folderWith(files));
      assert.equal(problems.length, 1);
      assert.match(problems[0]!.text, text);
    });

  it("what crewAI can do without is no problem", async () => {
    for (const files of [toml('[project]\nname = "a\n'), toml("[tool.crewai]\ntype = 1\n")]) {
      const { project, problems } = await readProject(await folderWith(files));
      assert.deepEqual([problems, project.tasks.length], [[], 1]);
    }
  });

  it("a flow, a project of several crews and a folder without one name the first crews below", async () => {
    const crews = Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [`crew_${index}/pyproject.toml`, "[tool.crewai]\n"]),
    );
    for (const text of [
      '[tool.crewai]\ntype = "flow"\n',
      '[tool.crewai]\ntype = "crew"\n',
      '[project]\nname = "a"\n',
    ]) {
      const folder = await folderWith({ ...crews, "pyproject.toml": text });
      await assert.rejects(
        rehearsed(folder),
        /To serve a crew inside it, choose its folder: crew_0, crew_1, crew_2, crew_3, crew_4\.$/,
      );
    }
  });
});
