import assert from "node:assert/strict";
import { extentOf, waitsOf } from "../../../../src/views/timeline/axis.ts";
import { lookAt } from "../../../../src/views/timeline/messages.ts";
import { timelineMarkdown, timelinePicture } from "../../../../src/views/timeline/exports.ts";
import { contentOf } from "./contents.ts";

const all = lookAt("", undefined);

describe("a timeline as Markdown", () => {
  const content = contentOf("varied");

  it("is a table with the tree as indentation", () => {
    const lines = timelineMarkdown(content, all).split("\n");
    assert.deepEqual(lines.slice(0, 9), [
      "## Timeline of tea in the office",
      "",
      "Writers · Failed",
      "",
      "| Name | Start | Time | Tokens | State |",
      "|---|---:|---:|---:|---|",
      "| **Writers** | 0 s | 3 min 5 s | 18,002 | failed |",
      "| &emsp;Queued | 0 s | 1 s |  | completed |",
      "| &emsp;research | 1 s | 20 s | 7,502 | completed |",
    ]);
    assert.equal(lines.filter((line) => line.startsWith("| ")).length, content.spans.length + 1);
  });

  it("has the estimated cost, if there are prices", () => {
    const priced = contentOf("varied", [{ pattern: "*", input: 1, output: 1 }]);
    const lines = timelineMarkdown(priced, all).split("\n");
    assert.deepEqual(lines.slice(4, 7), [
      "| Name | Start | Time | Tokens | Est. cost | State |",
      "|---|---:|---:|---:|---:|---|",
      "| **Writers** | 0 s | 3 min 5 s | 18,002 | $0.018 | failed |",
    ]);
  });

  it("lists below it what took no time, by time", () => {
    const lines = timelineMarkdown(content, all).split("\n");
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
    const text = timelineMarkdown({ ...content, spans: [{ ...crew, name }] }, all);
    assert.ok(
      text.includes("**a\\|b \\<img src=x\\> \\[link\\](http://x) \\`code\\` \\&amp;**"),
      text,
    );
  });
});

describe("a timeline as a picture", () => {
  const content = contentOf("varied");
  const picture = (spans = content.spans, look: Partial<typeof all> = {}) =>
    timelinePicture({ ...content, spans }, { ...all, isWhole: false, ...look });

  it("needs nothing else: no script, no link, no font", () => {
    const svg = picture();
    assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    assert.doesNotMatch(svg, /<script|href|url\((?!#)|@import|foreignObject|\son\w+=/i);
    assert.match(svg, /prefers-color-scheme: dark/);
  });

  it("has a bar for each row, hatched for a wait, and marks what failed by more than colour", () => {
    const svg = picture();
    const bars = [...svg.matchAll(/<rect [^>]*class="(\w+)"><title>/g)].map(([, kind]) => kind);
    assert.equal(bars.length, content.spans.length);
    assert.equal(bars.filter((kind) => kind === "wait").length, 2);
    assert.match(svg, /\.wait \{ fill: url\(#hatch\)/);
    assert.match(svg, />✕ read_page</);
  });

  it("has the estimated cost, and what took no time in the row of what it is part of", () => {
    const { spans } = contentOf("varied", [{ pattern: "*", input: 1, output: 1 }]);
    const svg = picture(spans);
    assert.match(svg, />Est\. cost</);
    assert.match(svg, />\$0\.0075</);
    const marks = [...svg.matchAll(/class="(mark[^"]*)"><title>([^<]*)</g)].map((match) =>
      match.slice(1),
    );
    assert.deepEqual(marks, [
      ["mark", "agent logs execution: Senior Researcher"],
      ["mark failed", "memory query error"],
    ]);
    assert.doesNotMatch(picture(), /Est\. cost/);
  });

  it("says what is not in it: rows after the first 500, and events that are too many", () => {
    const noted = { ...contentOf("long"), note: "Not shown: 3 older events." };
    const svg = timelinePicture(noted, { ...all, isWhole: true });
    assert.match(svg, />9511 more rows are not in this picture\.</);
    assert.match(svg, />Not shown: 3 older events\.</);
    assert.doesNotMatch(picture(content.spans, { isWhole: true }), /not in this picture/);
  });

  it("shows what is zoomed to, and marks shortened waits", () => {
    const all = [content.spans];
    assert.equal(waitsOf(all, extentOf(all, content.now)).length, 2);
    const marks = (svg: string) => [...svg.matchAll(/>⋯</g)].length;
    assert.equal(marks(picture()), 2);
    assert.equal(marks(picture(content.spans, { isWhole: true })), 0);
    const heights = (text: RegExp) => [...picture().matchAll(text)].map(([, y]) => Number(y));
    const [time = 0] = heights(/y="(\d+)"[^>]*>0 s</g);
    for (const mark of heights(/y="(\d+)"[^>]*>⋯</g))
      assert.ok(mark >= time + 10, "below the times");
    const near = picture(content.spans, { isWhole: true, zoom: { from: 0, to: 10_000 } });
    assert.match(near, />8 s</);
    assert.doesNotMatch(near, />20 s<\/text><line/);
  });

  it("escapes remote text", () => {
    const [crew] = content.spans;
    assert.ok(crew !== undefined);
    const svg = picture([{ ...crew, name: '</text><script>"&\u0000' }]);
    assert.ok(svg.includes("&lt;/text&gt;&lt;script&gt;&quot;&amp;\ufffd"));
    assert.doesNotMatch(svg, /<script/);
  });
});
