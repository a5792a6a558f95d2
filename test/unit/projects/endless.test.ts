import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rm, symlink } from "node:fs/promises";
import path from "node:path";
import { findProjects } from "../../../src/projects/find.ts";
import { inspectProject } from "../../../src/projects/inspect.ts";
import { readText } from "../../../src/projects/reading.ts";
import { readProject } from "../../../src/projects/read.ts";
import { classic, folderWith } from "./folder.ts";

const python = "@CrewBase\nclass Poem:\n    @task\n    def draft(self): ...\n";
const declared = { "crew.jsonc": '{"agents": ["a"], "tasks": []}', "agents/a.jsonc": "{}" };
const toml = { "pyproject.toml": '[tool.crewai]\ntype = "flow"\n', "main.py": "" };
const flow = "class A(Flow[S0]):\n    @start()\n    def go(self): ...\n";

/** Reads all that is read of a folder, whatever it is. Resolves to the time of the processor (ms). */
async function readAll(folder: string): Promise<number> {
  const began = process.cpuUsage();
  await findProjects(folder);
  await readProject(folder).catch(() => undefined);
  await inspectProject(folder);
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

/** What is read at most, in characters. */
const size = 130_000;
const seconds = (count: number) => count * 1000;

describe("a project whose file never ends, or is made to take long,", () => {
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
          await assert.rejects(readText(folder, file), /can't be read: .+ is not a regular file/);
        }
    });

  const many = (part: string) => part.repeat(Math.floor(size / part.length));
  const numbered = (part: (index: number) => string, most = size * 0.95) => {
    let text = "";
    for (let index = 0; text.length < most; index += 1) text += part(index);
    return text;
  };
  /** Each a level deeper, and then as many empty lines, which belong to all of them. */
  const nested = (part: (index: number) => readonly string[], before = "") => {
    let text = before;
    for (let depth = 0; text.length < size / 2; depth += 1)
      for (const line of part(depth)) text += `\n${" ".repeat(depth + 1)}${line}`;
    return text + "\n".repeat(size / 2);
  };
  for (const [what, file, text] of [
    ["decorators", "crew.py", many("@CrewBase\n")],
    ["classes in classes", "crew.py", nested((index) => ["@CrewBase", `class A${index}:`])],
    [
      "methods in methods",
      "crew.py",
      nested(() => ["@task", "def a(self):"], "@CrewBase\nclass A:"),
    ],
    ["quotes", "crew.py", many('"\\')],
    ["indentation", "crew.py", `@CrewBase\nclass A:\n${many(" ")}`],
    ["flows in flows", "main.py", nested((index) => [`class A${index}(Flow):`])],
    [
      "models that inherit",
      "main.py",
      flow + numbered((index) => `class S${index}(S${index + 1}):\n    f${index}: int\n`),
    ],
    ["models in models", "main.py", flow + nested((index) => [`class S${index}(S${index + 1}):`])],
    ["the same key", "config/tasks.yaml", numbered(() => "k:\n")],
    ["tasks", "config/tasks.yaml", numbered((index) => `k${index}: {description: a}\n`)],
    ["braces", "config/tasks.yaml", `a:\n  description: '${many("{a")}'\n`],
    ["flow mappings", "config/tasks.yaml", `{${numbered((index) => `k${index}, `)}}`],
    ["lines that continue others", "config/tasks.yaml", numbered(() => "a\n")],
    [
      "aliases",
      "config/tasks.yaml",
      `{${numbered((index) => `k: &a${index} 1, l: *a${index}, `)}}`,
    ],
    [
      "aliases of aliases",
      "config/tasks.yaml",
      `a0: &a0 {x: 1}\n${numbered((index) => `a${index + 1}: &a${index + 1} {<<: [*a${index}, *a${index}], b: *a${index}, c: *a${index}}\n`, 2_000)}t: {tools: *a40}\n`,
    ],
    [
      "a mapping merged often",
      "config/tasks.yaml",
      `a: &a {${numbered((index) => `x${index},`, size / 2)}}\nb: {<<: [${many("*a,").slice(0, size / 3)}]}\n`,
    ],
    [
      "merged mappings",
      "config/tasks.yaml",
      `a0: &a0 {${numbered((index) => `x${index}: 1, `, size / 2)}}\n${numbered((index) => `a${index + 1}: &a${index + 1} {<<: *a${index}, k${index}: 1}\n`, size / 3)}`,
    ],
    [
      "chains of merged mappings",
      "config/tasks.yaml",
      `a0: &a0 {x: 1}\n${numbered((index) => `a${index + 1}: &a${index + 1} {<<: *a${index}, k${index}: 1}\n`)}`,
    ],
    [
      "problems behind aliases",
      "config/tasks.yaml",
      `x: [${"1,".repeat(25_000)}]\na: &a {agent: b}\n${numbered((index) => `k${index}: *a\n`, size / 2)}`,
    ],
  ] as const)
    it(`takes a moment with much of ${what}`, async () => {
      const files = file === "main.py" ? toml : { ...classic, "crew.py": python };
      const took = await readAll(await folderWith({ ...files, [file]: text }));
      assert.ok(took < seconds(10), `${Math.round(took)} ms`);
    }).timeout(60_000);
});
