import assert from "node:assert/strict";
import { cellsOf, checkThatTheyExist, citationsIn, linesOf } from "./citations.ts";

const sections = [
  "Crews and tokens",
  "Kicking off",
  "Watching",
  "Callbacks",
  "Feedback",
  "Flows",
  "The page",
  "Two executions side by side",
  "Around it",
  "For a team",
  "What shows that it is done",
];

describe("the table from what the extension does to its tests", () => {
  let lines: readonly string[];
  let rows: readonly { says: string; shownBy: string }[];
  before(() => {
    lines = linesOf("product.md");
    rows = lines
      .filter(
        (line) =>
          line.startsWith("|") && line !== "| sentence | shown by |" && !/^\|[-|]+\|$/.test(line),
      )
      .map((line) => {
        const [says = "", shownBy = ""] = cellsOf(line, 2);
        return { says, shownBy };
      });
  });

  it("has its sections in order, and no sentence twice", () => {
    assert.deepEqual(
      lines.filter((line) => line.startsWith("## ")).map((line) => line.slice(3)),
      sections,
    );
    assert.equal(new Set(rows.map(({ says }) => says)).size, rows.length, "two rows say the same");
    assert.ok(rows.every(({ says }) => says.length >= 10));
  });

  it("names only tests that exist and are not skipped", () => {
    checkThatTheyExist(rows.flatMap(({ shownBy }) => citationsIn(shownBy)));
  });
});
