import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import {
  readRequestFile,
  requestFileMembers,
} from "../../src/kickoff/request-files/request-file.ts";
import {
  readMigrateOptions,
  readOptions,
  readRelayOptions,
  readTestOptions,
  readTokenOptions,
} from "../../src/service/options.ts";
import { parseConfig } from "../../src/service/server/config.ts";
import { projectFolder } from "../support/folders.ts";
import { markdownTargets } from "../support/markdown-links.ts";

const read = (...names: string[]) => readFileSync(path.join(projectFolder, ...names), "utf8");
const { contributes, scripts } = JSON.parse(read("package.json")) as {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly configuration: { readonly properties: object };
  };
  readonly scripts: object;
};
const commands = contributes.commands.map(({ command }) => command);
const settings = Object.keys(contributes.configuration.properties);
const pages = globSync("{README,CONTRIBUTING,SECURITY,AGENTS,docs/*}.md", { cwd: projectFolder });

const blocksIn = (page: string, language: string) =>
  [...read(page).matchAll(/^ *```(\w+)\n([^]*?)^ *```$/gm)].flatMap(([, name, text = ""]) =>
    name === language ? [text] : [],
  );
/** In the first column of a page's tables. */
const namesListedIn = (page: string) =>
  [...read(page).matchAll(/^\| (`[^|]+) \|/gm)]
    .flatMap(([, names = ""]) => names.replaceAll("`", "").split(", "))
    .sort();

describe("the documented example of the API", () => {
  it("is the code that the host test runs, apart from the path of the types", () => {
    const example = read("test", "host", "api-example.ts").replace(
      '"../../src/actions/crewdeck-api.ts"',
      '"./crewdeck-api"',
    );
    assert.ok(blocksIn("docs/commands-and-api.md", "ts").includes(example));
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
    const [example = ""] = blocksIn("docs/request-files.md", "jsonc");
    assert.deepEqual(readRequestFile(example).faults, []);
  });

  it("shows commands of the service with options that it takes, and a configuration that it reads", () => {
    const readers = {
      serve: readOptions,
      test: readTestOptions,
      token: readTokenOptions,
      migrate: readMigrateOptions,
      relay: readRelayOptions,
    };
    const served = [...pages, "src/service/README.md"];
    const blocks = served.flatMap((page) => blocksIn(page, "sh"));
    const documented = blocks.flatMap((text) => {
      const variables = [...text.matchAll(/\b(CREWDECK_\w+)=(\S+)/g)];
      const env = Object.fromEntries(
        variables.map(([, name = "", value]) => [name, value] as const),
      );
      const pattern = /^ *(?:docker compose run --rm api|crewdeck) (?!-)(\w+)([^#\n]*)/gm;
      return [...text.matchAll(pattern)].map(([, name = "", options = ""]) => ({
        name,
        options,
        env,
      }));
    });
    assert.ok(documented.length > 12, String(documented.length));
    for (const { name, options, env } of documented) {
      assert.ok(name in readers, name);
      readers[name as keyof typeof readers](options.trim().split(/\s+/).filter(Boolean), env);
    }
    const [configuration = ""] = served
      .flatMap((page) => blocksIn(page, "jsonc"))
      .filter((text) => text.includes('"crews":'));
    parseConfig("crewdeck.server.jsonc", configuration);
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

  it("tells the first release in at most 20 points, and names commands that exist in place of removed ones", () => {
    const changelog = read("CHANGELOG.md");
    assert.ok([...changelog.matchAll(/^- /gm)].length <= 20);
    const rows = [...changelog.matchAll(/^\| (`crewdeck\..+) \| (.+) \|$/gm)];
    const [removed = [], others = []] = [1, 2].map((column) =>
      rows.flatMap((row) => row[column]?.match(/crewdeck\.\w+/g) ?? []),
    );
    assert.equal(removed.length, 34);
    const existing = (names: readonly string[]) => names.filter((name) => commands.includes(name));
    assert.deepEqual(existing(removed), []);
    assert.deepEqual(existing(others), others);
  });

  it("lists the members of a request file and the settings", () => {
    const members = requestFileMembers.filter((name) => name !== "$schema");
    assert.deepEqual(namesListedIn("docs/request-files.md"), members.sort());
    assert.deepEqual(namesListedIn("docs/settings.md"), settings.toSorted());
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

  it("has no link, anchor or picture that leads nowhere", () => {
    const anchorsIn = (page: string) =>
      [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
          .replaceAll(" ", "-"),
      );
    const dead = pages.flatMap((page) =>
      markdownTargets(read(page)).filter((target) => {
        const [file = "", anchor] = target.split("#");
        const there = file === "" ? page : path.join(path.dirname(page), file);
        if (/^https?:/.test(target)) return false;
        if (!existsSync(path.join(projectFolder, there))) return true;
        return anchor !== undefined && !anchorsIn(there).includes(anchor);
      }),
    );
    assert.deepEqual(dead, []);
  });

  it("names only npm scripts that exist, and workflows run nothing else", () => {
    const files = globSync(".github/**/*.yml", { cwd: projectFolder }).map((file) => read(file));
    for (const file of files) parse(file);
    const commands = files.flatMap((file) => [...file.matchAll(/ run: (?!\$)(.+)/g)]);
    assert.ok(commands.length > 4);
    for (const [, command = ""] of commands) assert.match(command, /^npm (ci|test|run)\b[^;&|]*$/);
    const named = [...files, ...pages.map((page) => read(page))].flatMap((text) =>
      [...text.matchAll(/\bnpm run (?:--silent )?([a-z][\w:]*)/g)].map(([, name = ""]) => name),
    );
    const unknown = named.filter((name) => !(name in scripts));
    assert.deepEqual(unknown, []);
  });

  it("names only context keys, commands and settings that exist, as the manifest's conditions do", () => {
    const named = [
      ...[...read("package.json").matchAll(/"when": "(.*)"/g)].flatMap(
        ([, when = ""]) => when.match(/(?<!== |config\.)\bcrewdeck\.\w+/g) ?? [],
      ),
      ...pages.flatMap((page) =>
        [...read(page).matchAll(/[`"](crewdeck\.[\w.]*\w)/g)].map(([, name = ""]) => name),
      ),
    ].filter((name) => !/\.(?:crewdeck|db|server\.jsonc|secret_check|sqlite)$/.test(name));
    assert.ok(named.includes("crewdeck.hasWaiting") && named.length > 25, named.join());
    const keys = read("src", "editor", "manifest.ts");
    const known = [...commands, ...settings];
    const unknown = named.filter((name) => !known.includes(name) && !keys.includes(`"${name}"`));
    assert.deepEqual(unknown, []);
    const strings = read("package.nls.json");
    const titles = pages.flatMap((page) => read(page).match(/(?<=`Crewdeck: )[^`]+/g) ?? []);
    const untrue = titles.filter((title) => !strings.includes(`: "${title}"`));
    assert.deepEqual(untrue, []);
  });
});
