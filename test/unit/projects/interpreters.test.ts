import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import path from "node:path";
import {
  chooseInterpreter,
  crewaiVersion,
  pythonIn,
  pythonOnPath,
  setUpCommand,
} from "../../../src/projects/interpreters.ts";
import { folderWith } from "./folder.ts";

/** An environment as `python -m venv` lays it out, with a version of crewAI or without. */
function environment(crewai?: string): Promise<string> {
  const packages = "lib/python3.12/site-packages";
  return folderWith({
    "bin/python": "",
    [`${packages}/pip/__init__.py`]: "",
    ...(crewai !== undefined && {
      [`${packages}/crewai/__init__.py`]: "",
      [`${packages}/crewai-${crewai}.dist-info/METADATA`]: "",
      [`${packages}/crewai_tools-9.9.9.dist-info/METADATA`]: "",
    }),
  });
}

describe("a project's interpreter", () => {
  it("is the first one with crewAI, and later ones are not searched", async () => {
    const [without, first, second] = [
      path.join(await environment(), "bin", "python"),
      path.join(await environment("1.15.30"), "bin", "python"),
      path.join(await environment("1.0.0"), "bin", "python"),
    ];
    let searches = 0;
    assert.deepEqual(
      await chooseInterpreter([
        () => Promise.resolve(without),
        () => Promise.resolve(undefined),
        () => Promise.resolve(first),
        () => ((searches += 1), Promise.resolve(second)),
      ]),
      { python: first, crewai: "1.15.30" },
    );
    assert.equal(searches, 0);
  });

  it("is the first one that exists if none has crewAI", async () => {
    const python = path.join(await environment(), "bin", "python");
    assert.deepEqual(
      await chooseInterpreter([
        () => Promise.resolve("/nowhere/python"),
        () => Promise.resolve(python),
        () => Promise.resolve(process.execPath),
      ]),
      { python, crewai: undefined },
    );
    assert.equal(await chooseInterpreter([() => Promise.resolve(undefined)]), undefined);
  });

  it("may be the one that a shell would run", async () => {
    const { PATH: searched } = process.env;
    const [none, some] = [
      await folderWith({}),
      await folderWith({ python3: "", "python.exe": "" }),
    ];
    try {
      process.env["PATH"] = ["relative", "", none, some].join(path.delimiter);
      assert.equal(await pythonOnPath(false), path.join(some, "python3"));
      assert.equal(await pythonOnPath(true), path.join(some, "python.exe"));
      process.env["PATH"] = none;
      assert.equal(await pythonOnPath(false), undefined);
    } finally {
      process.env["PATH"] = searched;
    }
  });

  it("has the version of crewAI that its files name, wherever Python keeps packages", async () => {
    const rootOf = async (files: readonly string[]) =>
      await folderWith(Object.fromEntries(files.map((file) => [file, ""])));
    const windows = await rootOf([
      "Scripts/python.exe",
      "Lib/site-packages/crewai/__init__.py",
      "Lib/site-packages/crewai-1.2.0.dist-info/METADATA",
    ]);
    assert.equal(await pythonIn(windows), path.join(windows, "Scripts", "python.exe"));
    assert.equal(await crewaiVersion(path.join(windows, "Scripts", "python.exe")), "1.2.0");
    const debian = await rootOf([
      "bin/python3.11",
      "lib/python3/dist-packages/crewai/__init__.py",
      "lib/python3/dist-packages/crewai-1.3.0rc1.dist-info/METADATA",
    ]);
    assert.equal(await crewaiVersion(path.join(debian, "bin", "python3.11")), "1.3.0rc1");
    const remains = await rootOf([
      "bin/python",
      "lib/python3.12/site-packages/crewai-1.2.0.dist-info/METADATA",
    ]);
    assert.equal(await crewaiVersion(path.join(remains, "bin", "python")), undefined);
  });

  it("is found through a link to an environment", async () => {
    const project = await folderWith({ "pyproject.toml": "" });
    await symlink(await environment("1.15.0"), path.join(project, ".venv"));
    const python = await pythonIn(path.join(project, ".venv"));
    assert.equal(python, path.join(project, ".venv", "bin", "python"));
    assert.equal(await crewaiVersion(python), "1.15.0");
  });
});

describe("the command that sets a project up", () => {
  const crew = '[project]\nname = "tea"\n\n[tool.crewai]\ntype = "crew"\n';
  const built = `${crew}\n[build-system]\nrequires = ["hatchling"]\n`;
  const pip = "python3 -m venv .venv && .venv/bin/python -m pip install crewai";
  for (const [what, files, hasUv, isWindows, command] of [
    [
      "uv and a pyproject.toml",
      { "pyproject.toml": crew },
      true,
      false,
      "uv sync --compile-bytecode",
    ],
    ["uv alone", {}, true, false, pip],
    ["a pyproject.toml alone", { "pyproject.toml": crew }, false, false, pip],
    [
      "a package with an environment, as it is created",
      { "pyproject.toml": built, ".venv/pyvenv.cfg": "" },
      ...([false, false] as const),
      ".venv/bin/python -m pip install --editable .",
    ],
    [
      "Windows",
      {},
      ...([false, true] as const),
      "python -m venv .venv && .venv\\Scripts\\python -m pip install crewai",
    ],
  ] as const)
    it(`is right for ${what}`, async () => {
      assert.equal(await setUpCommand(await folderWith(files), hasUv, isWindows), command);
    });
});
