import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { asArray, asObject, textAt, type UnknownObject } from "../../src/base/json.ts";
import {
  type ClassicCrew,
  crewFile,
  needsCrewai,
  newestCrewai,
  pythonWithPackages,
  writeProject,
} from "../support/crewai.ts";
import { serveProject, startModel } from "../support/crewai-service.ts";
import type { ModelAnswer, ModelRequest } from "../support/model-server.ts";

const isLong = process.env["CREWDECK_CREWAI_VERSIONS"] === "all";

/** How often each recording is replayed. */
const replays = isLong ? 3 : 1;

/** What a kind of crew has that others don't. */
interface Kind extends Pick<ClassicCrew, "head" | "agent" | "crew"> {
  /** Of its first task. */
  readonly task?: string;
  /** Whether it is tried only in `npm run test:long`: its requests look like those of others. */
  readonly isLong?: true;
  /** Why it can't be replayed. */
  readonly refused?: RegExp;
}

const model = `class Answer(BaseModel):
    text: str
    count: int
`;
const tool = `@tool("search")
def search(query: str) -> str:
    """Searches."""
    return "Found."
`;

const kinds: Readonly<Record<string, Kind>> = {
  "two tasks": { isLong: true },
  "a tool": { head: tool, agent: "tools=[search]" },
  hierarchical: { isLong: true, crew: 'process=Process.hierarchical, manager_llm="gpt-4o-mini"' },
  output_pydantic: { head: model, task: "output_pydantic=Answer" },
  guardrail: { isLong: true, task: "guardrail=lambda output: (True, output.raw)" },
  "a guardrail in words": { isLong: true, task: 'guardrail="It has a text."' },
  memory: { crew: "memory=True" },
  knowledge: {
    isLong: true,
    head: "from crewai.knowledge.source.string_knowledge_source import StringKnowledgeSource",
    crew: 'knowledge_sources=[StringKnowledgeSource(content="Assam is a tea.")]',
  },
  planning: { isLong: true, crew: 'planning=True, planning_llm="gpt-4o-mini"' },
  reasoning: { isLong: true, agent: "reasoning=True" },
  async: { isLong: true, task: "async_execution=True" },
  streaming: { agent: 'llm=LLM(model="gpt-4o-mini", stream=True)' },
  "the Responses API": { agent: 'llm=LLM(model="gpt-4o-mini", api="responses")' },
  Anthropic: { agent: 'llm=LLM(model="anthropic/claude-3-5-haiku-20241022")' },
  function_calling_llm: {
    isLong: true,
    head: tool,
    agent: 'tools=[search], function_calling_llm="gpt-4o-mini"',
  },
  response_model: { isLong: true, head: model, task: "response_model=Answer" },
  "a model of the project's own": {
    head: `from crewai import BaseLLM

class Own(BaseLLM):
    def call(self, messages, *args, **kwargs):
        return "A text."
`,
    agent: 'llm=Own(model="own")',
    refused: /Calls of Own can't be replayed/,
  },
};

function projectOf({ head = "", task = "", ...given }: Kind): string {
  const connections = `import os, sys
from crewai import LLM
from crewai.tools import tool
from pydantic import BaseModel

def note(event, args):
    if event == "socket.connect" and isinstance(args[1], tuple):
        with open(os.environ["CONNECTED"], "a") as file:
            file.write(f"{args[1]}\\n")

sys.addaudithook(note)
`;
  return writeProject({
    "crew.py": crewFile({
      ...given,
      head: connections + head,
      tasks: { first: task, second: "" },
    }),
  });
}

describe("the recording of a crew", () => {
  needsCrewai();
  before(() => pythonWithPackages(newestCrewai, `crewai[anthropic]==${newestCrewai}`));

  for (const [name, kind] of Object.entries(kinds).filter(([, one]) => isLong || !one.isLong))
    it(`of the kind "${name}" replays it without a network`, async () => {
      const project = projectOf(kind);
      const connected = path.join(project, "..", "connected.txt");
      const models = await startModel(answerTo);
      const { api } = await serveProject(project, models, {
        env: {
          ANTHROPIC_BASE_URL: models.url.replace("/v1", ""),
          ANTHROPIC_API_KEY: "key",
          CONNECTED: connected,
        },
      });
      const run = async (more: UnknownObject = {}) => {
        const id = await api.kickoff({ inputs: { topic: "tea" }, ...more });
        const { status, error, result, usage_metrics } = await api.untilEnded(id);
        const output = JSON.stringify(result ?? null).replace(/"execution_time":[\d.]+/g, "");
        return { id, told: { status, error, output, usage_metrics } };
      };
      const { id, told } = await run();
      assert.equal(told.status, "completed", String(told.error));
      const { body } = await api.get(`/executions/${id}/recording`);
      writeFileSync(path.join(project, "it.recording.jsonl"), String(body));
      await models.stop();
      const addresses = () => (existsSync(connected) ? readFileSync(connected, "utf8") : "");
      const live = addresses();
      assert.equal(live === "", kind.refused !== undefined);
      for (let count = 0; count < replays; count += 1) {
        const again = await run({ replay: { file: "it.recording.jsonl" } });
        if (kind.refused) assert.match(String(again.told.error), kind.refused);
        else assert.deepEqual(again.told, told);
      }
      assert.equal(addresses(), live);
    });
});

/** What a request's schema wants, else a text; uses the first tool once. */
function answerTo({ body, prompt, tools, hasToolResult }: ModelRequest): ModelAnswer {
  const [tool] = tools;
  if (tool !== undefined && !hasToolResult) {
    const [offered] = asArray(body["tools"]).map((each) => asObject(asObject(each)["function"]));
    const parameters = asObject(offered?.["parameters"]);
    return { tool, arguments: asObject(fitting(parameters, parameters)) };
  }
  const schema =
    asObject(asObject(body["response_format"])["json_schema"])["schema"] ??
    asObject(asObject(body["text"])["format"])["schema"];
  if (schema !== undefined) return JSON.stringify(fitting(asObject(schema), asObject(schema)));
  return prompt.includes("valid") ? '{"valid": true, "feedback": null}' : "A text.";
}

/** A value that a JSON schema allows. */
function fitting(schema: UnknownObject, root: UnknownObject): unknown {
  const reference = textAt(schema, "$ref");
  if (reference !== undefined) {
    const found = reference
      .split("/")
      .slice(1)
      .reduce((at, step) => asObject(at[step]), root);
    return fitting(found, root);
  }
  const [choice] = asArray(schema["anyOf"]);
  if (choice !== undefined) return fitting(asObject(choice), root);
  const [one] = asArray(schema["enum"]);
  if (one !== undefined) return one;
  switch (schema["type"]) {
    case "object":
      return Object.fromEntries(
        Object.entries(asObject(schema["properties"])).map(([name, each]) => [
          name,
          fitting(asObject(each), root),
        ]),
      );
    case "array":
      return [fitting(asObject(schema["items"]), root)];
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return true;
    default:
      return "A text.";
  }
}
