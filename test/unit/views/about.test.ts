import assert from "node:assert/strict";
import type { Execution } from "../../../src/executions/model.ts";
import { tasksOf } from "../../../src/view/tasks.ts";
import { anExecution } from "./executions.ts";

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
