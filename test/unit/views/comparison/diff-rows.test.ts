import assert from "node:assert/strict";
import { type DiffRow, diffRows, type Piece } from "../../../../src/views/comparison/diff-rows.ts";

const marked = (pieces: readonly Piece[]) =>
  pieces.map(({ text, isMarked }) => (isMarked ? `[${text}]` : text)).join("");
const shown = (rows: readonly DiffRow[] | undefined) =>
  rows?.map((row) =>
    row.kind === "same" ? row.lines.join("/") : `${marked(row.left)} | ${marked(row.right)}`,
  );

describe("The difference of two outputs", () => {
  it("is lines that are the same, and words that differ beside each other", () => {
    assert.deepEqual(
      shown(diffRows("# Tea\nOne page for all.\nEnd.", "# Tea\nTwo pages for all.\nEnd.\n")),
      ["# Tea", "[One page] for all. | [Two pages] for all.", "End."],
    );
  });

  it("marks the whole where little is the same, and what has no counterpart", () => {
    assert.deepEqual(shown(diffRows("Never longer than five.", "Other words at last.")), [
      "[Never longer than five.] | [Other words at last.]",
    ]);
    assert.deepEqual(shown(diffRows("a\nb", "a")), ["a", "[b] | "]);
    assert.deepEqual(shown(diffRows("a", "a\nb")), ["a", " | [b]"]);
  });

  it("ignores ends of lines", () => {
    assert.deepEqual(shown(diffRows("a\r\nb\r\n", "a\nb")), ["a/b"]);
  });

  it("takes at most a second for large outputs that have nothing in common", () => {
    const text = (word: string) =>
      Array.from({ length: 20_000 }, (_, at) => `${word} ${at * 7}`).join("\n");
    const began = process.cpuUsage();
    assert.equal(diffRows(text("one"), text("other")), undefined);
    const { user, system } = process.cpuUsage(began);
    console.log(`      ${((user + system) / 1000).toFixed(0)} ms of the processor`);
    assert.ok(user + system < 20_000_000);
  });
});
