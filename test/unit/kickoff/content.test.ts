import assert from "node:assert/strict";
import { FormContent, type Seed } from "../../../src/kickoff/form/content.ts";
import { formFields } from "../../../src/kickoff/form/fields.ts";
import { type FormValues, initialValues } from "../../../src/kickoff/form/values.ts";

const fields = formFields({ fields: [{ name: "topic" }, { name: "audience" }] });
const typed = (topic: string, audience: string): FormValues => ({
  ...initialValues([]),
  inputs: [
    { name: "topic", mode: "text", text: topic },
    { name: "audience", mode: "text", text: audience },
  ],
  callbacks: { ...initialValues([]).callbacks, crewWebhookUrl: "https://mine.test" },
});
const open = (seed: Seed) =>
  new FormContent(fields, seed, () => "22222222-0000-4000-8000-000000000002");

describe("The content of a form opened with values", () => {
  const draft = { id: "22222222-0000-4000-8000-000000000001", values: typed("mine", "mine, too") };

  it("is only the given values if they replace the draft; Undo restores the draft", () => {
    const content = open({ draft, instead: { inputs: { topic: "given" } } });
    assert.deepEqual(content.values, {
      ...typed("given", ""),
      callbacks: initialValues([]).callbacks,
    });
    assert.deepEqual([content.origin, content.canUndo], [{ kind: "given" }, true]);
    content.undo();
    assert.deepEqual(content.values, draft.values);
  });

  it("is restored by Undo even if the same values were given twice, as by a double click", () => {
    const content = open({ draft });
    for (let click = 0; click < 2; click++)
      content.give({ instead: { inputs: { topic: "given" } } });
    content.undo();
    assert.deepEqual(content.values, draft.values);
  });

  it("is the draft with the given values in it if they don't replace it", () => {
    assert.deepEqual(
      open({ draft, given: { inputs: { topic: "given" } } }).values,
      typed("given", "mine, too"),
    );
  });

  it("no longer shows that it has the given values once one is changed", () => {
    const content = open({ given: { inputs: { topic: "given" } } });
    assert.equal(content.origin?.kind, "given");
    content.edit(typed("mine", ""));
    assert.equal(content.origin, undefined);
  });

  it("gets the focus in the first empty input, and in a missing secret if all inputs were given", () => {
    const authentication = { strategy: "bearer" as const };
    const humanInputWebhook = { url: "https://a.test/h", authentication };
    const given = (inputs: Record<string, string>) =>
      open({ instead: { inputs, humanInputWebhook } }).firstPart;
    assert.equal(given({ topic: "tea", audience: "all" }), "humanInput");
    assert.equal(given({ topic: "tea" }), 1);
    assert.equal(open({ draft }).firstPart, 0, "of none that is empty");
    assert.equal(new FormContent([], {}, () => draft.id).firstPart, "submit");
  });

  it("makes no request of events without an address, which would be lost", () => {
    const { streaming } = initialValues([]);
    const values = { ...typed("tea", "all"), streaming: { ...streaming, events: "task_started" } };
    assert.equal(open({ draft: { ...draft, values } }).request, undefined);
  });
});
