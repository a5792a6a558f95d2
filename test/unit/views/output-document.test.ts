import assert from "node:assert/strict";
import { renderOutput } from "../../../src/view/outputs.ts";

describe("The document of an output", () => {
  const linesOf = (output: string) => renderOutput(output).text.split("\n");

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
    assert.deepEqual(
      [linesOf("One."), linesOf("One.\n\n \n")],
      [
        ["One.", ""],
        ["One.", ""],
      ],
    );
  });
});
