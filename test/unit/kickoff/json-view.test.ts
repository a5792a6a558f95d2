import assert from "node:assert/strict";
import { kickoffBody } from "../../../src/api/requests.ts";
import { type FieldMode, type FormField, formFields } from "../../../src/kickoff/form/fields.ts";
import { movedToExtra, readJsonView, writeJsonView } from "../../../src/kickoff/form/json-view.ts";
import { type FormValues, initialValues, toRequest } from "../../../src/kickoff/form/values.ts";

const fields = formFields({
  fields: [
    { name: "topic" },
    { name: "__proto__" },
    { name: "list", type: "array" },
    { name: "days", type: "integer" },
    { name: "nothing" },
    { name: "blank", required: false },
    { name: "left" },
    { name: "empty" },
  ],
  raw: undefined,
});
const typed: readonly (readonly [FieldMode, string])[] = [
  ["text", 'two\nlines "quoted"'],
  ["text", "x"],
  ["json", '[\n  12345678901234567890,\n  {"a": 1.5}\n]'],
  ["fitting", "12345678901234567890"],
  ["null", "kept"],
  ["text", ""],
  ["omit", "kept, too"],
  ["empty", ""],
];
const values: FormValues = {
  ...initialValues(fields),
  inputs: fields.map(({ name }, index) => ({
    name,
    mode: typed[index]![0],
    text: typed[index]![1],
  })),
  meta: '{"ticket":  7}',
};

function read(text: string, before: FormValues = values, known: readonly FormField[] = fields) {
  const reading = readJsonView(known, before, text);
  assert.ok("values" in reading, JSON.stringify(reading));
  return reading;
}

function faultOf(text: string) {
  const reading = readJsonView(fields, values, text);
  assert.ok("fault" in reading, "the text is valid");
  return reading.fault;
}

/** The text after a round trip. */
const rewritten = (text: string) => writeJsonView(read(text).values);

describe("The form as JSON", () => {
  it("shows inputs and meta as typed, with every digit, and nothing that is not sent", () => {
    assert.equal(
      writeJsonView(values),
      [
        "{",
        '  "inputs": {',
        '    "topic": "two\\nlines \\"quoted\\"",',
        '    "__proto__": "x",',
        '    "list": [',
        "      12345678901234567890,",
        '      {"a": 1.5}',
        "    ],",
        '    "days": 12345678901234567890,',
        '    "nothing": null,',
        '    "empty": ""',
        "  },",
        '  "meta": {"ticket":  7}',
        "}",
      ].join("\n"),
    );
    assert.equal(writeJsonView(initialValues([])), '{\n  "inputs": {}\n}');
  });

  it("returns exactly what the fields had, however it is formatted", () => {
    const exact = {
      ...values,
      inputs: values.inputs.map((value) =>
        value.name === "list" || value.name === "days"
          ? { ...value, text: value.text.replaceAll("12345678901234567890", "1234567890123456") }
          : value,
      ),
    };
    const text = writeJsonView(exact);
    for (const layout of [
      text,
      JSON.stringify(JSON.parse(text)),
      text.replaceAll("\n", "\n\n  "),
    ]) {
      assert.deepEqual(read(layout, exact).values, { ...exact, json: layout });
    }
    assert.deepEqual(toRequest(fields, read(text, exact).values), toRequest(fields, exact));
  });

  it("applies changes in the field's mode", () => {
    const changed = read(
      '{"inputs": {"topic": 5, "__proto__": null, "list": "a", "days": 4, "nothing": "now", "blank": "", "left": "back", "empty": [1.50]}}',
    ).values;
    assert.deepEqual(
      changed.inputs.map(({ mode, text }) => `${mode} ${text}`),
      [
        "json 5",
        "null ",
        'json "a"',
        "fitting 4",
        "text now",
        "empty ",
        "text back",
        "json [1.50]",
      ],
    );
    assert.equal(changed.meta, "");
  });

  it("leaves out what was removed, keeps its text, and leaves blank fields alone", () => {
    const { inputs } = read('{"inputs": {}}').values;
    assert.deepEqual(
      inputs.map(({ mode }) => mode),
      ["omit", "omit", "omit", "omit", "omit", "text", "omit", "omit"],
    );
    assert.equal(inputs[0]?.text, typed[0]![1]);
  });

  it("adds a field for a name that the crew doesn't list", () => {
    const { fields: all, values: now } = read('{"inputs": {"constructor": true, "": "x"}}');
    assert.deepEqual(
      all.slice(-2).map(({ name, listed }) => [name, listed]),
      [
        ["constructor", false],
        ["", false],
      ],
    );
    assert.deepEqual(
      now.inputs.slice(-2).map(({ mode, text }) => `${mode} ${text}`),
      ["json true", "text x"],
    );
  });

  it("accepts null for no meta, as clients send it", () => {
    const reading = readJsonView(fields, values, '{"inputs": {}, "meta": null}');
    assert.ok("values" in reading);
    assert.equal(reading.values.meta, "");
  });

  it("reports errors by line and column", () => {
    assert.deepEqual(faultOf('{\n  "inputs": {"a" 1}\n}'), {
      kind: "notJson",
      line: 2,
      column: 18,
      expected: "colon",
    });
    assert.deepEqual(faultOf('{"inputs": {"a": 12345678901234567890}}'), {
      kind: "notJson",
      line: 1,
      column: 18,
      expected: "exactNumber",
    });
    assert.deepEqual(faultOf("\n[1]"), { kind: "notAnObject", line: 2, column: 1 });
    assert.deepEqual(faultOf('{\n"meta": {}}'), { kind: "noInputs", line: 1, column: 1 });
    assert.deepEqual(faultOf('{\n"inputs": []}'), {
      kind: "wrongType",
      name: "inputs",
      wanted: "object",
      line: 2,
      column: 11,
    });
    assert.deepEqual(faultOf('{"inputs": {},\n "meta": 1}'), {
      kind: "wrongType",
      name: "meta",
      wanted: "object",
      line: 2,
      column: 10,
    });
    assert.deepEqual(faultOf('{"inputs": {},\n "topic": ""}'), {
      kind: "otherMember",
      name: "topic",
      line: 2,
      column: 2,
    });
    for (const name of ["crew", "label", "$schema"])
      assert.deepEqual(faultOf(`{"inputs": {}, "${name}": "Travel"}`), {
        kind: "requestFileMember",
        name,
        line: 1,
        column: 16,
      });
    assert.deepEqual(faultOf(`{"inputs": {"a": ${"[".repeat(100_000)}${"]".repeat(100_000)}}}`), {
      kind: "tooDeep",
      line: 1,
      column: 1,
    });
    assert.deepEqual(faultOf('{"inputs": {"a": 1,\n"a": 2}}'), {
      kind: "twice",
      name: "a",
      line: 2,
      column: 1,
    });
    assert.deepEqual(faultOf('{"inputs": {},\n"inputs": {}}'), {
      kind: "twice",
      name: "inputs",
      line: 2,
      column: 1,
    });
  });

  it("is the same after a round trip", () => {
    const text =
      '{\n  "inputs": {\n    "topic": "a",\n    "list": [\n      1,\n      "two  spaces\\n"\n    ]\n  },\n  "meta": {\n    "deep": {\n      "er": 1\n    }\n  }\n}';
    assert.equal(rewritten(text), text);
  });

  it("has the members that the form has no field for, which are sent as they are", () => {
    const text = `{"inputs": {}, "restoreFromStateId": "k0", "extra": {"priority": 1.50, "a": {"b": []}}}`;
    const { values: found } = read(text, initialValues([]), []);
    assert.deepEqual(
      [found.restoreFromStateId, found.extra],
      ["k0", '{"priority": 1.50, "a": {"b": []}}'],
    );
    const again = read(writeJsonView(found), found, []).values;
    assert.deepEqual(
      [again.restoreFromStateId, again.extra],
      [found.restoreFromStateId, found.extra],
    );
    const request = toRequest([], found);
    assert.deepEqual(kickoffBody(request), {
      ...{ priority: 1.5, a: { b: [] }, inputs: {} },
      restoreFromStateId: "k0",
    });
    const without = read('{"inputs": {}}', found, []).values;
    assert.ok(!("extra" in without) && !("restoreFromStateId" in without));
    for (const member of ["inputs", "crewWebhookUrl", "extra", "apiKey", "auth_token"]) {
      const { kind } = faultOf(`{"inputs": {}, "extra": {"${member}": "x"}}`);
      assert.equal(kind, "otherPart", member);
    }
    assert.equal(faultOf('{"inputs": {}, "extra": []}').kind, "wrongType");
  });

  it("gets the unknown members of a pasted kickoff moved to “extra”, but no secret and no input", () => {
    const pasted =
      '{"metta": {"a": 1.0}, "inputs": {"topic": "tea"}, "priority": 7,\n"meta": null}';
    const moved = movedToExtra(pasted);
    assert.equal(
      moved,
      '{\n  "inputs": {"topic": "tea"},\n  "meta": null,\n  "extra": {\n    "metta": {"a": 1.0},\n    "priority": 7\n  }\n}',
    );
    assert.deepEqual(toRequest([], read(moved, initialValues([]), []).values).extra, {
      metta: { a: 1 },
      priority: 7,
    });
    for (const text of [
      '{"topic": "tea"}',
      '{"inputs": {}, "api_token": "x"}',
      '{"inputs": {}, "extra": {}, "priority": 7}',
      '{"inputs": {}, "priority": 7',
      '{"inputs": {}}',
    ])
      assert.equal(movedToExtra(text), undefined, text);
  });
});
