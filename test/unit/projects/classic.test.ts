import assert from "node:assert/strict";
import path from "node:path";
import { classic, folderWith, rehearsed } from "./folder.ts";

const example = new URL("../../../media/example-crew", import.meta.url).pathname;

describe("a classic project", () => {
  it("is read as `crewai create crew --classic` creates it", async () => {
    const project = await rehearsed(example);
    assert.equal(project.kind, "classic");
    assert.equal(project.name, "example_crew");
    assert.deepEqual(project.inputs, ["topic", "audience"]);
    const tasks = project.tasks.map(({ id, agent, humanInput }) => ({ id, agent, humanInput }));
    assert.deepEqual(tasks, [
      { id: "research", agent: "researcher", humanInput: false },
      { id: "outline", agent: "editor", humanInput: true },
      { id: "briefing", agent: "writer", humanInput: false },
    ]);
    assert.deepEqual(project.tasks[1]?.context, ["research"]);
    assert.equal(project.agents[0]?.role, "Researcher on {topic}");
  });

  it("may have its files at the top and no pyproject.toml or no name in it, and then takes the folder's name", async () => {
    const nameless = await folderWith({ ...classic, "pyproject.toml": '[project]\nname = ""\n' });
    assert.equal((await rehearsed(nameless)).name, path.basename(nameless));
    const folder = await folderWith(classic);
    const project = await rehearsed(folder);
    assert.equal(project.name, path.basename(folder));
    assert.deepEqual(project.tasks, [
      {
        id: "draft",
        description: "Write on {topic}",
        expectedOutput: "A text",
        agent: "writer",
        humanInput: false,
      },
    ]);
  });

  it("keeps the order of tasks.yaml, numbers as names included", async () => {
    const task = "  description: d\n  expected_output: e\n";
    const folder = await folderWith({
      ...classic,
      "config/tasks.yaml": `b:\n${task}10:\n${task}2:\n${task}a:\n${task}`,
    });
    const ids = (await rehearsed(folder)).tasks.map(({ id }) => id);
    assert.deepEqual(ids, ["b", "10", "2", "a"]);
  });

  it("reads YAML as crewAI does: yes is true, << merges, anchors repeat", async () => {
    const tasks =
      "draft: &base\n  description: d\n  expected_output: e\n  human_input: yes\nagain:\n  <<: *base\n  description: other\n";
    const project = await rehearsed(await folderWith({ ...classic, "config/tasks.yaml": tasks }));
    const described = project.tasks.map(({ description, humanInput }) => [description, humanInput]);
    assert.deepEqual(described, [
      ["d", true],
      ["other", true],
    ]);
  });

  it("distinguishes an empty context (no earlier output) from an absent one (all of them)", async () => {
    const tasks =
      "a:\n  description: d\n  expected_output: e\n  context: []\nb:\n  description: d\n  expected_output: e\n";
    const project = await rehearsed(await folderWith({ ...classic, "config/tasks.yaml": tasks }));
    const contexts = project.tasks.map(({ context }) => context);
    assert.deepEqual(contexts, [[], undefined]);
  });

  it("uses the package with the project's name if there are several", async () => {
    const files = {
      "src/my_crew/config/agents.yaml": classic["config/agents.yaml"],
      "src/my_crew/config/tasks.yaml": classic["config/tasks.yaml"],
      "src/other/config/tasks.yaml": "",
    };
    const folder = await folderWith({
      ...files,
      "pyproject.toml": '[project]\nname = "my-crew"\n[tool.crewai]\ntype = "crew"\n',
    });
    assert.equal((await rehearsed(folder)).tasks.length, 1);
    await assert.rejects(
      rehearsed(await folderWith(files)),
      /not the folder of one crew.*choose its folder: src\/my_crew, src\/other\./,
    );
  });

  it("may have another name than crew.py, as in a flow", async () => {
    const method = "@CrewBase\nclass Content:\n    @crew\n    def crew(self):\n        pass\n";
    const folder = await folderWith({ ...classic, "main.py": "", "content.py": method });
    assert.equal((await rehearsed(folder)).entry, "content.py");
    assert.equal((await rehearsed(await folderWith(classic))).entry, "crew.py");
  });

  it("keeps what decides outputs besides the texts: tools and output models", async () => {
    const folder = await folderWith({
      "config/agents.yaml": `${classic["config/agents.yaml"]}  tools: [search]\n`,
      "config/tasks.yaml": `${classic["config/tasks.yaml"]}  output_json: Report\n`,
    });
    const { agents, tasks } = await rehearsed(folder);
    const extras = [agents[0]?.extras, tasks[0]?.extras];
    assert.deepEqual(extras, ['[["tools",["search"]]]', '[["output_json","Report"]]']);
  });

  it("has the agents and tasks of its YAML that crew.py uses, under any name", async () => {
    const task = (name: string) => `${name}:\n  description: "{${name}}"\n  expected_output: e\n`;
    const files = {
      "config/agents.yaml": ["writer", "retired"]
        .map((name) => `${name}:\n  role: "{${name}}"\n  goal: g\n  backstory: b\n`)
        .join(""),
      "config/tasks.yaml": ["draft", "old_draft", "review"].map(task).join(""),
    };
    const crewPy = `from crewai.project import CrewBase, agent, crew, task

@CrewBase
class Poems:
    @agent
    def writer(self):
        return Agent(config=self.agents_config["writer"])

    # @task
    # def old_draft(self):
    #     return Task(config=self.tasks_config["old_draft"])

    @task
    def draft(self):
        return Task(config=self.tasks_config.get("draft"))

    @task
    def second_look(self):
        return Task(config=self.tasks_config["review"])

    @crew
    def crew(self):
        return Crew()
`;
    const project = await rehearsed(await folderWith({ ...files, "crew.py": crewPy }));
    assert.deepEqual(project.inputs, ["writer", "draft", "review"]);
    const names = [...project.agents.map(({ name }) => name), ...project.tasks.map(({ id }) => id)];
    assert.deepEqual(names, ["writer", "draft", "second_look"]);
    // As far as can be read without a Python parser.
    const generated = crewPy.replaceAll(/def \w+\(/g, "def made(").replaceAll(/_config.*/g, "()");
    const whole = await rehearsed(await folderWith({ ...files, "crew.py": generated }));
    assert.equal(whole.inputs.length, 5);
  });

  it("needs no fields of an agent from a repository", async () => {
    const project = await rehearsed(
      await folderWith({
        ...classic,
        "config/agents.yaml": "writer:\n  from_repository: house-writer\n",
      }),
    );
    assert.deepEqual(project.agents, [
      { name: "writer", role: "house-writer", goal: "", backstory: "" },
    ]);
  });
});
