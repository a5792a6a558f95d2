import assert from "node:assert/strict";
import { Linter } from "eslint";
import { normaliseAddress } from "../../src/api/address.ts";
import { readErrorBody } from "../../src/api/problems.ts";
import { timeOf } from "../../src/api/read-events.ts";
import { readStatus } from "../../src/api/read-status.ts";
import { secretsIn, withoutSecrets } from "../../src/api/transport.ts";
import { fileName } from "../../src/base/files.ts";
import { parseJson, readable, laidOut } from "../../src/base/json.ts";
import { oneLine, shortened, visible, withoutEndSlashes } from "../../src/base/text.ts";
import { readFlowRequest } from "../../src/callbacks/flow-webhooks.ts";
import { readPasted } from "../../src/callbacks/payload.ts";
import { readLink } from "../../src/actions/link.ts";
import { isSameOutput } from "../../src/executions/tasks.ts";
import { inputNames } from "../../src/projects/types.ts";
import { headingsOf, outputLines, withLines } from "../../src/view/embed.ts";
import * as markdown from "../../src/view/markdown.ts";
import { shownOutput } from "../../src/view/outputs.ts";
import { linearPatterns, slowPart } from "../../scripts/slow-pattern.ts";

/** All pass with 1,000,000, too, but take 50 s, which each run of the suite would pay: quadratic time shows here. */
const length = 100_000;
/** Milliseconds of the processor that linear functions don't need for such a text; one of quadratic time needs many seconds. */
const most = 4_000;

const shapes: readonly (readonly [start: string, repeated: string, end?: string])[] = [
  ["a", "\n", "b"],
  ["", "a\n", ""],
  ["", " ", "x"],
  ["", "`a``b```"],
  ["", "[", "x"],
  ["", "![a](", "x"],
  ["", "> ", "x"],
  ["", "- ", "x"],
  ["", "<a ", ">"],
  ["", "<div>\n\n"],
  ["", "# a\n"],
  ["", "*a_"],
  ["", "a\n===\n"],
  ["", "|a", "\n|---\n"],
  ["", "&#x3a;<"],
  ["{", '"a":[', "]"],
  ["[", '{"a":1},', "1]"],
  ["", '\\"'],
  ["", "{'a': "],
  ["", "/inputs"],
  ["", "\\<b>"],
  ["https://a.test", "/status/a", "/"],
];

const ignoringErrors = (read: (text: string) => unknown) => (text: string) => {
  try {
    return read(text);
  } catch {
    return undefined;
  }
};

const functions: Readonly<Record<string, (text: string) => unknown>> = {
  fileName,
  headingsOf,
  inputNames: (text) => inputNames([text]),
  isSameOutput: (text) => isSameOutput(text, `${text} `),
  laidOut: (text) => laidOut(JSON.stringify({ text })),
  normaliseAddress: ignoringErrors(normaliseAddress),
  oneLine: (text) => oneLine(text),
  outputLines: (text) => outputLines(text, 3),
  parseJson,
  readErrorBody: (text) => readErrorBody(text),
  readFlowRequest,
  readLink(text) {
    const link = new URLSearchParams({ name: text, url: "https://crew.test" });
    try {
      readLink("/add", link.toString());
    } catch (error) {
      assert.match(String(error), /not followed/);
    }
  },
  readPasted: (text) => readPasted(text, 0),
  readStatus: (text) => readStatus({ state: text, error: text, result: text }),
  readable: (text) => readable([text]),
  secretsIn: (text) => secretsIn({ url: text }),
  shownOutput: (text) => shownOutput(text).text,
  shortened: (text) => shortened(text, 1_000),
  timeOf,
  visible,
  withLines,
  withoutEndSlashes,
  withoutSecrets: (text) => withoutSecrets(text, "token", ["secret"]),
  ...markdown,
  mostCharacters: String,
  fencedLines: (text) => markdown.fencedLines(text, "text"),
  quotedLines: (text) => markdown.quotedLines(text.split("\n")),
};

describe("Remote text", () => {
  for (const [name, read] of Object.entries(functions))
    it(`takes ${name} linear time, whatever it is`, () => {
      for (const [start, repeated, end = ""] of shapes) {
        const text = start + repeated.repeat(length / repeated.length) + end;
        const began = process.cpuUsage();
        read(text);
        const { user, system } = process.cpuUsage(began);
        const took = (user + system) / 1_000;
        assert.ok(took < most, `${took} ms for ${JSON.stringify(repeated)}`);
      }
    });

  it("meets no pattern that a lint rule finds slow", () => {
    const slow = [/\s+$/, /(?:\n[ \t]*)+$/, /\/+$/, /("(?:[^"\\]|\\.)*")|x/, /^Basic\s+(.*:.*)$/i];
    for (const { source, flags } of slow)
      assert.notEqual(slowPart(source, flags), undefined, source);
    const quick = [/(?<!\s)\s+$/, /^\s+/, /("(?:[^"\\]|\\.)*"?)|x/, /(?<![a-z])[a-z]+@/, /a|b/];
    for (const { source, flags } of quick) assert.equal(slowPart(source, flags), undefined, source);
  });

  it("meets no pattern that is made while it runs", () => {
    const linter = new Linter();
    const plugins = { own: { rules: { linear: linearPatterns } } };
    const problems = (code: string) =>
      linter.verify(code, { plugins, rules: { "own/linear": "error" } }).length;
    const made = ["new RegExp(text)", "RegExp(text)", 'RegExp("a+$")', "new RegExp(own.pattern)"];
    for (const code of [...made, "text.match(/a+$/)"]) assert.equal(problems(code), 1, code);
    for (const code of ["new RegExp(schema.name.pattern)", "text.match(/^a+/)"])
      assert.equal(problems(code), 0, code);
  });
});
