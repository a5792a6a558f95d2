import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import {
  readRequestFile,
  requestFileMembers,
} from "../../src/kickoff/request-files/request-file.ts";
import { projectFolder } from "../support/folders.ts";

const read = (...names: string[]) => readFileSync(path.join(projectFolder, ...names), "utf8");

describe("the documented example of the API", () => {
  it("is the code that the host test runs, apart from the path of the types", () => {
    const blocks = [...read("docs/commands-and-api.md").matchAll(/^```ts\n([^]*?)^```$/gm)].map(
      ([, text]) => text,
    );
    const example = read("test", "host", "api-example.ts").replace(
      '"../../src/actions/crewdeck-api.ts"',
      '"./crewdeck-api"',
    );
    assert.ok(blocks.includes(example));
  });

  it("needs one file of types, which needs nothing else", () => {
    const imports = [
      ...read("src", "actions", "crewdeck-api.ts").matchAll(/\bfrom "([^"]+)"/g),
    ].map(([, name]) => name);
    assert.deepEqual(imports, ["vscode"]);
  });
});

describe("the documentation", () => {
  it("shows a valid request file", () => {
    const examples = [...read("docs/request-files.md").matchAll(/^ *```jsonc\n([^]*?)^ *```$/gm)]
      .map(([, text = ""]) => text)
      .filter((text) => text.includes('"inputs"'));
    assert.equal(examples.length, 1);
    assert.deepEqual(readRequestFile(examples.join("")).faults, []);
  });

  it("explains twenty messages, in the words of the code", () => {
    const messages = [...read("docs/troubleshooting.md").matchAll(/^### (.+)$/gm)].map(
      ([, message = ""]) => message,
    );
    assert.equal(messages.length, 20);
    const code = globSync("src/**/*.{ts,tsx,py}", { cwd: projectFolder }).map((file) => read(file));
    const unknown = messages.filter((message) => {
      const words = message.split("…").map((part) => part.replace(/\W/g, "\\$&"));
      const pattern = new RegExp(words.join("\\$?\\{[^}]+\\}"));
      return !code.some((text) => pattern.test(text));
    });
    assert.deepEqual(unknown, []);
  });

  it("names all members of a request file", () => {
    const listed = [...read("docs/request-files.md").matchAll(/^\| (`\w+`[^|]*) \|/gm)].flatMap(
      ([, names = ""]) => names.replaceAll("`", "").split(", "),
    );
    const known = requestFileMembers.filter((name) => name !== "$schema");
    assert.deepEqual(listed.sort(), known.sort());
  });

  it("lists the ways through the code, each through at most 16 files, to the page 14, which exist", () => {
    const ways = [
      ...read("CONTRIBUTING.md").matchAll(/^\|[^|]+\|([^|]+)\| (`[a-z/]+\/`: .*) \|$/gm),
    ].map(([, to = "", files = ""]) => ({
      parts: files.split("; "),
      most: to.trim() === "the page" ? 14 : 16,
    }));
    assert.equal(ways.length, 6);
    for (const { parts, most } of ways) {
      const files = parts.flatMap((part) => {
        const [folder = "", ...names] = [...part.matchAll(/`([^`]+)`/g)].map(
          ([, name = ""]) => name,
        );
        return names.map((name) => path.join(projectFolder, "src", folder, name));
      });
      assert.ok(files.length <= most, `${files.length} files`);
      const missing = files.filter((file) => !existsSync(file));
      assert.deepEqual(missing, []);
    }
  });

  it("has no link or picture that leads nowhere", () => {
    const pages = [
      "README.md",
      "CONTRIBUTING.md",
      ...globSync("docs/*.md", { cwd: projectFolder }),
    ];
    const dead = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)]
        .map(([, file = ""]) => path.join(projectFolder, path.dirname(page), file))
        .filter((file) => !existsSync(file)),
    );
    assert.deepEqual(dead, []);
  });

  it("names in keybindings only context keys that are set, as the manifest does", () => {
    const named = ["package.json", "docs/commands-and-api.md"]
      .flatMap((file) => [...read(file).matchAll(/"when": "(.*)"/g)])
      .flatMap(([, when = ""]) => when.match(/(?<!== |config\.)\bcrewdeck\.\w+/g) ?? []);
    assert.ok(named.includes("crewdeck.hasWaiting") && named.length > 5, named.join());
    const keys = read("src", "editor", "manifest.ts");
    const unknown = named.filter((key) => !keys.includes(`"${key}"`));
    assert.deepEqual(unknown, []);
  });

  it("lists the existing settings", () => {
    const { contributes } = JSON.parse(read("package.json")) as {
      contributes: { configuration: { properties: object } };
    };
    const listed = [...read("docs/settings.md").matchAll(/^\| (`crewdeck\.[^|]+) \|/gm)].flatMap(
      ([, names = ""]) => names.split(", "),
    );
    assert.deepEqual(
      listed.sort(),
      Object.keys(contributes.configuration.properties)
        .map((name) => `\`${name}\``)
        .sort(),
    );
  });
});
