import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rm, symlink } from "node:fs/promises";
import path from "node:path";
import { findProjects } from "../../../src/projects/find.ts";
import { inspectProject } from "../../../src/projects/inspect.ts";
import { readText } from "../../../src/projects/files.ts";
import { readProject } from "../../../src/projects/read.ts";
import { classic, folderWith, removeFolders } from "./folder.ts";

const python = "@CrewBase\nclass Poem:\n    @task\n    def draft(self): ...\n";
const declared = { "crew.jsonc": '{"agents": ["a"], "tasks": []}', "agents/a.jsonc": "{}" };
const toml = { "pyproject.toml": '[tool.crewai]\ntype = "flow"\n', "main.py": "" };

/** Reads all that is read of a folder, whatever it is. Resolves to the time of the processor (ms). */
async function readAll(folder: string): Promise<number> {
  const began = process.cpuUsage();
  await findProjects(folder);
  await readProject(folder).catch(() => undefined);
  await inspectProject(folder);
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

/** A quarter of what is read at most, in characters: what takes a moment here doesn't take long there. */
const size = 250_000;
const seconds = (count: number) => count * 1000;

describe("a project whose file never ends, or is made to take long,", () => {
  afterEach(removeFolders);

  for (const [kind, make] of [
    ["a link to a device", (file: string) => symlink("/dev/zero", file)],
    ["a pipe", (file: string) => Promise.resolve(execFileSync("mkfifo", [file]))],
  ] as const)
    it(`is read as far as regular files go: ${kind}`, async () => {
      for (const files of [{ ...classic, "crew.py": python }, declared, toml])
        for (const file of Object.keys(files)) {
          const folder = await folderWith(files);
          await rm(path.join(folder, file));
          await make(path.join(folder, file));
          const before = process.memoryUsage().rss;
          assert.ok((await readAll(folder)) < seconds(5), file);
          assert.ok(process.memoryUsage().rss - before < 100_000_000, file);
          await assert.rejects(readText(folder, file), /This is a folder, a device or a pipe/);
        }
    });

  const many = (part: string) => part.repeat(Math.floor(size / part.length));
  const numbered = (part: (index: number) => string) => {
    let text = "";
    for (let index = 0; text.length < size; index += 1) text += part(index);
    return text;
  };
  for (const [what, file, text] of [
    ["decorators", "crew.py", many("@CrewBase\n")],
    ["decorated methods", "crew.py", `@CrewBase\nclass A:\n${many("    @task\n")}`],
    ["classes", "crew.py", many("@CrewBase\nclass A:\n    x = 1\n")],
    ["quotes", "crew.py", many('"\\')],
    ["indentation", "crew.py", `@CrewBase\nclass A:\n${many(" ")}`],
    ["keys", "config/tasks.yaml", numbered((index) => `k${index}:\n`)],
    ["the same key", "config/tasks.yaml", many("k:\n")],
    ["tasks", "config/tasks.yaml", numbered((index) => `k${index}: {description: a}\n`)],
    ["braces", "config/tasks.yaml", `a:\n  description: '${many("{a")}'\n`],
    [
      "odd inputs",
      "config/tasks.yaml",
      `a:\n  description: "${numbered((index) => `{ ${index}}`)}"\n`,
    ],
    ["flow mappings", "config/tasks.yaml", `{${numbered((index) => `k${index}, `)}}`],
    ["lines that continue others", "config/tasks.yaml", many("a\n")],
    ["anchors", "config/tasks.yaml", numbered((index) => `k${index}: &a${index} {}\n`)],
  ] as const)
    it(`takes a moment with much of ${what}`, async () => {
      const took = await readAll(await folderWith({ ...classic, "crew.py": python, [file]: text }));
      assert.ok(took < seconds(10), `${Math.round(took)} ms`);
    }).timeout(60_000);
});
