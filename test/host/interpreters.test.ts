import assert from "node:assert/strict";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { findInterpreter } from "../../src/local/engines.ts";
import { needsCrewai, newestCrewai, pythonWith, uv } from "../support/crewai.ts";
import { temporaryFolder } from "../support/folders.ts";
import { set } from "./extension.ts";

describe("the search for a project's interpreter", () => {
  needsCrewai();
  const { PATH: searched } = process.env;
  const { getExtension } = vscode.extensions;

  afterEach(async () => {
    process.env["PATH"] = searched;
    Object.assign(vscode.extensions, { getExtension });
    await set("python", undefined);
  });

  it("tries the project's .venv, what uv finds, the choice of the Python extension, the setting, and then the PATH", async () => {
    const python = await pythonWith(newestCrewai);
    const link = async (...parts: string[]) => {
      const folder = path.join(...parts);
      await symlink(path.dirname(path.dirname(python)), folder);
      return folder;
    };
    // A member of uv's workspace, whose environment all members share.
    const workspace = temporaryFolder("interpreter");
    const project = path.join(workspace, "member");
    await mkdir(project);
    const named = (name: string) => `[project]\nname = "${name}"\nversion = "1"\n`;
    await writeFile(
      path.join(workspace, "pyproject.toml"),
      `${named("all")}\n[tool.uv.workspace]\nmembers = ["member"]\n`,
    );
    await writeFile(path.join(project, "pyproject.toml"), named("member"));
    const own = await link(project, ".venv");
    const shared = await link(workspace, ".venv");
    const forExtension = await link(temporaryFolder("interpreter"), "extension");
    const forSetting = await link(temporaryFolder("interpreter"), "setting");
    process.env["PATH"] = `${path.dirname(await uv())}${path.delimiter}${searched ?? ""}`;
    const chosen = new Map([[project, forExtension]]);
    const pythonExtension = {
      isActive: true,
      exports: {
        environments: {
          getActiveEnvironmentPath: ({ fsPath }: vscode.Uri) => ({ path: chosen.get(fsPath) }),
        },
      },
    };
    Object.assign(vscode.extensions, {
      getExtension: (id: string) =>
        id === "ms-python.python" ? pythonExtension : getExtension(id),
    });
    await set("python", path.join(forSetting, "bin", "python"));
    const found = async () => {
      const interpreter = await findInterpreter(vscode.Uri.file(project));
      return [interpreter?.python, interpreter?.crewai];
    };
    const at = (folder: string) => path.join(folder, "bin", "python");

    assert.deepEqual(await found(), [at(own), newestCrewai]);
    await rm(own);
    assert.deepEqual(await found(), [at(shared), newestCrewai]);
    process.env["PATH"] = "/nowhere";
    assert.deepEqual(await found(), [at(forExtension), newestCrewai]);
    chosen.clear();
    assert.deepEqual(await found(), [at(forSetting), newestCrewai]);
    await set("python", undefined);
    const forShell = temporaryFolder("interpreter");
    await mkdir(path.join(forShell, "bin"));
    await symlink(python, path.join(forShell, "bin", "python3"));
    await symlink(path.join(forSetting, "lib"), path.join(forShell, "lib"));
    process.env["PATH"] = path.join(forShell, "bin");
    assert.deepEqual(await found(), [path.join(forShell, "bin", "python3"), newestCrewai]);
  });
});
