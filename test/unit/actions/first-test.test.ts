import assert from "node:assert/strict";
import { firstTest } from "../../../src/actions/execution-data.ts";
import { anExecution, aTask } from "../views/executions.ts";

const head = '{"recording":1,"crewai":"1.15.30","variables":{}}\n';
const at = "2026-10-21T12:00:00.000Z";

describe("the first test of an execution", () => {
  it("has its inputs, what was said about outputs, and expects what a person would look at", () => {
    const execution = anExecution({
      state: "completed",
      tasks: [
        aTask("research", "completed", { output: "Found." }),
        aTask(
          "review",
          "completed",
          { output: "A", feedback: { isApprove: false, text: "Shorter.", at } },
          { output: "B", feedback: { isApprove: true, text: "Good.", at } },
        ),
      ],
      output: "# Report\n\nSea otters hold hands.",
      usage: { total: 610 },
    });
    const recording = `${head}{"at":["research",1],"kind":"tool","name":"search"}\n{"at":["research",1],"kind":"model"}\n`;
    assert.deepEqual(firstTest(execution, recording), {
      inputs: { topic: "Sea otters" },
      answers: { review: [{ reject: "Shorter." }, { approve: "Good." }] },
      expect: [
        { contains: "Sea otters", maxWords: 10 },
        { task: "research", calls: [{ tool: "search" }] },
        { maxTokens: 1000 },
      ],
    });
  });

  it("expects the members of JSON, and the beginning of a text that names no input", () => {
    const expected = (output: string) =>
      firstTest(anExecution({ output, tasks: [] }), head)["expect"];
    assert.deepEqual(expected('{"tea": "Assam"}'), [
      { jsonSchema: { type: "object", required: ["tea"] } },
    ]);
    assert.deepEqual(expected("## Otters\nThey swim."), [{ contains: "Otters", maxWords: 10 }]);
    const whole = `${"a".repeat(59)}🦦`;
    assert.deepEqual(expected(`${whole}🦦`), [{ contains: whole, maxWords: 10 }]);
  });
});
