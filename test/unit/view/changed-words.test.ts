import assert from "node:assert/strict";
import { changedWords } from "../../../src/view/changed-words.ts";

const marks = { ins: "+", del: "-", span: "" };
const shown = (before: string, after: string) =>
  changedWords(before, after)?.map(({ tag, text }) => `${marks[tag]}${text}`);

describe("The words that changed between two attempts", () => {
  it("are shown where they are, each with some of its line that stay", () => {
    const rest = `It says where the tea is served, when, ${"and so on, ".repeat(5)}and to which guests.`;
    const text = (length: string, end: string) =>
      `# Tea for the newcomers\n\nA briefing of ${length}. ${rest} ${end}`;
    assert.deepEqual(shown(text("three pages", "Milk?"), text("one page", "Sugar?")), [
      " … A briefing of ",
      "-three pages",
      "+one page",
      ". It says where the tea is served, when, … so on, and so on, and to which guests. ",
      "-Milk",
      "+Sugar",
      "?",
    ]);
  });

  it("are none if only spaces and line breaks differ, and too many for a text that is written anew", () => {
    assert.equal(shown("One tea.\n", "One  tea.\n\n")?.length, 1);
    const words = (stem: string) => Array.from({ length: 60 }, (_, at) => `${stem}${at}`).join(" ");
    assert.equal(shown(words("one"), words("other")), undefined);
  });
});
