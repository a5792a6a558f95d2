import assert from "node:assert/strict";
import type { JsonValue } from "../../../src/base/json.ts";
import { readInputs } from "../../../src/api/read-inputs.ts";
import { examplesIn, readExamples } from "../../../src/projects/examples.ts";
import { folderWith } from "./folder.ts";
import { harness, serve } from "../service/support.ts";

const year = String(new Date().getFullYear());
const main = `
# inputs = {'no': 'x'}
def run():
    """Kicks off: crew().kickoff(inputs={'doc': 1})"""
    inputs = {
        'topic': 'AI LLMs', # what
        'current_year': str(datetime.now().year),
        "text": """Two
lines""", 'joined': ('a' "b"), 'count': -3.5, 'bell': '\\a', 'flags': [True, None, {'a': 'x,]'},],
        'file': open("x").read(), 'made': f"{x}", key: 'no', **more,
    }
    Crew().crew().kickoff(inputs=inputs)
def train():
    inputs = {"topic": "other"}
    Crew().crew().train(n_iterations=1, inputs=inputs)
`;

describe("what a project passes to a kickoff", () => {
  it("is read without running it: literals as JSON, and names alone of what only Python knows", () => {
    assert.deepEqual(Object.fromEntries(examplesIn(main)), {
      ...{ topic: "AI LLMs", current_year: year, text: "Two\nlines" },
      ...{
        count: -3.5,
        flags: [true, null, { a: "x,]" }],
        bell: undefined,
        joined: undefined,
        file: undefined,
        made: undefined,
      },
    });
    assert.deepEqual([...examplesIn("x.kickoff_async(inputs={'a': 'b'})")], [["a", "b"]]);
    for (const text of [
      "",
      "x.kickoff(inputs=inputs)",
      "x.kickoff(inputs={'a'",
      "kickoff(inputs={",
    ])
      assert.equal(examplesIn(text).size, 0, text);
  });

  it("takes no long time for what is hostile", () => {
    for (const part of ['"\\\\', "'''\\\\", '"""', "a : a\\n"]) {
      const began = performance.now();
      examplesIn(`a={\\nkickoff(inputs={'a': ${part.repeat(50_000)}`);
      assert.ok(performance.now() - began < 2_000, part);
    }
  });

  it("is in main.py beside the crew, else at the top", async () => {
    const call = (value: string) => `crew.kickoff(inputs={"a": "${value}"})`;
    const both = await folderWith({ "src/a/main.py": call("beside"), "main.py": call("top") });
    const read = async (entry: string) => (await readExamples(both, entry)).get("a");
    assert.deepEqual(await Promise.all([read("src/a/crew.py"), read("src/b/crew.py")]), [
      "beside",
      "top",
    ]);
  });

  it("comes first among the inputs, in its order, with examples for forms", async () => {
    const given = new Map<string, JsonValue | undefined>([
      ["audience", ["renters"]],
      ["gone", "x"],
      ["topic", undefined],
    ]);
    await serve({ examples: () => Promise.resolve(given) });
    const { body } = await harness.request("GET", "/inputs");
    assert.deepEqual(body, {
      inputs: ["audience", "topic"],
      crewdeck: { examples: { audience: ["renters"] } },
    });
    assert.deepEqual(readInputs(body)?.fields, [
      { name: "audience", example: ["renters"] },
      { name: "topic" },
    ]);
  });
});
