import assert from "node:assert/strict";
import { folderWith, rehearsed } from "./folder.ts";

const fixture = new URL("../../fixtures/projects/declarative", import.meta.url).pathname;
const agent = '{"role": "r", "goal": "g", "backstory": "b"}';
const crew = (tasks: string) => `{"agents": ["a"], "tasks": ${tasks}}`;

describe("a declarative project", () => {
  it("is read as `crewai create crew` creates it", async () => {
    const project = await rehearsed(fixture);
    assert.equal(project.kind, "declarative");
    assert.equal(project.name, "Trip planner");
    const agents = project.agents.map(({ name, role }) => [name, role]);
    assert.deepEqual(agents, [
      ["scout", "Scout for {city}"],
      ["planner", "Planner"],
    ]);
    assert.deepEqual(
      project.tasks.map(({ id, agent: by, context, humanInput }) => ({
        id,
        by,
        context,
        humanInput,
      })),
      [
        { id: "ideas", by: "scout", context: undefined, humanInput: true },
        { id: "task_2", by: undefined, context: undefined, humanInput: false },
        { id: "plan", by: "planner", context: ["ideas"], humanInput: false },
      ],
    );
    assert.deepEqual(project.inputs, [
      "city",
      "travellers",
      '"idea": "…"',
      "month of travel",
      "days",
    ]);
    assert.deepEqual(project.defaults, { days: 3, travellers: "two adults" });
  });

  it("is found by its file unless pyproject.toml names it, and takes the folder's name if it has none", async () => {
    const folder = await folderWith({
      "crew.json": crew('[{"description": "d", "expected_output": "e"}]'),
      "agents/a.json": agent,
    });
    const project = await rehearsed(folder);
    assert.ok(folder.endsWith(project.name));
    assert.equal(project.defaults, undefined);
  });

  it("may be in its own folder, with the agents beside it", async () => {
    const folder = await folderWith({
      "pyproject.toml":
        '[project]\nname = "inner"\n[tool.crewai]\ntype = "crew"\ndefinition = "crews/main.jsonc"\n',
      "crews/main.jsonc": crew('[{"description": "d", "expected_output": "e", "agent": "a"}]'),
      "crews/agents/a.jsonc": agent,
    });
    assert.equal((await rehearsed(folder)).name, "inner");
  });

  it("includes its manager, whose texts ask for inputs only if it is in the list of agents", async () => {
    const project = async (agents: string) => {
      const { agents: read, inputs } = await rehearsed(
        await folderWith({
          "crew.jsonc": `{"agents": ${agents}, "manager_agent": "boss", "tasks": [{"description": "d", "expected_output": "e", "agent": "boss"}]}`,
          "agents/a.jsonc": agent,
          "agents/boss.jsonc": agent.replace(/"role": "[^"]*"/, '"role": "Boss of {team}"'),
        }),
      );
      return [read.map(({ name }) => name), inputs];
    };
    assert.deepEqual(await project('["a"]'), [["a", "boss"], []]);
    assert.deepEqual(await project('["a", "boss"]'), [["a", "boss"], ["team"]]);
  });
});
