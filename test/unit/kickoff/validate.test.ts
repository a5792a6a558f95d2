import assert from "node:assert/strict";
import { type FieldValue, type FormField } from "../../../src/kickoff/form/fields.ts";
import { readJson } from "../../../src/kickoff/json.ts";
import { addressFault, type FormSecrets } from "../../../src/kickoff/callbacks.ts";
import {
  type FormValues,
  initialValues,
  readForm,
  readInput,
} from "../../../src/kickoff/form/values.ts";

const isValid = (fields: readonly FormField[], values: FormValues, secrets: FormSecrets = {}) =>
  readForm(fields, values, (name) => secrets[name] === undefined).faults.size === 0;
const faultOf = (part: "meta" | "extra", text: string) =>
  readForm([], { ...initialValues([]), [part]: text }).faults.get(part);
const faultIn = (field: Omit<FormField, "name">, value: FieldValue) =>
  readInput({ name: "n", ...field }, value).fault;

describe("Checks of the kickoff form", () => {
  it("require a value for a required input and not for an optional or left-out one", () => {
    for (const mode of ["text", "json"] as const) {
      assert.equal(faultIn({ required: true }, { mode, text: "" })?.isMissing, true);
      assert.equal(faultIn({ required: false }, { mode, text: "" }), undefined);
    }
    assert.equal(faultIn({ required: true }, { mode: "omit", text: "{" }), undefined);
  });

  const faults: readonly [string, number, number][] = [
    ['{\n  "a": 1,\n  "b" 2\n}', 3, 7],
    ['{"a": 1', 1, 8],
    ["[1 2]", 1, 4],
    ["[True]", 1, 2],
    ["1 2", 1, 3],
    ['"open', 1, 1],
    ["// no\n1", 1, 1],
    ["[1,]", 1, 4],
  ];
  it("report where a text stops being JSON", () => {
    for (const [text, line, column] of faults) {
      const fault = `Line ${line}, column ${column}: This is not JSON.`;
      assert.deepEqual(readJson(text), { fault });
      assert.deepEqual(faultIn({ required: true }, { mode: "json", text }), { text: fault });
    }
  });

  it("accept only an object as meta", () => {
    for (const text of [" ", '{"a": []}']) assert.equal(faultOf("meta", text), undefined);
    for (const text of ["[]", "null", "1", '"a"'])
      assert.match(faultOf("meta", text)?.text ?? "", /^A JSON object is expected/);
    assert.match(faultOf("meta", "{")?.text ?? "", /not JSON/);
  });

  it("accept an object as the other members, without a secret and without what has its own place", () => {
    assert.equal(faultOf("extra", '{"priority": 7, "a": {"b": []}}'), undefined);
    for (const name of ["inputs", "crewWebhookUrl", "extra", "crew"])
      assert.deepEqual(faultOf("extra", `{"${name}": "x"}`), {
        text: `“${name}” does not belong here.`,
      });
    for (const name of ["apiKey", "auth_token"])
      for (const text of [`{"${name}": "x"}`, `{"a": [{"b": {"${name}": "x"}}]}`])
        assert.match(faultOf("extra", text)?.text ?? "", new RegExp(`^Remove “${name}”: `));
    assert.match(faultOf("extra", "[]")?.text ?? "", /^A JSON object is expected/);
  });

  it("accept absolute http and https addresses without credentials", () => {
    for (const address of [
      "",
      " https://a.example/x?y=1 ",
      "http://127.0.0.1:8080/",
      "HTTPS://A.b",
    ])
      assert.equal(addressFault(address), undefined, address);
    for (const address of [
      ...["a.example", "/callback", "https:", "https:a", "https:///x", "localhost:8080"],
      ...["https://a b/", "http://", "ftp://a.example/", "file://a/b"],
      ...["javascript://a/%0aalert(1)", "https://me:secret@a.example/"],
    ])
      assert.match(addressFault(address) ?? "", /^Enter a whole address/, address);
  });

  it("require a number of a number", () => {
    const check = (type: "number" | "integer", text: string) =>
      faultIn({ required: true, type }, { mode: "json", text })?.text.slice(0, 14);
    for (const text of ["12", "-0.5", " 1e3 ", "null"])
      assert.equal(check("number", text), undefined, text);
    for (const text of ["1,5", "0x10", "twelve", "1.", "--1", "NaN"])
      assert.equal(check("number", text), "Enter a number", text);
    const complaints = ["12", "-3", "1.5", "007"].map((text) => check("integer", text));
    assert.deepEqual(complaints, [undefined, undefined, "Enter a number", "Enter a number"]);
  });

  it("refuse a number that could not be sent exactly, and no other", () => {
    const exact = ["9007199254740992", "100000000000000000000", "0.1", "1e21"];
    for (const text of [...exact, '"12345678901234567890"', "3.14159265358979323846"])
      assert.ok("value" in readJson(text), text);
    const changed = ["12345678901234567890", '{"a": [1, 9007199254740993]}', "1e400", "-1e999"];
    for (const text of changed)
      assert.match(
        faultIn({ required: true }, { mode: "json", text })?.text ?? "",
        /: This number is too long/,
      );
    assert.deepEqual(readJson('{"a": 1,\n  "b": 9007199254740993}'), {
      fault:
        "Line 2, column 8: This number is too long. Put it in double quotes to send it as text.",
    });
  });

  it("require the secret of a callback that is used and authenticates, and both an address and events for streaming", () => {
    const url = "https://a.example/";
    const human = { humanInputWebhookUrl: url, strategy: "bearer" };
    const stream = { streamingUrl: url, events: "a" };
    const streaming = { ...stream, streamingStrategy: "bearer" };
    const forms: readonly (readonly [boolean, Partial<FormValues>, FormSecrets?])[] = [
      [true, { strategy: "bearer" }],
      [false, human],
      [true, human, { humanInput: "t" }],
      [false, { ...human, strategy: "basic" }, { humanInput: "t" }],
      [false, { streamingUrl: url }],
      [false, { events: "a" }],
      [true, stream],
      [false, streaming],
      [true, streaming, { streaming: "t" }],
    ];
    for (const [is, values, secrets] of forms)
      assert.equal(isValid([], { ...initialValues([]), ...values }, secrets), is);
  });
});
