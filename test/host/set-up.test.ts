import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { UserError } from "../../src/base/errors.ts";
import { setUpProject } from "../../src/local/set-up.ts";

/** The npm package of the oldest VS Code's server has no binary of node-pty for Linux, so none of its terminals starts. */
const hasTerminals =
  process.env["CREWDECK_EDITION"] !== "oldest" ||
  process.platform !== "linux" ||
  vscode.env.uiKind === vscode.UIKind.Desktop;

describe("setting a project up", () => {
  const root = vscode.workspace.workspaceFolders![0]!.uri.fsPath;
  const project = path.join(root, "bare");
  const real = vscode.window.showWarningMessage;
  let shown: { question: string; detail: string | undefined }[];

  /** Answers the modal question with this button. */
  function answerWith(button: string | undefined): void {
    Object.assign(vscode.window, {
      showWarningMessage: (question: string, { detail }: vscode.MessageOptions) => {
        shown.push({ question, detail });
        return Promise.resolve(button);
      },
    });
  }

  beforeEach(async () => {
    shown = [];
    // The command fails at once, without a download: `.venv` has no Python.
    await mkdir(path.join(project, ".venv"), { recursive: true });
    await writeFile(path.join(project, "tasks.yaml"), "");
  });

  afterEach(async () => {
    Object.assign(vscode.window, { showWarningMessage: real });
    await rm(project, { recursive: true, force: true });
  });

  it("shows the command and runs nothing if the person says no", async () => {
    answerWith(undefined);
    const started: unknown[] = [];
    const listener = vscode.tasks.onDidStartTask((event) => started.push(event));
    try {
      assert.equal(
        await setUpProject("Bare", vscode.Uri.file(project), { isExample: false }),
        undefined,
      );
    } finally {
      listener.dispose();
    }
    assert.deepEqual(shown, [
      {
        question: "Install crewAI for “Bare”?",
        detail: `This command downloads packages and runs in a terminal, in ${project}:\n\n.venv/bin/python -m pip install crewai`,
      },
    ]);
    assert.deepEqual(started, []);
  });

  it("installs nothing into the example crew's folder, and names the setting", async () => {
    await assert.rejects(
      setUpProject("Bare", vscode.Uri.file(project), { isExample: true }),
      (error) => {
        assert.ok(error instanceof UserError);
        assert.match(error.message, /“crewdeck\.python”/);
        // In a remote window, the machine's settings are on a tab of their own.
        const kind = vscode.env.remoteName === undefined ? "" : "Remote";
        const [{ command, arguments: given } = {}] = error.actions;
        assert.equal(command, `workbench.action.open${kind}Settings`);
        assert.deepEqual(given, [{ query: "crewdeck.python" }]);
        return true;
      },
    );
    assert.deepEqual(shown, []);
  });

  it("runs the command in a terminal after a yes, and reports its exit code", async function () {
    if (!hasTerminals) this.skip();
    answerWith("Run in Terminal");
    const names: string[] = [];
    const listener = vscode.tasks.onDidStartTask(({ execution }) =>
      names.push(execution.task.name),
    );
    try {
      await assert.rejects(
        setUpProject("Bare", vscode.Uri.file(project), { isExample: false }),
        (error) =>
          error instanceof UserError &&
          /pip install crewai” did not finish \(exit code 127\)/.test(error.message),
      );
    } finally {
      listener.dispose();
    }
    assert.deepEqual(names, ["Set up Bare"]);
  });
});
