import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { trustAction } from "../crews/errors.ts";
import { confirm, machineSettings } from "../editor/messages.ts";
import { projectRoot } from "../projects/pyproject.ts";
import { findsUv, setUpCommand } from "../projects/interpreters.ts";
import { findInterpreter } from "./engines.ts";

/** Installs crewAI for a project, in a terminal and after the person has seen the command. False if the person says no. @throws UserError */
export async function setUpProject(
  name: string,
  folder: vscode.Uri,
  isExample: boolean,
): Promise<boolean> {
  if (!vscode.workspace.isTrusted)
    throw new UserError(
      vscode.l10n.t("In Restricted Mode, nothing is installed. Trust this workspace first."),
      [trustAction()],
    );
  const hasCrewai = async () => (await findInterpreter(folder))?.crewai !== undefined;
  if (await hasCrewai()) return true;
  if (isExample)
    throw new UserError(
      vscode.l10n.t(
        "Nothing is installed for “{0}”, because each update of Crewdeck replaces its folder. Name a Python that has crewAI in the setting “crewdeck.python”.",
        name,
      ),
      [machineSettings("crewdeck.python")],
    );
  const root = await projectRoot(folder.fsPath);
  const isWindows = process.platform === "win32";
  const command = await setUpCommand(root, await findsUv(), isWindows);
  const question = vscode.l10n.t("Install crewAI for “{0}”?", name);
  const detail = vscode.l10n.t(
    "This command downloads packages and runs in a terminal, in {0}:\n\n{1}",
    root,
    command,
  );
  if (!(await confirm(question, detail, vscode.l10n.t("Run in Terminal")))) return false;
  const code = await runInTerminal(name, vscode.Uri.file(root), command, isWindows);
  if (code === 0 && (await hasCrewai())) return true;
  throw new UserError(
    vscode.l10n.t(
      "“{0}” ended with exit code {1}, and crewAI is still not there for “{2}”. Its terminal shows why.",
      command,
      code ?? "–",
      name,
    ),
  );
}

/** Resolves to the exit code; undefined if the task was ended. */
async function runInTerminal(
  name: string,
  folder: vscode.Uri,
  command: string,
  isWindows: boolean,
): Promise<number | undefined> {
  // The usual shell on Windows, PowerShell 5, knows no "&&".
  const shell = isWindows ? { executable: "cmd.exe", shellArgs: ["/d", "/c"] } : {};
  const task = new vscode.Task(
    { type: "shell", task: `crewdeck ${folder.toString()}` },
    vscode.workspace.getWorkspaceFolder(folder) ?? vscode.TaskScope.Workspace,
    vscode.l10n.t("Set up {0}", name),
    "Crewdeck",
    new vscode.ShellExecution(command, { cwd: folder.fsPath, ...shell }),
  );
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, focus: false };
  const subscriptions: vscode.Disposable[] = [];
  try {
    return await new Promise<number | undefined>((resolve, reject) => {
      let execution: vscode.TaskExecution | undefined;
      subscriptions.push(
        vscode.tasks.onDidEndTaskProcess((event) => {
          if (event.execution === execution) resolve(event.exitCode);
        }),
        vscode.tasks.onDidEndTask((event) => {
          // The end of its process comes first, if it had one.
          if (event.execution === execution) setImmediate(() => resolve(undefined));
        }),
      );
      vscode.tasks.executeTask(task).then((started) => (execution = started), reject);
    });
  } finally {
    vscode.Disposable.from(...subscriptions).dispose();
  }
}
