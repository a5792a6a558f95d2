import assert from "node:assert/strict";
import {
  formFields,
  initialValue,
  isOdd,
  isRequired,
  isRequired as needsValue,
  switchMode,
  typedIn,
  usualMode,
  withUnlisted,
} from "../../../src/kickoff/form/fields.ts";
import { emptyInputs, readInputs } from "../../../src/api/read-inputs.ts";
import { checkInputs } from "../../../src/kickoff/request-files/request-file.ts";
import { type FormValues, initialValues, readForm } from "../../../src/kickoff/form/values.ts";

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

/** What a crew may answer about the input `n`, and whether a kickoff requires a value. */
const cases: readonly (readonly [what: string, answer: unknown, isRequired: boolean])[] = [
  ["a name alone, as deployed crews answer", ["n"], true],
  ["an object with name and type", [{ name: "n", type: "integer" }], true],
  ["a map of name to type", { n: "integer" }, true],
  ["required", [{ name: "n", required: true }], true],
  ["required, with a default", [{ name: "n", type: "integer", required: true, default: 3 }], true],
  ["a default", [{ name: "n", type: "integer", default: 3 }], false],
  ["a default that is null", [{ name: "n", default: null }], false],
  ["a default that is an empty text", [{ name: "n", default: "" }], false],
  ["not required", [{ name: "n", required: false }], false],
  ["not required, with a default", [{ name: "n", required: false, default: 3 }], false],
  ["a schema that requires it", { properties: { n: { type: "integer" } }, required: ["n"] }, true],
  ["a schema that does not", { properties: { n: { type: "integer" } } }, false],
];

describe("An input may be left blank or out, in the form and a request file alike, unless it is required:", () => {
  for (const [what, answer, isRequired] of cases)
    it(`${what}: ${isRequired ? "it is" : "it is not"}`, () => {
      const inputs = readInputs({ inputs: answer });
      assert.ok(inputs !== undefined);
      const fields = formFields(inputs);
      const blank: FormValues = {
        ...initialValues(fields),
        inputs: fields.map((field) => ({
          name: field.name,
          mode: usualMode(field),
          text: "",
        })),
      };
      assert.deepEqual(
        {
          mark: inputs.fields.map((field) => needsValue(field)),
          form: readForm(fields, blank).faults.size === 0,
          file: checkInputs({}, inputs.fields).map(({ kind }) => kind),
        },
        {
          mark: [isRequired],
          form: !isRequired,
          file: isRequired ? ["input"] : [],
        },
      );
      if (!isRequired)
        assert.deepEqual(
          readForm(fields, blank).values,
          { inputs: {} },
          "the crew uses its own value",
        );
    });
});

describe("An input that crewAI doesn't fill in", () => {
  const inputs = readInputs({ inputs: ["{topic", "days", '"a": 1'] });
  assert.ok(inputs !== undefined);
  const fields = formFields(inputs);

  it("is folded away in the form, sent empty, and asks for what crewAI fills in there", () => {
    const kept = fields.map((field) => [field.name, needsValue(field), isOdd(field)]);
    assert.deepEqual(kept, [
      ["{topic", false, true],
      ["days", true, false],
      ['"a": 1', false, true],
      ["topic", true, false],
    ]);
    const filled = initialValues(fields).inputs.map((value) =>
      value.mode === "json" ? value : { ...value, text: "x" },
    );
    assert.deepEqual(readForm(fields, { ...initialValues(fields), inputs: filled }).values.inputs, {
      "{topic": "",
      days: "x",
      '"a": 1': "",
      topic: "x",
    });
  });

  it("is none of a flow's or a schema's, whose names may have any letters", () => {
    const ofFlow = readInputs({ inputs: ["größe"], crewdeck: { kind: "flow" } });
    const schema = { properties: { größe: { type: "string" } }, required: ["größe"] };
    const ofSchema = readInputs({ inputs: schema });
    assert.ok(ofFlow !== undefined && ofSchema !== undefined);
    const all = [...ofFlow.fields, ...ofSchema.fields];
    assert.deepEqual(all.map(isOdd), [false, false]);
    assert.deepEqual(all.map(needsValue), [false, true]);
    assert.deepEqual(emptyInputs([...ofFlow.fields, ...ofSchema.fields]), {});
  });

  it("isn't missing in a request file, which sends it empty, too", () => {
    assert.deepEqual(checkInputs({ days: "2" }, inputs.fields), []);
    assert.deepEqual(emptyInputs(inputs.fields), { "{topic": "", '"a": 1': "" });
  });
});
