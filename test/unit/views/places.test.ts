import assert from "node:assert/strict";
import type * as vscode from "vscode";
import type { Execution } from "../../../src/executions/model.ts";
import { placeOf } from "../../../src/views/document/place.ts";
import { renderExecution } from "../../support/rendered.ts";
import { anExecution, notWaiting } from "./executions.ts";

const document = JSON.parse("{}") as vscode.TextDocument;

/** The line at which feedback is given. */
function textAt(execution: Execution): string | undefined {
  const rendered = renderExecution(execution);
  const place = placeOf({ summary: () => execution, rendered: () => rendered }, document);
  return place && rendered.text.split("\n")[place.line];
}

describe("the place of feedback", () => {
  it("is the waiting output, below the rejected ones", () => {
    const secondDraft = anExecution({
      tasks: [
        {
          taskId: "review",
          state: "waiting",
          attempts: [
            { number: 1, output: "First." },
            { number: 2, output: "Second." },
          ],
        },
      ],
      waiting: { taskId: "review", attempt: 2, since: "2026-10-21T12:01:00.000Z" },
    });
    assert.equal(textAt(secondDraft), "### Attempt 2");
    assert.equal(textAt(anExecution()), "### Attempt 1");
  });

  it("is the task if its output is not shown", () => {
    assert.equal(
      textAt(anExecution({ tasks: [{ taskId: "review", state: "waiting", attempts: [] }] })),
      "## Task: review",
    );
  });

  it("is the section “It may be waiting for you”, and none if nothing waits", () => {
    assert.equal(
      textAt(notWaiting({ state: "unknown", mayBeWaiting: true })),
      "## It may be waiting for you",
    );
    assert.equal(textAt(notWaiting()), undefined);
  });
});
