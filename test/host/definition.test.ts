import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as vscode from "vscode";
import { openFile } from "../../src/views/from-page.ts";
import { temporaryFolder } from "../support/folders.ts";
import { withReplaced } from "./extension.ts";

describe("A file that an error names", () => {
  let folder: string;
  let project: string;

  beforeEach(() => {
    folder = temporaryFolder("definition");
    project = path.join(folder, "project");
    for (const file of [
      "agent.py",
      "project/agent.py",
      "project/crew.py",
      "project/src/writers/crew.py",
      "project/src/writers/tools/agent.py",
      "project/src/writers/.env",
    ]) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), "");
    }
  });

  async function opened(file: string): Promise<string> {
    let shown = "";
    const showTextDocument = ({ scheme, fsPath }: vscode.Uri) => {
      shown = `${scheme} ${path.relative(project, fsPath)}`;
      return Promise.resolve();
    };
    await withReplaced(vscode.window, { showTextDocument }, () =>
      openFile(vscode.Uri.file(project).toString(), { file }),
    );
    return shown;
  }

  it("is the one at that path, or else one whose path ends with the whole name", async () => {
    assert.equal(await opened("agent.py"), "file agent.py");
    assert.equal(await opened("crew.py"), "file crew.py");
    assert.equal(await opened("writers/crew.py"), "file src/writers/crew.py");
    assert.equal(await opened(`${project}/src/writers/crew.py`), "file src/writers/crew.py");
  });

  it("is none of the project if it belongs to a library, and none outside of the project", async () => {
    for (const file of [
      "/usr/lib/python3/site-packages/x/agent.py",
      "x/agent.py",
      "../agent.py",
      `${folder}/agent.py`,
    ])
      await assert.rejects(opened(file), /could not be found/, file);
  });

  it("is the .env at the root, which may not exist yet", async () => {
    assert.equal(await opened(".env"), "untitled .env");
    writeFileSync(path.join(project, ".env"), "");
    assert.equal(await opened(".env"), "file .env");
  });
});
