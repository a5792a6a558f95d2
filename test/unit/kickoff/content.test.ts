import assert from "node:assert/strict";
import { FormContent, type Seed } from "../../../src/kickoff/form/content.ts";
import { valuesOf } from "./support.ts";

const fields = [{ name: "topic" }, { name: "audience" }];
const typed = (topic: string, audience: string) =>
  valuesOf({ topic, audience }, { crewWebhookUrl: "https://mine.test" });
const open = (seed: Seed) => new FormContent(fields, seed);
const given = { values: { inputs: { topic: "given" } }, replaces: true };

describe("The content of a form opened with values", () => {
  const draft = { id: "22222222-0000-4000-8000-000000000001", values: typed("mine", "mine, too") };

  it("is only the given values if they replace the draft, which Undo restores, even after the same values were given twice", () => {
    const content = open({ draft, given });
    content.give(given);
    assert.deepEqual(content.draft.values, { ...typed("given", ""), crewWebhookUrl: "" });
    assert.deepEqual([content.shown.origin, content.shown.canUndo], ["Filled in.", true]);
    content.undo();
    assert.deepEqual(content.draft.values, draft.values);
  });

  it("is the draft with the given values in it if they don't replace it", () => {
    const content = open({ draft, given: { ...given, replaces: false } });
    assert.deepEqual(content.draft.values, typed("given", "mine, too"));
  });

  it("gets the focus in what is missing first, else in the first input", () => {
    const authentication = { strategy: "bearer" as const };
    const humanInputWebhook = { url: "https://a.test/h", authentication };
    const first = (inputs: Record<string, string>) =>
      open({ given: { values: { inputs, humanInputWebhook }, replaces: true } }).firstPart;
    assert.equal(first({ topic: "tea", audience: "all" }), "humanInput");
    assert.equal(first({ topic: "tea" }), 1);
    assert.equal(open({ draft }).firstPart, 0);
    assert.equal(new FormContent([], {}).firstPart, "submit");
  });

  it("takes the examples of inputs that are empty, each in its type, which Undo takes back", () => {
    const examples = { topic: "AI\nLLMs", audience: "all", days: 3 };
    const content = new FormContent(
      [...Object.entries(examples).map(([name, example]) => ({ name, example })), { name: "tone" }],
      { given: { values: { inputs: { audience: "mine" } }, replaces: true } },
    );
    const before = content.draft.values;
    content.useExamples();
    assert.deepEqual(content.values?.inputs, { topic: "AI\nLLMs", audience: "mine", days: 3 });
    assert.equal(content.shown.origin, "Filled in with the examples.");
    content.undo();
    assert.deepEqual(content.draft.values, before);
  });

  it("has no values for a tool if they have events without an address, which would be lost", () => {
    const values = { ...typed("tea", "all"), events: "task_started" };
    assert.equal(open({ draft: { ...draft, values } }).values, undefined);
  });
});
