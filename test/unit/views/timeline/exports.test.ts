import assert from "node:assert/strict";
import { timelineMarkdown, timelinePicture } from "../../../../src/views/timeline/exports.ts";
import { contentOf } from "./contents.ts";

const prices = [{ pattern: "*", input: 1, output: 1 }];

describe("a timeline as Markdown", () => {
  const content = contentOf("varied", prices);

  it("is a table with the tree as indentation, and a list of what took no time", () => {
    const lines = timelineMarkdown(content).split("\n");
    assert.deepEqual(lines.slice(0, 9), [
      "## Timeline of tea in the office",
      "",
      "Writers · Failed",
      "",
      "| Name | Start | Time | Tokens | Est. cost | State |",
      "|---|---:|---:|---:|---:|---|",
      "| **Writers** | 0 s | 3 min 5 s | 18,002 | $0.018 | Failed |",
      "| &emsp;Before it began | 0 s | 1 s |  |  | Completed |",
      "| &emsp;research | 1 s | 20 s | 7,502 | $0.0075 | Completed |",
    ]);
    assert.equal(lines.filter((line) => line.startsWith("| ")).length, content.spans.length + 1);
    const list = [
      "- 5.1 s · agent logs execution: Senior Researcher – I should search first, \\<i\\>then\\</i\\> read.",
      "- 16 s · memory query error – No memory here.",
    ];
    assert.deepEqual(lines.slice(-5), ["Events:", "", ...list, ""]);
  });

  it("has remote text without effect", () => {
    const [crew] = content.spans;
    assert.ok(crew !== undefined);
    const name = "a|b\n<img src=x> [link](http://x) `code` &amp;";
    const text = timelineMarkdown({ ...content, spans: [{ ...crew, name }] });
    assert.ok(
      text.includes("**a\\|b \\<img src=x\\> \\[link\\](http://x) \\`code\\` \\&amp;**"),
      text,
    );
  });
});

describe("a timeline as a picture", () => {
  const content = contentOf("varied", prices);
  const svg = timelinePicture(content);

  it("needs nothing else: no script, no link, no font", () => {
    assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    assert.doesNotMatch(svg, /<script|href|url\((?!#)|@import|foreignObject|\son\w+=/i);
    assert.match(svg, /prefers-color-scheme: dark/);
  });

  it("has a bar for each row, hatched for a wait, and marks what failed by more than colour", () => {
    const bars = [...svg.matchAll(/<rect [^>]*class="(\w+)"><title>/g)].map(([, kind]) => kind);
    assert.equal(bars.length, content.spans.length);
    assert.equal(bars.filter((kind) => kind === "wait").length, 2);
    assert.match(svg, /\.wait \{ fill: url\(#hatch\)/);
    assert.match(svg, />✕ read_page</);
    assert.equal([...svg.matchAll(/class="break"/g)].length, 2, "shortened waits");
  });

  it("has the estimated cost, and what took no time in the row of what it is part of", () => {
    assert.match(svg, />\$0\.0075</);
    const marks = [...svg.matchAll(/class="(mark[^"]*)"><title>([^<]*)</g)].map((match) =>
      match.slice(1),
    );
    assert.deepEqual(marks, [
      ["mark", "agent logs execution: Senior Researcher"],
      ["mark failed", "memory query error"],
    ]);
  });

  it("says what is not in it: rows after the first 500, and events that are too many", () => {
    const noted = timelinePicture({ ...contentOf("long"), note: "Not shown: 3 older events." });
    assert.match(noted, />9511 more rows are not in this picture\.</);
    assert.match(noted, />Not shown: 3 older events\.</);
    assert.doesNotMatch(svg, /not in this picture/);
  });

  it("escapes remote text", () => {
    const [crew] = content.spans;
    assert.ok(crew !== undefined);
    const name = '</text><script>"&\u0000';
    const attacked = timelinePicture({ ...content, spans: [{ ...crew, name }] });
    assert.ok(attacked.includes("&lt;/text&gt;&lt;script&gt;&quot;&amp;\ufffd"));
    assert.doesNotMatch(attacked, /<script/);
  });
});
