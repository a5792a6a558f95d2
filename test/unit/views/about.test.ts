import assert from "node:assert/strict";
import { renderExecution } from "../../support/rendered.ts";
import { executionRow } from "../../../src/views/tree/execution-rows.ts";
import type { Execution } from "../../../src/executions/model.ts";
import { anExecution } from "./executions.ts";

/** The lines that the text and the tree's tooltip have about it. */
function shown(changes: Partial<Execution>) {
  const execution = anExecution(changes);
  const lines = renderExecution(execution).text.split("\n");
  return {
    text: lines.slice(lines.indexOf("## Crew and IDs") + 2),
    tree: executionRow(execution, Date.parse(execution.startedAt)).tooltip,
  };
}

describe("what started an execution, as its crew reports it", () => {
  it("is in the text's last section, which the page has, too, and in the tree's tooltip", () => {
    const trigger = { type: "service_account", id: "12", origin: "schedule" };
    const { text, tree } = shown({ trigger });
    assert.equal(text[2], "- Triggered by: service account 12 · schedule");
    assert.ok(tree.includes("Triggered by: service account 12 · schedule"));
  });

  it("is not there if the crew doesn't say, says that it isn't known, or only that it came through its API", () => {
    for (const changes of [{}, { trigger: { type: "unknown", origin: "api" } }]) {
      const { text, tree } = shown(changes);
      assert.doesNotMatch([...text, ...tree].join(), /Triggered|api/);
    }
  });

  it("is one short line, whatever the crew sends", () => {
    const id = `<b>\n# x${"y".repeat(300)}`;
    const { text, tree } = shown({ trigger: { type: "user", id } });
    assert.match(text[2] ?? "", /^- Triggered by: user \\<b> # xy+…$/);
    assert.ok(tree.every((line) => !line.includes("\n") && line.length < 200));
  });
});
