import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { projectFolder } from "../support/folders.ts";

/** Rows, tab titles and buttons, in which the name is not part of a sentence. */
const labels = ["Crew {0}, {1}", "Crew: {0}", "- Crew: {0}"];

describe("A crew's name", () => {
  it("is in quotation marks in every sentence of the UI", () => {
    const found = globSync("src/**/*.{ts,tsx}", { cwd: projectFolder }).flatMap((file) =>
      named(file),
    );
    assert.ok(found.length > 30, String(found.length));
    assert.deepEqual(
      found.filter(({ text, at }) => !labels.includes(text) && !text.includes(`“{${at}}”`)),
      [],
    );
  });
});

/** UI strings with a crew's name, and the index of that argument. */
function named(file: string): { text: string; at: number }[] {
  const found: { text: string; at: number }[] = [];
  const visit = (node: ts.Node): void => {
    const [first, ...values] =
      ts.isCallExpression(node) && /\bl10n\.t$/.test(node.expression.getText())
        ? node.arguments
        : [];
    if (first !== undefined && ts.isStringLiteralLike(first)) {
      values.forEach((value, at) => {
        if (
          /^(?:inlineText\()?(?:(?:\w+\.)*(?:crew|current|known|twin)\.name|crew|crewName)\)?$/.test(
            value.getText(),
          )
        )
          found.push({ text: first.text, at });
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(
    ts.createSourceFile(
      file,
      readFileSync(path.join(projectFolder, file), "utf8"),
      ts.ScriptTarget.Latest,
      true,
    ),
  );
  return found;
}
