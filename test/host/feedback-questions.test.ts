import assert from "node:assert/strict";
import { askKind } from "../../src/feedback/ask.ts";
import { ScriptedPerson } from "./scripted-person.ts";

describe("The question what to say of an output", () => {
  it("names the task as the crew does: a list's title draws no icons (observed), so that a backslash would be seen", async () => {
    const person = new ScriptedPerson(["escape"]);
    try {
      assert.equal(await askKind("$(bell) draft"), undefined);
      assert.equal(person.shown[0]?.title, "Feedback for “$(bell) draft”");
    } finally {
      person.dispose();
    }
  });
});
