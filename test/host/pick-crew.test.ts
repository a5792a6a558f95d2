import assert from "node:assert/strict";
import path from "node:path";
import * as vscode from "vscode";
import { Folders } from "../../src/local/projects.ts";
import { pickProject } from "../../src/local/questions.ts";
import { projectFolder } from "../support/folders.ts";

describe("The list of crews to start", () => {
  const real = vscode.window.showQuickPick;
  afterEach(() => void Object.assign(vscode.window, { showQuickPick: real }));

  it("names the inputs that the form asks for, without those that crewAI doesn't fill in", async () => {
    const extension = vscode.Uri.file(projectFolder);
    const braces = path.join(projectFolder, "test", "fixtures", "shapes", "braces");
    const details: (string | undefined)[] = [];
    const showQuickPick = async (offered: Thenable<vscode.QuickPickItem[]>) =>
      void details.push(...(await offered).map(({ detail }) => detail));
    Object.assign(vscode.window, { showQuickPick });
    await pickProject(new Folders(extension, braces), []);
    assert.equal(details.at(-2), "1 task · inputs: topic, my-key_2, reader, day");
  });
});
