import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { UserError } from "../../src/base/errors.ts";
import { setUpProject } from "../../src/local/engines.ts";
import { withReplaced } from "./extension.ts";

/** The npm package of the oldest VS Code's server has no binary of node-pty for Linux, so none of its terminals starts. */
const hasTerminals =
  process.env["CREWDECK_EDITION"] !== "oldest" ||
  process.platform !== "linux" ||
  vscode.env.uiKind === vscode.UIKind.Desktop;

describe("setting a project up", () => {
  const root = vscode.workspace.workspaceFolders![0]!.uri.fsPath;
  const project = path.join(root, "bare");
  let shown: { question: string; detail: string | undefined }[];
  let started: string[];

  /** Sets it up with this answer to the modal question. */
  async function setUp(answer?: string, isExample = false) {
    const showWarningMessage = (question: string, { detail }: vscode.MessageOptions) => {
      shown.push({ question, detail });
      return Promise.resolve(answer);
    };
    const listener = vscode.tasks.onDidStartTask(({ execution }) =>
      started.push(execution.task.name),
    );
    try {
      return await withReplaced(vscode.window, { showWarningMessage }, () =>
        setUpProject("Bare", vscode.Uri.file(project), isExample, () => started.push("begun")),
      );
    } finally {
      listener.dispose();
    }
  }

  beforeEach(async () => {
    [shown, started] = [[], []];
    // The command fails at once, without a download: `.venv` has no Python.
    await mkdir(path.join(project, ".venv"), { recursive: true });
    await writeFile(path.join(project, "tasks.yaml"), "");
  });

  afterEach(() => rm(project, { recursive: true, force: true }));

  it("shows the command and runs nothing if the person says no", async () => {
    assert.equal(await setUp(), false);
    assert.deepEqual(shown, [
      {
        question: "Install crewAI for “Bare”?",
        detail: `This command downloads packages and runs in a terminal, in ${project}:\n\n.venv/bin/python -m pip install crewai`,
      },
    ]);
    assert.deepEqual(started, []);
  });

  it("installs nothing into the example crew's folder, and names the setting", async () => {
    const error: unknown = await setUp(undefined, true).catch((error: unknown) => error);
    assert.ok(error instanceof UserError);
    assert.match(error.message, /“crewdeck\.python”/);
    // In a remote window, the machine's settings are on a tab of their own.
    const kind = vscode.env.remoteName === undefined ? "" : "Remote";
    const [{ command, arguments: given } = {}] = error.actions;
    assert.equal(command, `workbench.action.open${kind}Settings`);
    assert.deepEqual(given, [{ query: "crewdeck.python" }]);
    assert.deepEqual(shown, []);
  });

  it("runs the command in a terminal after a yes, and reports its exit code", async function () {
    if (!hasTerminals) this.skip();
    await assert.rejects(
      setUp("Run in Terminal"),
      /^UserError: .*pip install crewai” ended with exit code 127/,
    );
    assert.deepEqual(started, ["begun", "Set up Bare"]);
  });
});
