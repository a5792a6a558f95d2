import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import {
  type ClassicCrew,
  crewaiEnv,
  crewaiVersions,
  crewFile,
  needsCrewai,
  newestCrewai,
  openEngine,
  writeProject,
} from "../support/crewai.ts";
import { startModel } from "../support/crewai-service.ts";
import { atEndOfTest } from "../support/ends.ts";
import type { ModelAnswer, ModelRequest } from "../support/model-server.ts";
import { waitFor } from "../support/wait.ts";
import { warmPython } from "../support/warm-python.ts";

const hierarchical = { crew: 'process=Process.hierarchical, manager_llm="gpt-4o"' };
const lookup = `from crewai.tools import tool

@tool("lookup")
def lookup(word: str) -> str:
    """Looks a word up."""
    return word
`;
const taskYaml = (name: string, context = "") =>
  `${name}:\n  description: Do the ${name} thing about {topic}.\n  expected_output: Text.\n  agent: worker\n${context}`;

const taskOf = (prompt: string) => /Do the (\w+) thing/.exec(prompt)?.[1] ?? "";
type Answer = (request: ModelRequest) => ModelAnswer;
/** Answers with the name of the task. */
const byTask = ({ prompt }: ModelRequest): ModelAnswer => `The ${taskOf(prompt)} answer.`;

describe("crewAI projects", () => {
  needsCrewai();

  async function runProject(
    files: Readonly<Record<string, string>>,
    answer: Answer = byTask,
    version = newestCrewai,
  ) {
    const model = await startModel(answer);
    const folder = writeProject(files);
    const env = crewaiEnv(model);
    const { engine, lines, run } = openEngine({ folder, python: await warmPython(version), env });
    atEndOfTest(() => engine.close?.());
    const { requests } = model;
    const storage = env["XDG_DATA_HOME"] ?? "";
    return { ...(await run({ topic: "tea" })), folder, lines, requests, storage };
  }

  /** A classic project, whose crew.py is made from this. */
  const runCrew = (
    crew: ClassicCrew,
    answer: Answer = byTask,
    { version = newestCrewai, ...files }: Readonly<Record<string, string>> = {},
  ) => runProject({ "crew.py": crewFile(crew), ...files }, answer, version);
  const read = (folder: string, file: string) => readFileSync(path.join(folder, file), "utf8");

  for (const version of crewaiVersions)
    describe(`with crewAI ${version}`, () => {
      it("plans each task by itself, which needs one answer of the model more, and says so", async () => {
        const plan = { list_of_plans_per_task: [{ task_number: 1, task: "it", plan: "STEP ONE" }] };
        const { requests, lines } = await runCrew(
          { crew: "planning=True" },
          (request) =>
            request.prompt.includes("most descriptive plan")
              ? JSON.stringify(plan)
              : byTask(request),
          { version },
        );
        assert.deepEqual(
          requests.map(({ prompt }) => prompt.includes("STEP ONE")),
          [false, true, false, true],
        );
        assert.ok(lines.includes("[crew] Planning is done for each task by itself."));
      });

      it("lets a manager delegate in a hierarchical crew, made from manager_llm", async () => {
        const { requests, outputs } = await runCrew(hierarchical, byTask, { version });
        assert.deepEqual(outputs, ["The first answer.", "The second answer."]);
        assert.deepEqual(
          requests.map(({ model }) => model),
          ["gpt-4o", "gpt-4o"],
        );
        for (const { prompt, tools } of requests)
          assert.match([prompt, ...tools].join("\n"), /delegate[_ ]work[_ ]to[_ ]coworker/i);
      });

      it("keeps memory and knowledge in crewAI's storage folder, and gives them to the model", async () => {
        const { requests, storage } = await runCrew(
          {
            head: "from crewai.knowledge.source.string_knowledge_source import StringKnowledgeSource",
            crew: 'memory=True, knowledge_sources=[StringKnowledgeSource(content="Oslo is mild.")]',
          },
          byTask,
          { version },
        );
        assert.ok(requests.some(({ prompt }) => prompt.includes("Oslo is mild.")));
        // What the first task's answer left in the memory.
        const second = requests.filter(({ prompt }) => taskOf(prompt) === "second");
        assert.ok(
          second.some(({ prompt }) => /Useful context|score=|Relevant memories/i.test(prompt)),
        );
        assert.ok(readdirSync(path.join(storage, "project")).length > 0);
      });

      it("runs tasks in the order of crew.py, asynchronous ones one after the other, and pauses where only Python says so", async () => {
        const tasks = { second: "async_execution=True", first: "human_input=True" };
        const { project, outputs, lines, requests } = await runCrew({ tasks }, byTask, { version });
        assert.deepEqual(
          project.tasks.map(({ id, humanInput }) => `${id} ${humanInput}`),
          ["second false", "first true"],
        );
        assert.deepEqual(outputs, ["The second answer.", "The first answer."]);
        assert.equal(requests.length, 2);
        assert.ok(requests[1]?.prompt.includes("The second answer."));
        assert.ok(lines.includes("[crew] Asynchronous tasks run one after the other: second."));
      });

      it("runs a conditional task as crew.py made it, and ends with a hook if the last one is skipped", async () => {
        const head = `from pydantic import BaseModel
from crewai.tasks.conditional_task import ConditionalTask
${lookup}
class Reading(BaseModel):
    degrees: int

def note(name, result=None):
    open("calls", "a").write(name + " ")
    return result

def sign(result):
    result.raw += f" (signed after {len(result.tasks_output)})"
    return note("hook", result)

def conditional(**members):
    made = ConditionalTask(**members)
    made.tools.append(lookup)
    return made
`;
        const reading = '{"degrees":10}';
        const made = `condition=lambda output: output.json_dict["degrees"] == 10, output_pydantic=Reading, output_file="{topic}.json",
            guardrail=lambda output: note("guardrail", (True, output.raw)), callback=lambda output: note("callback")`;
        const warm = "condition=lambda output: output.pydantic.degrees > 20";
        const tasks = { first: "output_json=Reading", second: made, third: warm };
        const classic = crewFile({ head, tasks, crew: "after_kickoff_callbacks=[sign]" });
        const conditional = /Task(?=\(config=self.tasks_config\["(second|third)"\])/g;
        const { outputs, requests, folder } = await runProject(
          {
            "config/tasks.yaml": Object.keys(tasks)
              .map((name) => taskYaml(name))
              .join(""),
            "crew.py": classic.replaceAll(conditional, "conditional"),
          },
          () => reading,
          version,
        );
        assert.deepEqual(outputs, [reading, reading, `${reading} (signed after 3)`]);
        const asked = requests.find(({ prompt }) => taskOf(prompt) === "second");
        assert.ok(asked && [asked.prompt, ...asked.tools].join("\n").includes("lookup"));
        assert.equal(read(folder, "calls"), "guardrail callback hook ");
        assert.deepEqual(JSON.parse(read(folder, "tea.json")), { degrees: 10 });
      });
    });

  it("gives a task the context that it names, and no other", async () => {
    const contexts = {
      first: "",
      second: "",
      third: "  context: [first]\n",
      fourth: "  context: []\n",
    };
    const yaml = Object.entries(contexts).map(([name, context]) => taskYaml(name, context));
    const { requests, project } = await runCrew(
      { tasks: { first: "", second: "", third: "", fourth: "" } },
      byTask,
      { "config/tasks.yaml": yaml.join("") },
    );
    const answersIn = (prompt = "") => prompt.match(/The \w+ answer\./g);
    assert.deepEqual(
      requests.map(({ prompt }) => answersIn(prompt)),
      [null, ["The first answer."], ["The first answer."], null],
    );
    assert.deepEqual(
      project.tasks.map(({ context }) => context),
      [undefined, undefined, ["first"], []],
    );
  });

  it("asks the model again with what a guardrail says, up to its limit", async () => {
    const head = `
def is_short(output):
    return (True, output.raw.upper()) if len(output.raw) < 30 else (False, "Too long by far.")
`;
    const tasks = { first: "guardrail=is_short, guardrail_max_retries=1", second: "" };
    const long = "A text that goes on and on and on and on.";
    const { requests, outputs } = await runCrew({ head, tasks }, (request) =>
      taskOf(request.prompt) === "second"
        ? byTask(request)
        : request.prompt.includes("Too long by far.")
          ? "A short one."
          : long,
    );
    assert.deepEqual(outputs, ["A SHORT ONE.", "The second answer."]);
    assert.equal(requests.length, 3);
    assert.ok(requests[2]?.prompt.includes("A SHORT ONE."));

    let count = 0;
    const never = () => ((count += 1), long);
    await assert.rejects(runCrew({ head, tasks }, never), /guardrail.*Too long by far\./is);
    assert.equal(count, 2);
  });

  it("calls hooks before and after the kickoff once, and gives the trigger to the first task only", async () => {
    const head = `
def begin(inputs):
    open("hooks", "a").write("begin ")
    return {**inputs, "topic": inputs["topic"] + "!", "crewai_trigger_payload": "a mail"}

def end(result):
    open("hooks", "a").write("end ")
    return result
`;
    const crew = "before_kickoff_callbacks=[begin], after_kickoff_callbacks=[end]";
    const { requests, folder } = await runCrew({ head, crew });
    for (const { prompt } of requests) assert.match(prompt, /about tea!\./);
    assert.deepEqual(
      requests.map(({ prompt }) => prompt.includes("Trigger Payload: a mail")),
      [true, false],
    );
    assert.equal(read(folder, "hooks"), "begin end ");
  });

  it("lets the coworker of a manager_agent work", async () => {
    const agent = 'Agent(role="Manager", goal="g", backstory="b", llm="gpt-4o")';
    const managed = { crew: `process=Process.hierarchical, manager_agent=${agent}` };
    const { requests, outputs } = await runCrew(managed, ({ tools, hasToolResult }) => {
      const tool = tools.find((name) => name.startsWith("delegate_work"));
      if (tool === undefined) return "The coworker's words.";
      if (hasToolResult) return "The manager's answer.";
      return { tool, arguments: { task: "Dig deep.", context: "Tea.", coworker: "worker role" } };
    });
    assert.deepEqual(outputs, ["The manager's answer.", "The manager's answer."]);
    const delegated = requests.filter(({ model }) => model === "gpt-4o-mini");
    assert.equal(delegated.length, 2);
    for (const { prompt } of delegated) assert.match(prompt, /You are worker role[^]*Dig deep\./);
    const read = requests.filter(({ prompt }) => prompt.includes("The coworker's words."));
    assert.equal(read.length, 2);
  });

  it("that are declarative have hooks, conditions, guardrails, output models, output files, memory and knowledge", async () => {
    const task = (name: string, more: object = {}) => ({
      ...{ name, description: `Do the ${name} thing about {topic}.`, expected_output: "Text." },
      ...{ agent: "worker", ...more },
    });
    const python = (name: string) => ({ python: `parts.${name}` });
    const worker = { role: "Worker", goal: "g", backstory: "b", llm: "openai/gpt-4o-mini" };
    const { outputs, requests, folder } = await runProject(
      {
        "pyproject.toml":
          '[project]\nname = "declared"\n\n[tool.crewai]\ntype = "crew"\ndefinition = "crew.jsonc"\n',
        "agents/worker.jsonc": JSON.stringify(worker),
        "crew.jsonc": JSON.stringify({
          ...{ name: "Declared", agents: ["worker"] },
          tasks: [
            task("first", { output_pydantic: python("Reading"), output_file: "reading.json" }),
            task("second", { type: "ConditionalTask", condition: python("is_frost") }),
            task("third", { guardrail: python("is_short") }),
          ],
          memory: true,
          knowledge_sources: [python("knowledge")],
          before_kickoff_callbacks: [python("begin")],
          after_kickoff_callbacks: [python("end")],
        }),
        "parts.py": `from crewai.knowledge.source.string_knowledge_source import StringKnowledgeSource
from pydantic import BaseModel

class Reading(BaseModel):
  degrees: int

def is_frost(output):
  return output.pydantic.degrees < 0

def is_short(output):
  return (True, output.raw) if len(output.raw) < 30 else (False, "Too long by far.")

def begin(inputs):
  return {**inputs, "topic": inputs["topic"].upper()}

def end(result):
  result.raw += " (signed)"
  return result

knowledge = StringKnowledgeSource(content="Oslo is mild.")
`,
      },
      ({ prompt }) =>
        taskOf(prompt) === "first"
          ? '{"degrees": 10}'
          : prompt.includes("Too long by far.")
            ? "Mild."
            : "A text that goes on and on and on and on.",
    );
    assert.deepEqual(outputs, ['{"degrees": 10}', "", "Mild. (signed)"]);
    const prompts = requests.map(({ prompt }) => prompt);
    assert.ok(prompts.some((prompt) => prompt.includes("Do the third thing about TEA.")));
    assert.ok(prompts.some((prompt) => prompt.includes("Oslo is mild.")));
    assert.deepEqual(JSON.parse(read(folder, "reading.json")), { degrees: 10 });
  });

  it("calls the callbacks of tasks, agents and crews", async () => {
    const note = (name: string) => `lambda *_: open("calls", "a").write("${name} ")`;
    const { folder, steps } = await runCrew(
      {
        head: lookup,
        tasks: { first: `callback=${note("task")}` },
        agent: `tools=[lookup], step_callback=${note("agent-step")}`,
        crew: `task_callback=${note("crew-task")}`,
      },
      (request) =>
        request.hasToolResult ? byTask(request) : { tool: "lookup", arguments: { word: "tea" } },
    );
    const calls = read(folder, "calls").trim().split(" ");
    for (const name of ["task", "crew-task", "agent-step"])
      assert.ok(calls.includes(name), calls.join());
    assert.deepEqual(
      steps.map(({ tool, result }) => [tool, result]),
      [
        ["lookup", "tea"],
        [null, "The first answer."],
      ],
    );
  });

  it("says what crewAI says of an agent without a key", async () => {
    const model = await startModel(byTask);
    const env = { ...crewaiEnv(model), OPENAI_API_KEY: "" };
    const folder = writeProject({ "crew.py": crewFile() });
    const { engine, run } = openEngine({ folder, python: await warmPython(), env });
    atEndOfTest(() => engine.close?.());
    await assert.rejects(run({ topic: "tea" }), /OPENAI_API_KEY/);
    assert.equal(model.requests.length, 0);
  });

  it("runs several executions at a time if it may, each with a storage folder of its own, which is removed", async () => {
    let begun = 0;
    const model = await startModel(async (request) => {
      if (taskOf(request.prompt) === "first") {
        begun += 1;
        await waitFor("both to run", () => begun > 1, 120_000);
      }
      return byTask(request);
    });
    const head =
      'import os\nopen(f"storage-{os.getpid()}", "w").write(os.environ.get("CREWAI_STORAGE_DIR", ""))';
    const folder = writeProject({ "crew.py": crewFile({ head, crew: "memory=True" }) });
    const [python, env] = [await warmPython(), crewaiEnv(model)];
    const { engine, run } = openEngine({ folder, python, env, parallel: 2 });
    atEndOfTest(() => engine.close?.());
    const storages = () =>
      readdirSync(folder).flatMap((name) =>
        name.startsWith("storage-") ? read(folder, name) : [],
      );
    const onTask = (name: string) =>
      assert.ok(name === "first" || storages().some((one) => existsSync(one)));
    const runOne = () => run({ topic: "tea" }, { onTask });
    await Promise.all([runOne(), runOne()]);
    assert.equal(new Set(storages()).size, 2);
    assert.ok(storages().every((storage) => path.isAbsolute(storage)));
    await waitFor("their end", () => !storages().some((storage) => existsSync(storage)));
  });
});
