import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { projectFolder } from "../support/folders.ts";
import { collectStrings, stringsOf } from "../../scripts/build/l10n-bundle.ts";
import ts from "typescript";

describe("the strings for translators", () => {
  it("are those given to l10n.t and vscode.l10n.t, once each, with their comments", () => {
    const text =
      'a(l10n.t("One {0}", n)); b(vscode.l10n.t(`Two`)); c(l10n.t({ message: "Three", comment: ["why"] })); d(other.t("no"));';
    assert.deepEqual(stringsOf("a.ts", text), [
      ["One {0}", "One {0}"],
      ["Two", "Two"],
      ["Three/why", { message: "Three", comment: ["why"] }],
    ]);
  });

  it("must be literals", () => {
    assert.throws(() => stringsOf("a.ts", "\nl10n.t(text);"), { message: /^a\.ts:2: / });
    assert.throws(() => stringsOf("a.ts", "l10n.t(`${n} tasks`);"), /a\.ts:1: /);
  });

  it("are found in every room with UI text", () => {
    const strings = collectStrings(path.join(projectFolder, "src"));
    for (const text of [
      "Waiting for you",
      "Kick Off",
      "The connection to {0} failed ({1}).",
      "The file is missing or empty.",
      "It ended during startup ({0}).",
    ])
      assert.equal(strings[text], text);
  });
});

describe("the manifest's strings", () => {
  const manifest = readFileSync(path.join(projectFolder, "package.json"), "utf8");
  const strings = JSON.parse(
    readFileSync(path.join(projectFolder, "package.nls.json"), "utf8"),
  ) as Record<string, string>;

  it("are in package.nls.json, exactly those that are named", () => {
    const named = [...manifest.matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key ?? "");
    assert.deepEqual([...new Set(named)].sort(), Object.keys(strings).sort());
  });

  it("include all UI text in package.json", () => {
    const { contributes } = JSON.parse(manifest) as { contributes: unknown };
    const written = JSON.stringify(contributes).match(
      /"(title|description|markdownDescription|contents|name|label)":"(?!%|crewdeck_)[^"]*"/g,
    );
    // The product's name and the tool names for models are the same in every language.
    assert.deepEqual(written, ['"title":"Crewdeck"']);
  });
});

describe("A crew's name", () => {
  /** Rows, tab titles and buttons, in which the name is not part of a sentence. */
  const labels = ["Crew {0}, {1}", "Crew: {0}", "- Crew: {0}", "{0} with {1}"];
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
