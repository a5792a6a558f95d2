import assert from "node:assert/strict";
import { cellsOf, checkThatTheyExist, citationsIn, linesOf } from "./citations.ts";

/** How many sentences and table rows each section of the specification has; section 0 is its introduction. */
const rowsOfSections = [2, 12, 11, 5, 33, 7, 8, 9, 4, 1];
/** The rows that no test can show. */
const nothingToShow = ["6.2"];

interface Row {
  readonly number: string;
  readonly says: string;
  readonly shownBy: string;
}

describe("the table from the specification to its tests", () => {
  let rows: readonly Row[];
  before(() => {
    rows = linesOf("specification.md")
      .filter((line) => /^\| \d/.test(line))
      .map((line) => {
        const [number = "", says = "", shownBy = ""] = cellsOf(line, 3);
        return { number, says, shownBy };
      });
  });

  it("has every sentence of every section, in order", () => {
    const expected = rowsOfSections.flatMap((count, section) =>
      Array.from({ length: count }, (_, index) => `${section}.${index + 1}`),
    );
    assert.deepEqual(
      rows.map(({ number }) => number),
      expected,
    );
    assert.equal(new Set(rows.map(({ says }) => says)).size, rows.length, "two rows say the same");
    assert.ok(rows.every(({ says }) => says.length >= 10));
  });

  it("names a test for each row, or says why there is none", () => {
    for (const { number, shownBy } of rows) {
      if (nothingToShow.includes(number)) assert.match(shownBy, /^Nothing to show: .{20,}/, number);
      else assert.ok(citationsIn(shownBy).length > 0, number);
    }
  });

  it("names only tests that exist and are not skipped", () => {
    checkThatTheyExist(
      rows
        .filter(({ number }) => !nothingToShow.includes(number))
        .flatMap(({ shownBy }) => citationsIn(shownBy)),
    );
  });
});
