import assert from "node:assert/strict";
import { outputContent } from "../../../src/view/markdown.ts";
import { shownOutput } from "../../../src/view/outputs.ts";

describe("an output as a document of its own", () => {
  const linesOf = (output: string) => shownOutput(output).text.split("\n");

  it("has the same lines for the same text in two attempts, even if the later one continues", () => {
    const rehearsed =
      "[REHEARSAL - no language model was called]\n\nAttempt: 1\nEarlier outputs: 0";
    for (const [before, after] of [
      [rehearsed, `${rehearsed}\nFeedback:\n- shorter`],
      ["One.\nTwo.  ", "One.\nTwo.  \nThree."],
      ["One.\nTwo.\n\n \n", "One.\nTwo.\n\nThree."],
    ] as const) {
      const later = linesOf(after);
      const changed = linesOf(before).filter((line) => line !== "" && !later.includes(line));
      assert.deepEqual(changed, []);
    }
  });

  it("ends with one empty line, however the output ends", () => {
    for (const output of ["One.", "One.\n\n \n"]) assert.deepEqual(linesOf(output), ["One.", ""]);
  });

  it("is unchanged Markdown, whatever it contains", () => {
    const output = "# Report\n\n<b>x</b> {not json}\n```json\n{}\n```\nafter\n";
    assert.deepEqual(outputContent(output), { extension: "md", text: output });
    assert.equal(shownOutput(output).text, output);
  });

  it("is formatted JSON if it is an object or a list", () => {
    assert.deepEqual(outputContent('{"a":[1]}'), {
      extension: "json",
      text: '{\n  "a": [\n    1\n  ]\n}\n',
    });
    assert.equal(outputContent(" [1] ").extension, "json");
    assert.equal(outputContent("12").extension, "md");
    assert.equal(outputContent("{not json}").extension, "md");
  });

  it("keeps every value as it was written when JSON is formatted", () => {
    const big =
      '{"id": 12345678901234567890,"id":1.0e5, "\\u00fc\\"{[,:": [ ], "o": {"e":{}, "a": [true,[null]]}}';
    assert.equal(
      outputContent(big).text,
      '{\n  "id": 12345678901234567890,\n  "id": 1.0e5,\n  "\\u00fc\\"{[,:": [],\n  "o": {\n    "e": {},\n    "a": [\n      true,\n      [\n        null\n      ]\n    ]\n  }\n}\n',
    );
    const value = { a: [1, [], {}, { b: 'x y\n"{}' }], c: { d: null, "": [[["deep"]]] } };
    const formatted = outputContent(JSON.stringify(value)).text;
    assert.equal(formatted, `${JSON.stringify(value, undefined, 2)}\n`);
  });

  it("is unwrapped if it is only a code block with JSON", () => {
    for (const output of [
      '```json\n{"a":1}\n```',
      '\n```\n{"a":1}\n```\n',
      '~~~~JSON\r\n{"a":1}\n~~~~',
      '```json\n{"a":1}\n  ```',
    ]) {
      const content = outputContent(output);
      assert.deepEqual(content, { extension: "json", text: '{\n  "a": 1\n}\n' }, output);
    }
    for (const output of [
      'Here: ```json\n{"a":1}\n```',
      '```json\n{"a":1}\n```\nThat is all.',
      '```python\n{"a":1}\n```',
      "```json\nno\n```",
      '```json\n{"a":1}',
    ]) {
      assert.deepEqual(outputContent(output), { extension: "md", text: output });
    }
  });

  it("has no link that runs a command, and no line ending that VS Code warns about", () => {
    const text = shownOutput("[a](command:x.y)\r\nb\u2028c\0").text;
    assert.equal(text, "[a](command\\:x.y)\nb\nc\uFFFD\n");
  });
});
