import assert from "node:assert/strict";
import MarkdownIt from "markdown-it";
import { rehearsalMark } from "../../../src/service/engine.ts";
import { outputLines } from "../../../src/view/embed.ts";
import { shownOutput } from "../../../src/view/outputs.ts";
import { assemble } from "../../../src/view/text.ts";
import { seededRandom } from "../../support/random.ts";

const parser = new MarkdownIt({ html: true });

/** Parses a section with an output: its headings as "level text", and its raw HTML. */
function read(output: string) {
  const tokens = parser.parse(
    ["## Before", "", ...outputLines(output, 4), "", "## After"].join("\n"),
    {},
  );
  const headings = tokens.flatMap((token, at) =>
    token.type === "heading_open" ? [`${token.tag.slice(1)} ${tokens[at + 1]?.content ?? ""}`] : [],
  );
  const html = tokens
    .flatMap((token) => [token, ...(token.children ?? [])])
    .filter(({ type, content }) => type.startsWith("html") && !/^<br ?\/?>$/.test(content));
  return {
    headings: headings.slice(1, -1),
    first: headings[0],
    last: headings.at(-1),
    html: html.map((token) => token.content),
    tokens,
  };
}

describe("an output in an execution's document", () => {
  for (const [whose, text, headings] of [
    ["", "# Report\n\n## Part\n\ntext\n\n#### Deep", ["4 Report", "5 Part", "6 Deep"]],
    [
      "quoted or listed ",
      "> # Quoted\n\n- # Item\n\n  ## Inside\n",
      ["4 Quoted", "4 Item", "5 Inside"],
    ],
  ] as const)
    it(`has its ${whose}headings below the section's heading`, () =>
      assert.deepEqual(read(text).headings, headings));

  it("has no heading because of a rule that follows a text at once", () => {
    assert.deepEqual(outputLines("Part\n---\ntext\n\n> Under\n> ==", 4), [
      ...["Part", "", "text", "", "> Under", ">"],
    ]);
  });

  it("keeps number signs in code, and rules, tags and text that only look like headings", () => {
    for (const text of [
      "```sh\n# comment\n```",
      "~~~\n# comment\n~~~",
      "text\n\n    # comment\n    more",
      "- item\n---\ntext",
      "#hashtag\n\n---\n\n***",
      "a | b\n--- | ---\n1 | 2",
      "#1 is the best",
    ])
      assert.deepEqual(outputLines(text, 4), text.split("\n"));
  });

  it("can't change the structure of what comes after it", () => {
    for (const text of [
      ...["```\nno end", "~~~~\n```\n~~~", "> ```\n> quoted", "- ```\n  in a list"],
      ...["<!-- never closed", "<details>\n<summary>x", "<script>\nlet a;", "<pre>\n"],
    ]) {
      const found = read(text);
      assert.deepEqual([found.first, found.last, found.html], ["2 Before", "2 After", []], text);
    }
  });

  it("is a code block if it has HTML; addresses, line breaks and code are none", () => {
    const html = "# A\n\n<b>x</b>";
    assert.deepEqual(outputLines(html, 4), ["```markdown", ...html.split("\n"), "```"]);
    const text = "<https://a.test/b> and a<br>b \\<i> 1 < 2\n\n`List<string>`";
    assert.deepEqual(outputLines(text, 4), text.split("\n"));
  });

  it("has no HTML in places where a line alone doesn't show what is code", () => {
    for (const text of [
      "a ` b\n<img src=x> ` c <b>",
      "<br>\n<img src=x>",
      "| a | <img src=x> |\n|---|---|\n| \\<b> | \\\\<b> |",
      "~~~\n| a |\n|---|\n| <b> |\n~~~\n<b>",
      "> ~~~\n<img src=x>",
      "[a]: x\n<img src=x>\n[<b>]: <i> (<u>)",
      "Title <b\nclass=x>\n===\n<!-- a\n\n--> <?php ?> <![CDATA[<b>]]>",
      `${">".repeat(150)} <img src=x>`,
      `${"<div>\n\n".repeat(300)}\\\\<b>`,
    ])
      assert.deepEqual(read(text).html, [], text);
    const table = "| Type | Text |\n|---|---|\n| `List<string>` | a<br>b |";
    assert.deepEqual(outputLines(table, 4), table.split("\n"));
  });

  it("reads the same after a link that runs a command was disabled", () => {
    assert.equal(
      new MarkdownIt().renderInline(
        assemble([{ id: "output", lines: outputLines("the command:x", 4) }]).text.trim(),
      ),
      "the command:x",
    );
  });

  it("has JSON in a code block that no text inside can close", () => {
    assert.deepEqual(outputLines('{"code":"```js```"}', 4), [
      "````json",
      "{",
      '  "code": "```js```"',
      "}",
      "````",
    ]);
  });

  it("keeps the line breaks of a rehearsal output, which isn't Markdown", () => {
    const output = `${rehearsalMark}\n\nAgent: Editor\nTask: One\ntwo\nFeedback:\n- review, attempt 1, rejected: Shorter.\n  And funnier.`;
    const html = parser.render(outputLines(output, 4).join("\n"));
    assert.match(
      html,
      /Agent: Editor<br>\s*Task: One<br>\s*two<br>\s*Feedback:<\/p>\s*<ul>\s*<li>review, attempt 1, rejected: Shorter\.<br>\s*And funnier\.<\/li>/,
    );
    assert.match(shownOutput(output).text, /Agent: Editor {2}\nTask: One {2}\n/);
    assert.deepEqual(outputLines("Prose that\nis wrapped.", 4), ["Prose that", "is wrapped."]);
  });

  it("replaces line endings and characters that VS Code warns about", () => {
    assert.deepEqual(outputLines("a\r\nb\u2028c\0d", 4), ["a", "b", "c\uFFFDd"]);
  });

  it("keeps the document's structure, whatever it contains (4,000 random outputs)", () => {
    const pieces = [
      ...["", "", "text", "more text", "  continued", "    deep", "\ttabbed"],
      ...["# A", "## B ##", "###### F", "#", "   # three", "    # ten", "  # two", "     # five"],
      ...["===", "---", "  ===", "* * *", "> quote", "> # q", ">> ## qq", "> ---"],
      ...["- item", "1. one", "   in one", "- # x", "- - ## nest", "10) ten", "-", "*", "+ plus"],
      ...["```", "````js", "~~~", "  ```", "- ```", "> ```", "`code", "\\`"],
      ...["<div>", "<!--", "</pre>", "<br>", "a <br> `b", "<img src=x> ` c", "`` <b> ` <i>"],
      ...["a | b", "| <b> | `x|<i>` |", "|---|---|"],
      ...["\\\\<b> \\<b> ![<b>](<i>)", "[<b>]: <i>", "<a\thref='`'>"],
    ];
    const random = seededRandom(20_261);
    for (let round = 0; round < 4000; round++) {
      const output = Array.from(
        { length: 1 + Math.floor(random() * 9) },
        () => pieces[Math.floor(random() * pieces.length)],
      ).join("\n");
      const found = read(output);
      const shown = JSON.stringify(output);
      assert.equal(found.last, "2 After", shown);
      assert.ok(!found.headings.some((heading) => Number(heading[0]) < 4), shown);
      assert.deepEqual(found.html, [], shown);
    }
  });
});
