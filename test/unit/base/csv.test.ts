import assert from "node:assert/strict";
import { csvOf, rowsOfCsv } from "../../../src/base/csv.ts";

describe("A CSV file of cases", () => {
  it("has rows with their lines, also with quotes, commas and line breaks in fields", () => {
    const text = '\uFEFFa, b\r\n1,"x, ""y"""\r\n\r\n"two\nlines",\n,last\nlonely';
    assert.deepEqual(rowsOfCsv(text), [
      { line: 2, values: { a: "1", b: 'x, "y"' } },
      { line: 4, values: { a: "two\nlines", b: "" } },
      { line: 6, values: { a: "", b: "last" } },
      { line: 7, values: { a: "lonely", b: "" } },
    ]);
  });

  it("has no field that a spreadsheet takes for a formula", () => {
    assert.equal(csvOf([["=1+1", "-2", "- tea", "@a"]]), "'=1+1,-2,'- tea,'@a\n");
  });

  it("may have quotes that end nowhere, and line breaks of an old Mac", () => {
    assert.deepEqual(rowsOfCsv('a,b\r5" pipe,"open\rx,"y" z'), [
      { line: 2, values: { a: '5" pipe', b: '"open' } },
      { line: 3, values: { a: "x", b: '"y" z' } },
    ]);
  });

  it("loses no text that has a comma without quotes", () => {
    assert.deepEqual(rowsOfCsv("a\ntea, black\nmint,\n"), [
      { line: 2, values: undefined },
      { line: 3, values: { a: "mint" } },
    ]);
  });
});
