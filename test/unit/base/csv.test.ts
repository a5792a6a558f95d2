import assert from "node:assert/strict";
import { rowsOfCsv } from "../../../src/base/csv.ts";

describe("A CSV file of cases", () => {
  it("has rows with their lines, also with quotes, commas and line breaks in fields", () => {
    const text = '\uFEFFa,b\r\n1,"x, ""y"""\r\n\r\n"two\nlines",\n,last';
    assert.deepEqual(rowsOfCsv(text), [
      { line: 1, fields: ["a", "b"] },
      { line: 2, fields: ["1", 'x, "y"'] },
      { line: 4, fields: ["two\nlines", ""] },
      { line: 6, fields: ["", "last"] },
    ]);
  });

  it("may have quotes that end nowhere", () => {
    assert.deepEqual(
      rowsOfCsv('5" pipe,"open\nx,"y" z').map(({ fields }) => fields),
      [
        ['5" pipe', '"open'],
        ["x", '"y" z'],
      ],
    );
  });
});
