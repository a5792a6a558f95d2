import assert from "node:assert/strict";
import type { InputField } from "../../../../src/api/types.ts";
import { checkRequestFile } from "../../../../src/kickoff/request-files/checks.ts";
import { readRequestFile } from "../../../../src/kickoff/request-files/request-file.ts";
import { crew } from "../support.ts";

/** The faults of inputs, each with the text that it marks. */
function faults(inputs: string, fields: readonly InputField[]) {
  const text = `{"crew": "T", "inputs": ${inputs}}`;
  return checkRequestFile(readRequestFile(text), crew, { fields }).map(({ kind, name, at }) => ({
    ...{ kind, name },
    where: text.slice(at.start, at.end),
  }));
}

describe("Inputs of a request file", () => {
  it("are missing if they are required, which is marked at the member “inputs”", () => {
    const fields: InputField[] = [
      { name: "city" },
      { name: "days", required: false },
      { name: "who", required: true },
    ];
    assert.deepEqual(faults("{}", fields), [
      { kind: "missingInput", name: "city", where: '"inputs"' },
      { kind: "missingInput", name: "who", where: '"inputs"' },
    ]);
  });

  it("are also missing if the file has no inputs at all", () => {
    assert.deepEqual(
      checkRequestFile(readRequestFile('{"crew": "T"}'), crew, { fields: [{ name: "city" }] }).map(
        ({ kind }) => kind,
      ),
      ["missingInput"],
    );
  });

  for (const [type, right, wrong] of [
    ["string", '"x"', "7"],
    ["number", "1.5", '"1.5"'],
    ["integer", "2", "2.5"],
    ["boolean", "false", "0"],
    ["object", "{}", "[]"],
    ["array", "[]", "{}"],
  ] as const) {
    it(`have the type that the crew describes: ${type}`, () => {
      assert.deepEqual(faults(`{"a": ${right}}`, [{ name: "a", type }]), []);
      assert.deepEqual(faults(`{"a": ${wrong}}`, [{ name: "a", type }]), [
        { kind: "wrongInput", name: "a", where: wrong },
      ]);
      assert.deepEqual(
        faults('{"a": null}', [{ name: "a", type }]).map(({ kind }) => kind),
        ["wrongInput"],
      );
    });
  }

  it("are one of the values that the crew lists", () => {
    const fields: InputField[] = [{ name: "size", enum: ["s", "m", 7] }];
    assert.deepEqual(faults('{"size": 7}', fields), []);
    assert.deepEqual(faults('{"size": "7"}', fields), [
      { kind: "wrongInput", name: "size", where: '"7"' },
    ]);
  });

  it("are reported as unlisted if the crew doesn't list them", () => {
    assert.deepEqual(faults('{"city": "Oslo", "__proto__": 1}', [{ name: "city" }]), [
      { kind: "unlistedInput", name: "__proto__", where: '"__proto__"' },
    ]);
  });
});
