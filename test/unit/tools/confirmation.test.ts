import assert from "node:assert/strict";
import { markdownOf, plainOf, type Confirmation } from "../../../src/tools/confirmation.ts";
import { pieceOf, shortened, visible } from "../../../src/tools/shorten.ts";

const confirmation = (...parts: Confirmation["parts"]): Confirmation => ({ title: "Kick off Travel?", parts, allow: "Kick Off" });

describe("What a person reads before a tool sends anything", () => {
  it("shows the text of others word for word, which no fence, link or mark in it can leave", () => {
    const text = "```\n[Run](command:evil) <b>x</b>\n````\nend";
    const markdown = markdownOf(confirmation("To Travel (travel.test).", { heading: "Words:", text }));
    assert.equal(markdown, `To Travel (travel.test).\n\nWords:\n\n\`\`\`\`\`text\n${text}\n\`\`\`\`\``);
  });

  it("takes names of others for names, not for Markdown", () => {
    const markdown = markdownOf(confirmation("Task “[go](command:x) `a` <img src=x>” of\n\n# Travel"));
    assert.equal(markdown, "Task “\\[go\\](command\\:x) \\`a\\` \\<img src=x>” of # Travel");
  });

  it("shows what would hide or turn text around", () => {
    assert.equal(visible("a\u202eb\u{e0041}c\u200bd\u0007\n\te"), "a\\u{202e}b\\u{e0041}c\\u{200b}d\\u{7}\n\te");
    const hidden = confirmation("To T\u202eravel.", { heading: "Words:", text: "yes\u200b" });
    for (const shown of [markdownOf(hidden), plainOf(hidden)]) {
      assert.ok(shown.includes("To Travel."));
      assert.ok(shown.includes("yes\\u{200b}"));
    }
  });

  it("says how much of a long text is not shown, more of it in the chat than in a dialog", () => {
    const long = confirmation({ heading: "Words:", text: "x".repeat(12_000) });
    assert.match(markdownOf(long), /x{10000} … \(2000 more characters, not shown\)/);
    assert.match(plainOf(long), /x{600} … \(11400 more characters, not shown\)$/);
    assert.equal(shortened("short", 10), "short");
  });

  it("cuts no character in two, and loses none between two pieces", () => {
    const text = "ab😀cd";
    const first = pieceOf(text, 0, 3);
    assert.deepEqual(first, { text: "ab😀", next: 4 });
    assert.deepEqual(pieceOf(text, first.next, 3), { text: "cd" });
    assert.deepEqual(pieceOf(text, 99, 3), { text: "" });
  });
});
