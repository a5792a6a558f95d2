import assert from "node:assert/strict";
import { flowsIn } from "../../../src/projects/python-source.ts";
import { folderWith, rehearsed } from "./folder.ts";

const toml = '[project]\nname = "my-news"\n\n[tool.crewai]\ntype = "flow"\n';
const main = `from pydantic import BaseModel

class State(BaseModel):
    """topic: not a field"""
    model_config = {}
    topic: str = ""  # count: not a field
    count: int = 3
    kinds: ClassVar[list] = []
    id: str = "own"
    def method(self):
        other: int = 1

class News(Flow[State]):
    @start()
    def gather(self):
        return "@listen"
    @router(gather)
    def choose(self): ...
    @human_feedback(
        message="Right?",
        emit=["yes", "no"],
    )
    @listen("checked")
    async def check(self): ...
    def helper(self): ...
`;

describe("a flow project", () => {
  it("is read without Python: methods as tasks, in order, those that ask a person, and the state's fields without id as inputs", async () => {
    const folder = await folderWith({ "pyproject.toml": toml, "src/my_news/main.py": main });
    assert.deepEqual(await rehearsed(folder), {
      kind: "flow",
      entry: "src/my_news/main.py",
      name: "my-news",
      agents: [],
      tasks: [
        { id: "gather", description: "", expectedOutput: "", humanInput: false },
        { id: "choose", description: "", expectedOutput: "", humanInput: false },
        { id: "check", description: "", expectedOutput: "", humanInput: true },
      ],
      inputs: ["topic", "count"],
    });
  });

  it("has the JSON Schema of a declared state, with what that begins with as defaults", async () => {
    const declared = (state: string) =>
      folderWith({
        "pyproject.toml": `${toml}definition = "flow.yaml"\n`,
        "flow.yaml": `schema: crewai.flow/v1\nstate: ${state}\nmethods: { begin: { start: true } }\n`,
      });
    const topic = { type: "string", description: "What about" };
    const count = { type: "integer", minimum: 1 };
    const schema = {
      type: "object",
      properties: { topic, count },
      required: ["topic", "count"],
    };
    const both = JSON.stringify({
      type: "json_schema",
      json_schema: schema,
      default: { count: 3 },
    });
    assert.deepEqual((await rehearsed(await declared(both))).inputSchema, {
      type: "object",
      properties: { topic, count: { ...count, default: 3 } },
      required: ["topic"],
    });
    const values = '{ type: dict, default: { topic: "AI", words: [] } }';
    assert.deepEqual((await rehearsed(await declared(values))).inputSchema, {
      properties: { topic: { default: "AI" }, words: { default: [] } },
      required: [],
    });
  });

  it("may have a state model with bases of generic classes and of other modules", async () => {
    const code = main.replace(
      "class State(BaseModel):",
      "class Page(BaseModel):\n    page: int = 1\n\nclass State(models.Page, Paged[str, Item]):",
    );
    const folder = await folderWith({ "pyproject.toml": toml, "src/my_news/main.py": code });
    assert.deepEqual((await rehearsed(folder)).inputs, ["page", "topic", "count"]);
  });

  it("may have its state in another module, with inherited fields, or none", async () => {
    const folder = await folderWith({
      "pyproject.toml": toml,
      "src/my_news/main.py":
        "class News(crewai.Flow[models.State]):\n  @start()\n  def go(self): ...\n",
      "src/my_news/parts/models.py":
        "class Base(BaseModel):\n  topic: str\n\nclass State(Base):\n  words: int\n  topic: str\n",
    });
    assert.deepEqual((await rehearsed(folder)).inputs, ["topic", "words"]);
    const plain = await folderWith({
      "pyproject.toml": toml,
      "main.py": "class News(Flow):\n  @start()\n  def go(self): ...\n",
    });
    assert.deepEqual((await rehearsed(plain)).inputs, []);
    const { entry } = await rehearsed(plain);
    assert.equal(entry, "main.py");
  });

  it("is a class whose bases have Flow, whatever else they have", () => {
    const found = (text: string) =>
      flowsIn(`${text}\n    @start()\n    def go(self): ...\n`).flows.map(({ name, state }) =>
        [name, state].join(" "),
      );
    assert.deepEqual(found("class A(Flow[dict[str, Any]]):"), ["A "]);
    assert.deepEqual(found("class A(\n    Mixin,\n    flow.Flow[State],\n):"), ["A State"]);
    assert.deepEqual(found("class A(Flow):\n    initial_state = State"), ["A State"]);
    assert.deepEqual(found("class A(Workflow):"), []);
    assert.deepEqual(found("class A(FlowBase[State]):"), []);
  });

  it("with several flows is the one that its kickoff function starts", async () => {
    const flow = (name: string) => `class ${name}(Flow):\n    @start()\n    def go(self): ...\n`;
    const both = flow("One") + flow("Two");
    const started = `${both}def kickoff():\n    # One\n    Two().kickoff()\n`;
    assert.equal(flowsIn(started).main?.name, "Two");
    const folder = await folderWith({ "pyproject.toml": toml, "main.py": both });
    await assert.rejects(
      rehearsed(folder),
      /^ProjectError: main\.py:1:1: The file has several flows, and no function "kickoff"/,
    );
  });
});
