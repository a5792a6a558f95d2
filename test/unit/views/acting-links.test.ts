import assert from "node:assert/strict";
import type { Execution } from "../../../src/executions/model.ts";
import { withoutCommands } from "../../../src/view/markdown.ts";
import { shownOutput } from "../../../src/view/outputs.ts";
import { renderExecution } from "../../support/rendered.ts";
import { markdownLinks } from "../../support/markdown-links.ts";
import { seededRandom } from "../../support/random.ts";
import { anExecution, aTask } from "./executions.ts";

/** Pieces that combine to links, blocks and code. */
const pieces = [
  ...["\n", "\n", "\n", "\n\n", "\r\n", "\r", "\u2028", " ", "    ", "\t"],
  ...["> ", "- ", "1. ", "# ", "---", "```", "````", "~~~", "`", "``", "\\"],
  ...["[x]", "[x]:", "![", "]", "(", ")", "<", ">", '"', "{", "}", ":"],
  ...["<!--", "-->", "<pre>", "</pre>", '<a href="', '">'],
  ...["command", "command:y", "COMMAND:y", "&#x63;ommand:y", "vscode:extension/y"],
  ...["[x](command:y)", "[x](COMMAND:y)", "[x](<command:y>)", "<command:y>", "[x]: command:y"],
  ...['<a href="command:y">', "<a href='comm&#0000000097;nd&colon;y'>"],
  "[x](vscode-insiders://y)",
];
const random = seededRandom(20_261_122);
const one = (of: readonly string[]) => of[Math.floor(random() * of.length)] ?? "";
const some = (most: number, make: () => string) =>
  Array.from({ length: 1 + Math.floor(random() * most) }, make);
const anything = () => some(10, () => one(pieces)).join("");

/** Nested code blocks, quotes and lists, with a link after them. */
const leads = ["", "", "> ", "- ", "1. ", "\t", "   ", "    "];
const blocks = () =>
  [
    ...some(5, () => one(leads) + one(leads) + one(["```", "~~~", "````", "text", "", "`"])),
    `${one(leads)}[x](command:y)`,
  ].join("\n");

/** The links that VS Code would run. */
const acting = (markdown: string) =>
  markdownLinks(markdown).filter((address) => /^(?:command|vscode[\w.+-]*):/i.test(address));

/** An execution with the same text in every place. */
function full(text: string): Execution {
  const feedback = { text, isApprove: false, at: "2026-10-21T12:00:00.000Z" };
  return anExecution({
    label: text,
    state: "failed",
    stateText: text,
    error: text,
    output: text,
    request: { inputs: { [text]: text, object: { text } }, meta: { text }, callbacks: {} },
    tasks: [
      { ...aTask(text, "failed", { output: text, feedback }, { output: `${text}.` }), agent: text },
    ],
    resumes: [
      { taskId: text, attempt: 1, feedback, outcome: "answered", answer: text, message: text },
    ],
    endedAt: "2026-10-21T12:00:01.000Z",
  });
}

describe("links that run a command or open an extension", () => {
  it("are found as VS Code finds them", () => {
    for (const text of [
      "[x](command:y)",
      "<command:y>",
      "[x]: command:y",
      "<a href='command&#0000058;y'>",
      "> ```\n\t```\n> [x](command:y)",
    ])
      assert.equal(acting(text).length, 1, text);
    for (const text of [
      "```\n[x](command:y)\n```",
      "`[x](command:y)`",
      "[x](command\\:y)",
      "[x](https://command.test)",
    ])
      assert.deepEqual(acting(text), [], text);
  });

  it("are not assumed in text about commands, VS Code or web addresses", () => {
    for (const text of [
      "run this command: npm test",
      "command:",
      "AT&#38;T &amp; &colon;",
      "VS Code: a program",
      "[x](https://vscode.dev/a&#58;b)",
      "<mailto:a@b.test>",
    ])
      assert.equal(withoutCommands(text), text);
  });

  it("are removed from feedback whose quotation VS Code reads differently", () => {
    assert.deepEqual(acting(renderExecution(full("```\n\t```\n[x](command:y)")).text), []);
  });

  it("are removed from outputs of any size, and from code, which VS Code may read as text", () => {
    const text = "```\n[Approve](command:workbench.action.openSettings?%22a%22)\n```\n";
    for (const output of [
      text,
      text.repeat(20_000),
      `${text}${"vscode.".repeat(200_000)}`,
      `${text}${"&#99;".repeat(200_000)}`,
    ])
      assert.doesNotMatch(shownOutput(output).text, /command:/);
  });

  it("are removed whatever a crew or a person writes (1,500 random texts, each in every place)", () => {
    for (let round = 0; round < 1_500; round++) {
      const text = round % 2 === 0 ? blocks() : anything();
      assert.deepEqual(acting(renderExecution(full(text)).text), [], JSON.stringify(text));
      const { extension, text: shown } = shownOutput(text);
      if (extension === "md") assert.deepEqual(acting(shown), [], JSON.stringify(text));
    }
  });
});
