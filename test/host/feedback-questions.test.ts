import assert from "node:assert/strict";
import { askKind, confirmApproval } from "../../src/feedback/ask.ts";
import { anExecution } from "../unit/views/executions.ts";
import { ScriptedPerson } from "./scripted-person.ts";

describe("The question about an output", () => {
  it("shows the task's name without escapes, because a quick pick's title draws no icons (observed)", async () => {
    const person = new ScriptedPerson(["escape"]);
    try {
      assert.equal(await askKind("$(bell) draft"), undefined);
      assert.equal(person.shown[0]?.title, "Feedback for “$(bell) draft”");
    } finally {
      person.dispose();
    }
  });

  it("shows the text that “Approve” sends", async () => {
    const person = new ScriptedPerson(["escape"]);
    try {
      await askKind("draft");
      assert.equal(
        person.shown[0]?.details?.[0],
        "The crew continues with this output, and later tasks read “Approved.” as your feedback",
      );
    } finally {
      person.dispose();
    }
  });

  it("shows that text also before it approves an output that isn't on the screen", async () => {
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
