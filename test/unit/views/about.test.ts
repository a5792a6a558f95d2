import assert from "node:assert/strict";
import { renderExecution } from "../../support/rendered.ts";
import { tasksOf } from "../../../src/view/tasks.ts";
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

describe("whose token decided about an output, as its crew reports it", () => {
  const feedback = { isApprove: true, at: "2026-10-21T12:02:00.000Z", text: "Good." };
  const target = { taskId: "review", attempt: 1 };
  const sha256 = "0123456789abcdef".repeat(4);
  const outcomeOf = (by: object, changes: Partial<Execution> = {}) =>
    tasksOf(
      anExecution({
        resumes: [{ ...target, feedback, outcome: "answered" }],
        decisions: [{ ...target, sha256, ...by }],
        ...changes,
      }),
      [],
      {},
    ).flatMap(({ attempts }) => attempts.flatMap(({ feedback }) => feedback))[0]?.outcome;

  it("is with the feedback, and the hash of the text; not on this machine", () => {
    for (const [by, text] of [
      [{ type: "user", name: "ada *b*" }, "By ada \\*b\\*"],
      [{ type: "organization" }, "By the organization's token"],
      [{ type: "user" }, "By the user token"],
      [{ type: "webhook" }, "By the feedback webhook"],
    ] as const)
      assert.ok(outcomeOf(by)?.endsWith(` · ${text} · SHA-256 of the text: ${sha256}`), text);
    assert.ok(outcomeOf({})?.endsWith(` · SHA-256 of the text: ${sha256}`));
    const crew = { id: "local:file:///x", name: "x", url: "http://127.0.0.1:1" };
    assert.doesNotMatch(outcomeOf({ type: "organization" }, { crew }) ?? "", /By|SHA/);
  });
});
