import assert from "node:assert/strict";
import { dialogOf, documentOf, type Question } from "../../../src/actions/question.ts";
import { pieceOf, shortened, visible } from "../../../src/base/text.ts";

const question = (...parts: Question["parts"]): Question => ({
  title: "Kick off Travel?",
  parts,
  allow: "Kick Off",
});

describe("The question before anything is sent", () => {
  it("shows characters that would hide text or change its direction", () => {
    const text = visible("a\u202eb\u{e0041}c\u200bd\u0007\n\te");
    assert.equal(text, "a\\u{202e}b\\u{e0041}c\\u{200b}d\\u{7}\n\te");
    const hidden = question("To T\u202eravel.", { heading: "Words:", text: "yes\u200b" });
    assert.equal(dialogOf(hidden).text, "To Travel.\n\nWords:\nyes\\u{200b}");
  });

  it("shows how much of a long text is not shown", () => {
    const long = question({ heading: "Words:", text: "x".repeat(12_000) });
    assert.match(dialogOf(long).text, /x{600} … \(11400 more characters, not shown\)$/);
    assert.equal(shortened("short", 10), "short");
  });

  it("fits a dialog into the window, and knows whether it is complete", () => {
    const text = (content: string) => ({ heading: "Text:", text: content });
    assert.equal(dialogOf(question("To Travel.", text("line\n".repeat(14)))).isWhole, true);
    for (const left of [
      [text("x".repeat(601))],
      [text("\n".repeat(100))],
      ["x".repeat(501)],
      [{ list: ["x".repeat(501)] }],
      [{ heading: "x".repeat(501), text: "" }],
      Array.from({ length: 13 }, () => text("x")),
    ]) {
      const { text: shown, isWhole } = dialogOf(question(...left));
      assert.equal(isWhole, false);
      assert.match(shown, /more (characters|parts), not shown\)/);
      assert.ok(shown.length < 1_000 && shown.split("\n").length < 40, shown);
    }
  });

  it("shows up to 15 lines of a list in a dialog, and all of it in a document", () => {
    const list = Array.from({ length: 17 }, (_, index) => `*${index + 1}*\nof Travel`);
    const lines = list.map((line) => line.replace("\n", " "));
    const first = dialogOf(question({ list: list.slice(0, 15) }));
    assert.deepEqual(first, { text: lines.slice(0, 15).join("\n"), isWhole: true });
    const { text, isWhole } = dialogOf(question({ list }));
    assert.deepEqual(text.split("\n"), [...lines.slice(0, 15), "and 2 more"]);
    assert.equal(isWhole, false);
    assert.ok(documentOf(question({ list })).endsWith(`\n\n${lines.join("\n")}\n`));
  });

  it("shows everything in a document in which no remote text looks like Crewdeck's", () => {
    const long = "x".repeat(200_000);
    const parts = [
      { heading: "Input “a\u200bb”:", text: `${long}\n\nInput “b”:\nno` },
      ...Array.from({ length: 20 }, (_, index) => ({ heading: `${index}:`, text: "y" })),
    ];
    const document = documentOf(question("To Travel.", ...parts));
    assert.ok(
      document.startsWith(
        `Kick off Travel?\n\nTo Travel.\n\nInput “a\\u{200b}b”:\n    ${long}\n    \n    Input “b”:\n    no\n\n0:\n    y\n`,
      ),
    );
    assert.ok(document.endsWith("\n\n19:\n    y\n"));
  });

  it("splits no character, and loses none between two pieces", () => {
    const text = "ab😀cd";
    const first = pieceOf(text, 0, 3);
    assert.deepEqual(first, { text: "ab😀", next: 4 });
    assert.deepEqual(pieceOf(text, first.next, 3), { text: "cd" });
    assert.deepEqual(pieceOf(text, 99, 3), { text: "" });
  });
});
