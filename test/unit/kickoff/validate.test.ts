import assert from "node:assert/strict";
import { formFields } from "../../../src/kickoff/fields.ts";
import { readJson } from "../../../src/kickoff/json.ts";
import { checkAddress, checkInput, checkMeta, isValid } from "../../../src/kickoff/validate.ts";
import { initialValues } from "../../../src/kickoff/values.ts";

describe("Checks of the kickoff form", () => {
  it("want a value for a required input and not for an optional or left-out one", () => {
    for (const mode of ["text", "json"] as const) {
      assert.deepEqual(checkInput({ required: true }, { mode, text: "" }), { kind: "missing" });
      assert.equal(checkInput({ required: false }, { mode, text: "" }), undefined);
    }
    assert.equal(checkInput({ required: true }, { mode: "omit", text: "{" }), undefined);
    assert.equal(checkInput({ required: true }, { mode: "text", text: "{" }), undefined);
  });

  const faults: readonly [string, number, number, string][] = [
    ['{\n  "a": 1,\n  "b" 2\n}', 3, 7, "colon"],
    ['{"a": }', 1, 7, "value"],
    ['{"a": 1', 1, 8, "closeBrace"],
    ["[1 2]", 1, 4, "comma"],
    ["[1", 1, 3, "closeBracket"],
    ["{a: 1}", 1, 2, "quotes"],
    ["[True]", 1, 2, "quotes"],
    ["{1: 2}", 1, 2, "propertyName"],
    ["1 2", 1, 3, "nothing"],
    ['"open', 1, 1, "endOfString"],
    ["// no\n1", 1, 1, "other"],
    ["[1,]", 1, 4, "value"],
  ];
  for (const [text, line, column, expected] of faults) {
    it(`tell where ${JSON.stringify(text)} stops being JSON`, () => {
      assert.deepEqual(readJson(text), { fault: { line, column, expected } });
      assert.deepEqual(checkInput({ required: true }, { mode: "json", text }), { kind: "notJson", at: { line, column, expected } });
    });
  }

  it("take an object as meta, and nothing else", () => {
    assert.equal(checkMeta(" "), undefined);
    assert.equal(checkMeta('{"a": []}'), undefined);
    for (const text of ["[]", "null", "1", '"a"']) assert.deepEqual(checkMeta(text), { kind: "notAnObject" });
    assert.equal(checkMeta("{")?.kind, "notJson");
  });

  it("take absolute http and https addresses without credentials", () => {
    for (const text of ["", " https://a.example/x?y=1 ", "http://127.0.0.1:8080/", "HTTPS://A.example"]) assert.equal(checkAddress(text), undefined, text);
    for (const text of ["a.example", "/callback", "https:", "https:a", "https:///x", "localhost:8080", "https://a b/", "http://"]) {
      assert.deepEqual(checkAddress(text), { kind: "notAnAddress" }, text);
    }
    for (const text of ["ftp://a.example/", "file://a/b", "javascript://a/%0aalert(1)"]) assert.deepEqual(checkAddress(text), { kind: "notHttp" }, text);
    assert.deepEqual(checkAddress("https://me:secret@a.example/"), { kind: "credentials" });
  });

  it("hold for the form as a whole", () => {
    const fields = formFields({ fields: [{ name: "a", required: false }], raw: undefined });
    const fine = initialValues(fields);
    assert.equal(isValid(fields, fine), true);
    assert.equal(isValid(fields, { ...fine, meta: "[]" }), false);
    assert.equal(isValid(fields, { ...fine, callbacks: { ...fine.callbacks, stepWebhookUrl: "x" } }), false);
    assert.equal(isValid(fields, { ...fine, inputs: [{ name: "a", mode: "json", text: "{" }] }), false);
    assert.equal(isValid(formFields({ fields: [{ name: "b" }], raw: undefined }), fine), false, "a required input without a value");
  });
});
