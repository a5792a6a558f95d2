import assert from "node:assert/strict";
import { emptyInputs, readInputs } from "../../../src/api/read-inputs.ts";
import {
  formFields,
  isOdd,
  isRequired as needsValue,
  usualMode,
} from "../../../src/kickoff/form/fields.ts";
import { checkInputs } from "../../../src/kickoff/request-files/request-file.ts";
import { type FormValues, initialValues, readForm } from "../../../src/kickoff/form/values.ts";

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
