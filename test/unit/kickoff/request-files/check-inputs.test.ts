import assert from "node:assert/strict";
import type { InputField } from "../../../../src/api/types.ts";
import {
  checkRequestFile,
  readRequestFile,
} from "../../../../src/kickoff/request-files/request-file.ts";
import { crew } from "../support.ts";

/** The faults of inputs, each with the text that it marks. */
function faults(inputs: string, fields: readonly InputField[]) {
  const text = `{"crew": "T"${inputs}}`;
  return checkRequestFile(readRequestFile(text), crew, { fields }).map(
    ({ kind, at }) => `${kind} at ${text.slice(at.start, at.end)}`,
  );
}

describe("Inputs of a request file", () => {
  it("are missing if they are required, which is marked at the member “inputs”", () => {
    const fields: InputField[] = [
      { name: "city" },
      { name: "days", required: false },
      { name: "who", required: true },
    ];
    assert.deepEqual(faults(', "inputs": {}', fields), ['input at "inputs"', 'input at "inputs"']);
    assert.deepEqual(faults("", [{ name: "city" }]), ['input at {"crew": "T"}'], "or not given");
  });

  for (const [type, right, wrong] of [
    ["string", '"x"', "7"],
    ["number", "1.5", '"1.5"'],
    ["integer", "2", "2.5"],
    ["boolean", "false", "0"],
    ["object", "{}", "[]"],
    ["array", "[]", "{}"],
  ] as const)
    it(`have the type that the crew describes: ${type}`, () => {
      const given = (value: string) => faults(`, "inputs": {"a": ${value}}`, [{ name: "a", type }]);
      assert.deepEqual(given(right), []);
      for (const value of [wrong, "null"]) assert.deepEqual(given(value), ['input at "a"']);
    });

  it("are one of the values that the crew lists", () => {
    const given = (value: string) =>
      faults(`, "inputs": {"size": ${value}}`, [{ name: "size", enum: ["s", "m", 7] }]);
    assert.deepEqual(given("7"), []);
    assert.deepEqual(given('"7"'), ['input at "size"']);
  });

  it("are reported as unlisted if the crew doesn't list them", () => {
    assert.deepEqual(faults(', "inputs": {"city": "Oslo", "__proto__": 1}', [{ name: "city" }]), [
      'unlisted at "__proto__"',
    ]);
  });
});
