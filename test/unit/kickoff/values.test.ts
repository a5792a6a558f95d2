import assert from "node:assert/strict";
import { formFields, type FieldMode } from "../../../src/kickoff/fields.ts";
import { alignValues, fillIn, initialValues, toRequest, type FormValues } from "../../../src/kickoff/values.ts";

const fieldsFor = (...names: string[]) => formFields({ fields: names.map((name) => ({ name })), raw: undefined });

function typed(inputs: readonly (readonly [string, FieldMode, string])[], rest: Partial<Pick<FormValues, "meta">> & { callbacks?: Partial<FormValues["callbacks"]> } = {}): FormValues {
  const none = initialValues([]);
  return { inputs: inputs.map(([name, mode, text]) => ({ name, mode, text })), meta: rest.meta ?? "", callbacks: { ...none.callbacks, ...rest.callbacks } };
}

describe("Values of the kickoff form", () => {
  it("become a request: texts as they are, JSON as values, left-out ones not at all", () => {
    const fields = fieldsFor("topic", "list", "null", "empty", "gone");
    const values = typed([["topic", "text", " 5 "], ["list", "json", "[1, {\"a\": null}]"], ["null", "json", "null"], ["empty", "json", '""'], ["gone", "omit", "kept"]]);
    assert.deepEqual(toRequest(fields, values), { inputs: { topic: " 5 ", list: [1, { a: null }], null: null, empty: "" } });
  });

  it("carry meta and the callback addresses that were entered", () => {
    const values = typed([], { meta: ' {"ticket": 7} ', callbacks: { taskWebhookUrl: " https://a.example/t ", crewWebhookUrl: "https://a.example/c" } });
    assert.deepEqual(toRequest([], values), { inputs: {}, meta: { ticket: 7 }, taskWebhookUrl: "https://a.example/t", crewWebhookUrl: "https://a.example/c" });
  });

  it("send any name as a property of its own, __proto__ included", () => {
    const names = ["__proto__", "constructor", "toString", 'a "quoted": name', ""];
    const { inputs } = toRequest(fieldsFor(...names), typed(names.map((name) => [name, "text", `value of ${name}`])));
    assert.deepEqual(Object.keys(inputs), names);
    const sent: unknown = JSON.parse(JSON.stringify(inputs));
    assert.deepEqual(Object.entries(sent as object), names.map((name) => [name, `value of ${name}`]));
    assert.equal(Object.getPrototypeOf(inputs), Object.prototype);
  });

  it("follow the crew's fields: new ones get their initial value, vanished ones go", () => {
    const values = typed([["old", "text", "x"], ["kept", "json", "1"]]);
    assert.deepEqual(alignValues(fieldsFor("kept", "new"), values).inputs, [
      { name: "kept", mode: "json", text: "1" },
      { name: "new", mode: "text", text: "" },
    ]);
  });

  it("are filled in from given ones, which come back out as they were", () => {
    const given = { inputs: JSON.parse('{"topic": "Rome", "days": 3, "note": "", "__proto__": ["x"], "extra": true}') as Record<string, never>, meta: { a: 1 }, stepWebhookUrl: "https://a.example/s" };
    const before = typed([["topic", "text", "Paris"], ["untouched", "text", "stays"]], { callbacks: { taskWebhookUrl: "https://a.example/t" } });
    const { fields, values } = fillIn(fieldsFor("topic", "days", "note", "untouched"), before, given);
    assert.deepEqual(fields.map(({ name, listed }) => [name, listed]), [["topic", true], ["days", true], ["note", true], ["untouched", true], ["__proto__", false], ["extra", false]]);
    const request = toRequest(fields, values);
    assert.deepEqual(Object.entries(request.inputs), [["topic", "Rome"], ["days", 3], ["note", ""], ["untouched", "stays"], ["__proto__", ["x"]], ["extra", true]]);
    assert.deepEqual([request.meta, request.taskWebhookUrl, request.stepWebhookUrl], [{ a: 1 }, "https://a.example/t", "https://a.example/s"]);
  });
});
