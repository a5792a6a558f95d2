import assert from "node:assert/strict";
import { fileName } from "../../../src/base/files.ts";

describe("a file's name", () => {
  it("is none that a file system refuses, such as that of a device of Windows", () => {
    assert.deepEqual(
      [
        "a/b: 50 %?",
        " two  words. ",
        "...",
        "x".repeat(99),
        "con",
        "COM1.log",
        "console",
        "com10",
      ].map(fileName),
      ["a_b_ 50 _", "two words", "_", "x".repeat(60), "_con", "_COM1.log", "console", "com10"],
    );
  });
});
