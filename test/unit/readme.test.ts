import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { projectFolder } from "../support/folders.ts";

const read = (...names: string[]) => readFileSync(path.join(projectFolder, ...names), "utf8");

describe("the README's example of the API", () => {
  it("is what the host test runs, word for word but for where the types are", () => {
    const blocks = [...read("README.md").matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, text]) => text);
    const example = read("test", "host", "api-example.ts").replace('"../../src/views/crewdeck-api.ts"', '"./crewdeck-api"');
    assert.ok(blocks.includes(example));
  });

  it("needs one file of types, which needs nothing else", () => {
    const imports = [...read("src", "views", "crewdeck-api.ts").matchAll(/\bfrom "([^"]+)"/g)].map(([, name]) => name);
    assert.deepEqual(imports, ["vscode"]);
  });
});
