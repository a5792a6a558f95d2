import assert from "node:assert/strict";
import { confirmApproval } from "../../src/feedback/ask.ts";
import { anExecution } from "../unit/views/executions.ts";
import { ScriptedPerson } from "./scripted-person.ts";

describe("The question about an output", () => {
  it("shows the text that “Approve” sends before it approves an output that isn't on the screen", async () => {
    const person = new ScriptedPerson([{ press: "Approve" }]);
    try {
      assert.equal(await confirmApproval(anExecution(), "review"), true);
      assert.match(
        person.shown[0]?.detail ?? "",
        /“Approved\.” is sent to “Writers” \(crew\.test\): the crew continues with this output, and later tasks read that as your feedback\.$/,
      );
    } finally {
      person.dispose();
    }
  });

  it("shows what a flow asks before its output, when an answer is sent to one that isn't on the screen", async () => {
    const person = new ScriptedPerson([{ press: "Send Answer" }]);
    try {
      const waiting = {
        ...{ taskId: "review", attempt: 1, since: "2026-10-21T12:00:00.000Z" },
        ...{ options: ["yes", "no"], message: "Is it right?", output: "The draft." },
      };
      assert.equal(await confirmApproval(anExecution({ waiting }), "review", "yes"), true);
      assert.equal(
        person.shown[0]?.detail,
        "Is it right?\n\nThe draft.\n\n“yes” is sent, and the flow continues with it.",
      );
    } finally {
      person.dispose();
    }
  });
});
