import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import path from "node:path";
import { findProjects, projectOf } from "../../../src/projects/find.ts";
import { projectRoot } from "../../../src/projects/pyproject.ts";
import { classic, folderWith } from "./folder.ts";

/** The files of a project in a folder. */
function below(
  folder: string,
  files: Readonly<Record<string, string>> = classic,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([file, text]) => [`${folder}/${file}`, text]),
  );
}

async function found(
  root: string,
  ...limits: [Parameters<typeof findProjects>[1]] | []
): Promise<string[]> {
  return (await findProjects(root, ...limits)).map((folder) =>
    path.relative(root, folder).replaceAll("\\", "/"),
  );
}

describe("finding projects", () => {
  it("finds all kinds, including invalid projects, nearest first", async () => {
    const root = await folderWith({
      ...below("deep/er/classic"),
      ...below("packaged", { "src/pack/config/tasks.yaml": "broken: [" }),
      ...below("declared", { "crew.jsonc": "{", "agents/a.jsonc": "{}" }),
      ...below("named", { "pyproject.toml": '[tool.crewai]\ntype = "crew"\n' }),
      ...below("other", { "crew.json": "{}", "pyproject.toml": '[project]\nname = "x"\n' }),
    });
    assert.deepEqual(await found(root), ["declared", "named", "packaged", "deep/er/classic"]);
  });

  it("may find the root, and other crews in it, each once", async () => {
    assert.deepEqual(await found(await folderWith({ ...classic, ...below("inner") })), [
      "",
      "inner",
    ]);
    const declared = { "crew.jsonc": "{}", "agents/a.jsonc": "{}" };
    const packages = { ...below("src/own"), ...below("src/other"), ...below("crews/c", declared) };
    const named = (name: string) => `[project]\nname = "${name}"\n[tool.crewai]\ntype = "crew"\n`;
    const toml = (text: string) => folderWith({ ...packages, "pyproject.toml": text });
    assert.deepEqual(await found(await toml(named("own"))), ["", "crews/c", "src/other"]);
    assert.deepEqual(await found(await toml(named("none"))), [
      "",
      "crews/c",
      "src/other",
      "src/own",
    ]);
    const atTop = { "letters/__init__.py": "", "letters/crew.py": "", ...below("letters") };
    const place = await found(await folderWith({ ...atTop, "pyproject.toml": named("letters") }));
    assert.deepEqual(place, [""]);
    const root = await toml(`${named("own")}definition = "crews/c/crew.jsonc"\n`);
    assert.deepEqual(await found(root), ["", "src/other", "src/own"]);
  });

  it("finds a crew that only Python builds, unless it is part of another project", async () => {
    const python = { "crew.py": "crew = Crew(agents=[], tasks=[])\n" };
    const root = await folderWith({
      ...below("alone", python),
      ...below("alone/examples/more", python),
      "other/crew.py": "# Crew()\ncrew = load()\n",
      ...below("packaged"),
      ...below("packaged/tools", python),
    });
    assert.deepEqual(await found(root), ["alone", "packaged"]);
    const file = path.join(root, "alone", "examples", "more", "crew.py");
    assert.equal(await projectOf(root, file), path.join(root, "alone"));
  });

  it("knows the crew of a file, and the project of a crew", async () => {
    const root = await folderWith({
      "flow/pyproject.toml": '[tool.crewai]\ntype = "flow"\n',
      ...below("flow/src/news/crews/content"),
      ...below("crew"),
      ...below("crew/examples/small"),
    });
    const of = async (file: string) => {
      const folder = await projectOf(root, path.join(root, file));
      return folder && path.relative(root, folder);
    };
    const files = {
      "flow/main.py": undefined,
      "flow/src/news/crews/content/config/tasks.yaml": "flow/src/news/crews/content",
      "crew/config/tasks.yaml": "crew",
      "crew/tools/search.py": "crew",
      "crew/examples/small/crew.py": "crew/examples/small",
    };
    for (const [file, folder] of Object.entries(files)) assert.equal(await of(file), folder, file);
    const roots = ["flow/src/news/crews/content", "crew"].map((each) => path.join(root, each));
    assert.deepEqual(await Promise.all(roots.map(projectRoot)), [
      path.join(root, "flow"),
      path.join(root, "crew"),
    ]);
  });

  it("finds a flow and its crews", async () => {
    const root = await folderWith({
      "pyproject.toml": '[tool.crewai]\ntype = "flow"\n',
      ...below("src/flow/crews/content"),
    });
    assert.deepEqual(await found(root), ["", "src/flow/crews/content"]);
    const crew = await folderWith({
      "pyproject.toml": '[tool.crewai]\nname = "x"\n[tool.other]\ntype = "flow"\n',
      ...below("inner"),
    });
    assert.deepEqual(await found(crew), ["", "inner"]);
  });

  it("skips dependencies, hidden folders and links", async () => {
    const root = await folderWith({
      ...below("node_modules/a"),
      ...below(".venv/b"),
      ...below(".git/c"),
      ...below("venv/d"),
      ...below("e/site-packages/f"),
      ...below("real"),
    });
    await symlink(root, path.join(root, "loop"));
    assert.deepEqual(await found(root), ["real"]);
  });

  it("limits depth, folders and projects", async () => {
    const root = await folderWith({ ...below("1"), ...below("2"), ...below("a/b/3") });
    assert.deepEqual(await found(root, { depth: 1, folders: 100, projects: 100 }), ["1", "2"]);
    assert.deepEqual(await found(root, { depth: 9, folders: 2, projects: 100 }), ["1"]);
    assert.deepEqual(await found(root, { depth: 9, folders: 100, projects: 1 }), ["1"]);
  });
});
