import assert from "node:assert/strict";
import { packageProblems } from "../../scripts/build/package-problems.ts";

const repository = "https://github.com/example/crewdeck";
const problemsOf = (name: string, text: string) =>
  packageProblems(new Map([[`extension/${name}`, text]]), repository);

describe("the check of a package before it is published", () => {
  it("finds what looks like a key, and code that nobody can read", () => {
    for (const [what, text] of [
      ["a private key", "-----BEGIN EC PRIVATE KEY-----"],
      ["a key of AWS", `AKIA${"A1".repeat(8)}`],
      ["a token of GitHub", `ghp_${"a1".repeat(18)}`],
      ["a token of npm", `npm_${"a1".repeat(18)}`],
      ["a token of Slack", `xoxb-${"1".repeat(12)}`],
      ["a key of Google", `AIza${"Ab-_9".repeat(7)}`],
      ["a key of a model's provider", `sk-proj-${"a1".repeat(12)}`],
      ["a JSON Web Token", `eyJ${"a".repeat(20)}.eyJ${"b".repeat(20)}.c`],
      ["an address with a password", "https://me:secret@example.com"],
      ["encoded text", "QR08ALkA".repeat(40)],
    ])
      assert.deepEqual(problemsOf("dist/extension.js", `const it = "${text}";`), [
        `extension/dist/extension.js: it has what looks like ${what}.`,
      ]);
  });

  it("finds files of other kinds, and links of the pages that lead nowhere", () => {
    assert.match(
      problemsOf("dist/run.exe", "").join(),
      /^extension\/dist\/run\.exe: .* don't ship/,
    );
    const page = (target: string) => problemsOf("readme.md", `[a page](${target})`);
    for (const target of [
      "#top",
      "https://code.visualstudio.com",
      `${repository}/blob/HEAD/README.md#top`,
    ])
      assert.deepEqual(page(target), []);
    for (const target of [
      "docs/server.md",
      "http://example.com",
      `${repository}/blob/HEAD/docs/none.md`,
    ])
      assert.deepEqual(page(target), [`extension/readme.md: ${target} leads nowhere.`]);
  });
});
