import assert from "node:assert/strict";
import path from "node:path";
import { inspectProject } from "../../../src/projects/inspect.ts";
import type { Position } from "../../../src/projects/types.ts";
import { projectFolder } from "../../support/folders.ts";
import { classic, folderWith } from "./folder.ts";

type Files = Parameters<typeof folderWith>[0];

const textAt = ({ file, line, column, end }: Position) =>
  `${file}:${line}:${column}${end ? `-${end.line}:${end.column}` : ""}`;

const inspect = async (files: Files) => await inspectProject(await folderWith(files));

/** Place and problem of each. */
const problemsIn = async (files: Files) =>
  (await inspect(files)).problems.map(
    ({ position: at, text }) => `${at ? textAt(at) : "-"} ${text}`,
  );

const tasks = (text: string) => ({ ...classic, "config/tasks.yaml": text });
const fields = "\n  description: d\n  expected_output: e";
const agentJson = '{ "role": "r", "goal": "g", "backstory": "b" }';
const declared = (text: string) => ({ "crew.jsonc": text, "agents/a.jsonc": agentJson });

describe("the problems of a project", () => {
  for (const project of ["crewai/weather", "crewai/declared"])
    it(`are none in ${project}`, async () => {
      const folder = path.join(projectFolder, "test", "fixtures", project);
      assert.deepEqual((await inspectProject(folder)).problems, []);
    });

  it("are all of them, each at its place", async () => {
    assert.deepEqual(
      await problemsIn({
        "config/agents.yaml": "writer:\n  role: r\n  goal:\n  backstory: 3\n",
        "config/tasks.yaml": `a:${fields}\n  agent: wirter\n  context: [b, a, x]\nb:${fields}\n  human_input: "maybe"\nc:\n`,
      }),
      [
        'config/agents.yaml:3:3-3:7 "writer" has no goal.',
        "config/agents.yaml:4:14-4:15 This must be text; put a number or a date in quotes.",
        'config/tasks.yaml:4:10-4:16 There is no agent "wirter", only writer.',
        'config/tasks.yaml:5:13-5:14 There is no earlier task "b".',
        'config/tasks.yaml:5:16-5:17 There is no earlier task "a".',
        'config/tasks.yaml:5:19-5:20 There is no earlier task "x".',
        "config/tasks.yaml:9:16-9:23 This must be true or false.",
        "config/tasks.yaml:10:1-10:2 This must be a mapping of names to values.",
      ],
    );
  });

  it("are only those of the syntax in a file that can't be parsed, and no task lacks an agent for that", async () => {
    const broken = await problemsIn({ ...classic, "config/agents.yaml": "writer:\n  role: [r\n" });
    assert.ok(broken.length > 0);
    for (const problem of broken) assert.match(problem, /^config\/agents\.yaml:/);
    const [tab] = await problemsIn(tasks("draft:\n\tdescription: d\n"));
    assert.match(tab ?? "", /^config\/tasks\.yaml:2:1/);
    assert.deepEqual(await problemsIn(declared('{\n"agents": ["a"]\n"tasks": []}')), [
      "crew.jsonc:3:1 This is not JSON: comma expected.",
    ]);
    const problems = await problemsIn(tasks("a: &a\n  self: *a\n  again: *a\n  more: [*a, *a]\n"));
    assert.deepEqual(problems, ['config/tasks.yaml:1:1-1:2 "a" has no description.']);
  });

  it("don't include an agent that only crew.py defines, as crewAI looks there", async () => {
    const files = tasks(`draft:${fields}\n  agent: coder\n`);
    const python =
      "@CrewBase\nclass Poem:\n    @agent\n    def coder(self): ...\n    @agent\n    def writer(self): ...\n    @crew\n    def crew(self): ...\n";
    assert.equal((await problemsIn(files)).length, 1);
    const { problems } = await inspect({
      ...tasks(`draft:${fields}\n  agent: nobody\n`),
      "crew.py": python,
    });
    assert.match(problems[0]?.text ?? "", /There is no agent "nobody", only coder, writer\.$/);
    assert.deepEqual(await problemsIn({ ...files, "crew.py": python }), []);
  });

  it("include JSON that is nested too deeply, also where it has no end", async () => {
    for (const [before, after] of [
      ["", ""],
      ["", "]".repeat(6_000)],
      ['// "\n', ""],
      [`["${"]".repeat(6_000)}",`, ""],
      ['"\n', ""],
    ])
      assert.deepEqual(await problemsIn(declared(`${before}${"[".repeat(6_000)}${after}`)), [
        "crew.jsonc:1:1 There is too much here to read.",
      ]);
  });

  it("include what stops the reading of the whole project", async () => {
    const problem = await problemsIn({ "crew.txt": "" }).then(([first]) => first?.slice(0, 14));
    assert.deepEqual(problem, '- The folder "');
  });

  it("are at the text of odd YAML: carriage returns, anchors, quoted and multi-line keys", async () => {
    assert.deepEqual(
      await problemsIn(
        tasks(
          `base: &base${fields}\n  agent: writer\n"b c":\n  <<: *base\n  agent: "no one"\n? >-\n  multi\n  line\n:${fields}\n  agent: x\n`.replaceAll(
            "\n",
            "\r\n",
          ),
        ),
      ),
      [
        'config/tasks.yaml:7:10-7:18 There is no agent "no one", only writer.',
        'config/tasks.yaml:14:10-14:11 There is no agent "x", only writer.',
      ],
    );
  });
});

describe("the places of a project", () => {
  it("are linked: a task's agent and context to where they are defined", async () => {
    const second = `'final':${fields}\n  context: [draft, other]\n`;
    const { references } = await inspect(tasks(`draft:${fields}\n  agent: writer\n${second}`));
    const places = references.map((link) => link.map(textAt).join(" > "));
    assert.deepEqual(places, [
      "config/tasks.yaml:4:10-4:16 > config/agents.yaml:1:1-1:7",
      "config/tasks.yaml:8:13-8:18 > config/tasks.yaml:1:1-1:6",
    ]);
  });

  const spotsIn = async (files: Parameters<typeof inspect>[0]) =>
    (await inspect(files)).spots.map(({ at, isCrew, tasks }) =>
      [textAt(at), isCrew ? "crew" : "-", ...tasks].join(" "),
    );

  it("are the crew, its agents with their tasks, and its tasks, of a classic one also in crew.py", async () => {
    const spots = await spotsIn({
      ...classic,
      "crew.py":
        '@CrewBase\nclass Poem:\n    @task\n    def write(self):\n        return Task(config=self.tasks_config["draft"])\n\n    @crew\n    def crew(self):\n        return Crew()\n',
    });
    assert.deepEqual(spots, [
      "crew.py:3:5 - write",
      "crew.py:7:5 crew",
      "config/tasks.yaml:1:1 crew",
      "config/agents.yaml:1:1 crew",
      "config/agents.yaml:1:1-1:7 - write",
      "config/tasks.yaml:1:1-1:6 - write",
    ]);
  });

  it("are the objects of a declarative one, named or not, below comments too", async () => {
    const spots = await spotsIn(
      declared(
        '// A crew\n{\n"agents": ["a"],\n"tasks": [\n  { "name": "one", "description": "d", "expected_output": "e", "agent": "a" },\n  { "description": "d", "expected_output": "e" }\n] }',
      ),
    );
    assert.deepEqual(spots, [
      "crew.jsonc:2:1 crew",
      "agents/a.jsonc:1:1 crew one",
      "crew.jsonc:5:3 - one",
      "crew.jsonc:6:3 - task_2",
    ]);
  });

  it("stay while a file can't be parsed", async () => {
    const { spots } = await inspect(tasks(`draft:${fields}\n  agent: writer\n  tools: [\n`));
    assert.ok(spots.some(({ at, tasks }) => at.line === 1 && tasks.includes("draft")));
  });

  it("are found in one reading of the files that several crews share", async () => {
    const crew = (name: string) => `@CrewBase\nclass ${name}:\n  @crew\n  def crew(self): ...\n`;
    const folder = await folderWith({ ...classic, "crew.py": crew("One") + crew("Two") });
    const read: string[] = [];
    await inspectProject(folder, (file) => void read.push(file));
    assert.deepEqual(read.filter((file) => file.endsWith(".yaml")).sort(), Object.keys(classic));
  });

  it("are those of the text that is being edited", async () => {
    const folder = await folderWith(classic);
    const { spots, problems } = await inspectProject(folder, (file) =>
      file === "config/tasks.yaml" ? `\nedited:${fields}\n  agent: nobody\n` : undefined,
    );
    assert.ok(spots.some(({ at, tasks }) => at.line === 2 && tasks.includes("edited")));
    assert.equal(problems.length, 1);
  });
});
