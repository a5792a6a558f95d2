import assert from "node:assert/strict";
import {
  formFields,
  initialValue,
  isRequired,
  switchMode,
  typedIn,
  withUnlisted,
} from "../../../src/kickoff/form/fields.ts";

const fieldsOf = (...fields: Parameters<typeof formFields>[0]["fields"]) => formFields({ fields });

describe("Fields of the kickoff form", () => {
  it("begins with the control that fits, or as JSON if the type is not a text, with the default if there is one", () => {
    const fields = fieldsOf(
      { name: "a" },
      { name: "b", type: "string", default: "x" },
      { name: "c", type: "integer" },
      { name: "d", type: "object", default: { k: 1 } },
      { name: "e", default: 7 },
    );
    assert.deepEqual(fields.map(initialValue), [
      { mode: "text", text: "" },
      { mode: "text", text: "x" },
      { mode: "json", text: "" },
      { mode: "json", text: '{\n  "k": 1\n}' },
      { mode: "json", text: "7" },
    ]);
  });

  it("accepts a text from elsewhere as if it was typed", () => {
    const fields = fieldsOf(
      { name: "any" },
      { name: "days", type: "integer" },
      { name: "share", type: "number" },
      { name: "loud", type: "boolean" },
      { name: "tone", enum: ["dry", 2] },
      { name: "data", type: "object" },
    );
    const cases = [
      ["any", " 12 ", "text  12 "],
      ["share", "1.50", "json 1.50"],
      ["loud", "true\n", "json true"],
      ["tone", "dry\n", 'json "dry"'],
      ["tone", "2", "json 2"],
      ["data", '{"a": 1.50}\n', 'json {"a": 1.50}\n'],
      ["data", "no JSON", "json no JSON"],
    ] as const;
    for (const [name, text, expected] of cases) {
      const { mode, text: typed } = typedIn(
        text,
        fields.find((field) => field.name === name)!,
      );
      assert.equal(`${mode} ${typed}`, expected, `${JSON.stringify(text)} in ${name}`);
    }
  });

  it("adds one field for an input that the crew did not list", () => {
    const fields = withUnlisted(fieldsOf({ name: "a" }), ["b", "a", "b"]);
    const known = fields.map((field) => [field.name, field.isUnlisted, isRequired(field)]);
    assert.deepEqual(known, [
      ["a", undefined, true],
      ["b", true, false],
    ]);
  });

  it("switches between text and JSON without losing what was typed", () => {
    const lines = 'two\nlines "and quotes"';
    const cases = [
      ["text", "Berlin, 5 days", "json", '"Berlin, 5 days"'],
      ["text", "5", "json", "5"],
      ["text", '{"a": 1}', "json", '{"a": 1}'],
      ["text", '{"a": ', "json", '{"a": '],
      ["text", "", "json", ""],
      ["text", lines, "json", JSON.stringify(lines)],
      ["json", JSON.stringify(lines), "text", lines],
      ["json", "[1]", "text", "[1]"],
      ["json", "[1", "omit", "[1"],
    ] as const;
    for (const [mode, text, chosen, expected] of cases)
      assert.deepEqual(switchMode({ mode, text }, chosen), { mode: chosen, text: expected }, text);
  });
});
