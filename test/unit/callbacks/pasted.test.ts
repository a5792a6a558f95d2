import assert from "node:assert/strict";
import { readPasted } from "../../../src/callbacks/payload.ts";
import { aRequest } from "./flow-samples.ts";

const pause = { kickoff_id: "k1", execution_id: "k1", task_id: "review", task_output: "# Draft" };
const at = Date.parse("2026-11-23T08:00:00Z");

describe("a pasted callback", () => {
  const found = (text: string) => {
    const { kind, kickoffId, report } = readPasted(text, at) ?? {};
    return [kind, kickoffId, report?.kind === "pause" && [report.taskId, report.output]];
  };
  const expected = ["pause", "k1", ["review", "# Draft"]];
  const body = JSON.stringify(pause);

  for (const [place, text] of Object.entries({
    "alone, over several lines": JSON.stringify(pause, undefined, 2),
    "after a log's line": `08:00:01 POST /hook 200 ${body} (12 ms)`,
    "in what a public webhook exports": JSON.stringify({
      method: "POST",
      headers: { host: "webhook.test" },
      content: body,
    }),
    "in a list of requests, with others": JSON.stringify([
      { request: { body: { thought: "I look.", tool: "search", kickoff_id: "k1" } } },
      { request: { body: { kickoff_id: "k1", name: "research", output: "Facts" } } },
      { request: { body: pause } },
    ]),
    "in a log whose lines are JSON, beside other lines": `{"level":"info"} {x}\n{"at":1,"body":${body}}\n{"level":"info"}`,
    "as a text with escapes": JSON.stringify(body),
  }))
    it(`is found ${place}, with the IDs, the task and the output`, () => {
      assert.deepEqual(found(text), expected);
    });

  it("is also one of a task, with the ID that is beside it", () => {
    const text = JSON.stringify({ execution_id: "k2", payload: { name: "write", output: "Text" } });
    assert.deepEqual(found(text).slice(0, 2), ["task", "k2"]);
  });

  it("is not the request of a flow, whose state may look like one", () => {
    const text = JSON.stringify(aRequest({ state: { name: "write", output: "Text" } }));
    assert.equal(readPasted(text, at), undefined);
  });

  it("is none in other text", () => {
    const deep = `${'{"a":'.repeat(9)}${body}${"}".repeat(9)}`;
    for (const text of ["", "{", "{}", "k1", "[]", '{"a": {"b": 1}}', "}{", deep])
      assert.equal(readPasted(text, at), undefined, text);
  });

  it("is looked for within limits", () => {
    const wide = JSON.stringify(Array.from({ length: 200_000 }, () => ({ a: {} })));
    assert.equal(readPasted(wide, at), undefined);
    assert.equal(readPasted("{".repeat(1_000_000), at), undefined);
  });
});
