import path from "node:path";
import * as vscode from "vscode";
import { action, UserError } from "../base/errors.ts";
import { asObject, numberAt, textAt } from "../base/json.ts";
import { trustAction } from "../crews/errors.ts";
import type { Crew } from "../crews/types.ts";
import { textSetting } from "../editor/manifest.ts";
import { confirm, machineSettings } from "../editor/messages.ts";
import { isFile } from "../projects/reading.ts";
import { projectHints, projectRoot } from "../projects/pyproject.ts";
import {
  chooseInterpreter,
  findsUv,
  hasPackage,
  projectInterpreters,
  pythonIn,
  pythonOnPath,
  setUpCommand,
  type Interpreter,
} from "../projects/interpreters.ts";
import { readClasses, readProject } from "./projects.ts";

/** Only Python knows all of its tasks. What can't be read is reported when it starts. */
export async function isUnfit(folder: string): Promise<boolean> {
  if ((await projectHints(folder))?.type === "flow") return true;
  for (const crewClass of await readClasses(folder)) {
    const reading = await readProject(folder, crewClass).catch(() => undefined);
    if (reading?.problems.length === 0 && reading.project.lacks === "tasks") return true;
  }
  return false;
}

export function isInWorkspace(folder: vscode.Uri): boolean {
  return vscode.workspace.getWorkspaceFolder(folder) !== undefined;
}

export async function findInterpreter(folder: vscode.Uri): Promise<Interpreter | undefined> {
  const root = await projectRoot(folder.fsPath);
  return await chooseInterpreter([
    ...projectInterpreters(root),
    () => pythonOfExtension(folder),
    () => Promise.resolve([textSetting("python")].find((each) => path.isAbsolute(each))),
    () => pythonOnPath(isWindows),
  ]);
}

/** For a project without crewAI: what is wrong with the setting, and how it is installed. Nothing is installed for the example. */
export async function setUpAdvice(folder: vscode.Uri, isExample: boolean): Promise<string[]> {
  const python = textSetting("python");
  const isUsable = python === "" || (path.isAbsolute(python) && (await isFile(python)));
  const problem = vscode.l10n.t(
    "The setting “crewdeck.python” is {0}, which is not the absolute path of a file.",
    python,
  );
  const { command } = await findSetUp(folder);
  const install = vscode.l10n.t("“Set Up…” runs “{0}”.", command);
  return [...(isUsable ? [] : [problem]), ...(isExample ? [] : [install])];
}

/**
 * What is chosen in the Python extension, if it is active
 * (https://github.com/microsoft/vscode-python/wiki/Python-Environment-APIs): a path of an
 * interpreter or of an environment's folder.
 */
async function pythonOfExtension(folder: vscode.Uri): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<unknown>("ms-python.python");
  if (extension?.isActive !== true) return undefined;
  const environments = asObject(asObject(extension.exports)["environments"]);
  const active = environments["getActiveEnvironmentPath"];
  if (typeof active !== "function") return undefined;
  const chosen: unknown = Reflect.apply(active, environments, [folder]);
  const place = textAt(asObject(chosen), "path");
  return place === undefined || !path.isAbsolute(place)
    ? undefined
    : ((await pythonIn(place)) ?? place);
}

const isWindows = process.platform === "win32";

async function findSetUp(folder: vscode.Uri) {
  const root = await projectRoot(folder.fsPath);
  return { root, command: await setUpCommand(root, await findsUv(), isWindows) };
}

/** Installs crewAI for a project, in a terminal and after the person has seen the command and `begin` was called. False if the person says no. @throws UserError */
export async function setUpProject(
  name: string,
  folder: vscode.Uri,
  isExample: boolean,
  begin: () => void,
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
  const { root, command } = await findSetUp(folder);
  if (!(await confirmCommand(vscode.l10n.t("Install crewAI for “{0}”?", name), root, command)))
    return false;
  begin();
  const code = await runInTerminal(name, vscode.Uri.file(root), command);
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

/** Resolves to the port where VS Code's Python debugger waits. @throws UserError if there is none */
export async function awaitCrewInDebugger({ name, local }: Crew): Promise<number> {
  const id = "ms-python.debugpy";
  if (vscode.extensions.getExtension(id) === undefined)
    throw new UserError(
      vscode.l10n.t("Nothing was sent. To debug a crew, install the extension “Python Debugger”."),
      [action(vscode.l10n.t("Show Extension"), "extension.open", id)],
    );
  const folder = vscode.Uri.parse(local?.folder ?? "", true);
  await installDebugger(name, folder);
  const session = vscode.l10n.t("Crew “{0}”", name);
  const { promise: waits, resolve } = Promise.withResolvers<number | undefined>();
  // It attaches only once Python connects to it.
  const listener = vscode.Disposable.from(
    vscode.debug.onDidReceiveDebugSessionCustomEvent(({ event, body, session: of }) => {
      if (event === "debugpyWaitingForServer" && of.name === session)
        resolve(numberAt(asObject(body), "port"));
    }),
    vscode.debug.onDidTerminateDebugSession((of) => {
      if (of.name === session) resolve(undefined);
    }),
  );
  const listen = { host: "127.0.0.1", port: 0 };
  const wanted = { type: "debugpy", request: "attach", name: session, listen };
  vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(folder), wanted).then(
    (isStarted) => {
      if (!isStarted) resolve(undefined);
    },
    () => resolve(undefined),
  );
  const port = await waits.finally(() => void listener.dispose());
  if (port !== undefined) return port;
  throw new UserError(vscode.l10n.t("Nothing was sent. VS Code's debugger did not start."));
}

async function installDebugger(name: string, folder: vscode.Uri): Promise<void> {
  const { python = "" } = (await findInterpreter(folder)) ?? {};
  const isThere = async () => await hasPackage(python, "debugpy");
  if (await isThere()) return;
  const { root, command: setUp } = await findSetUp(folder);
  const command = setUp.startsWith("uv ")
    ? "uv add --dev debugpy"
    : `"${python}" -m pip install debugpy`;
  if (await confirmCommand(vscode.l10n.t("Install debugpy for “{0}”?", name), root, command))
    await runInTerminal(name, vscode.Uri.file(root), command);
  if (!(await isThere()))
    throw new UserError(
      vscode.l10n.t("Nothing was sent. debugpy is not installed for “{0}”.", name),
    );
}

async function confirmCommand(question: string, root: string, command: string): Promise<boolean> {
  const detail = vscode.l10n.t(
    "This command downloads packages and runs in a terminal, in {0}:\n\n{1}",
    root,
    command,
  );
  return await confirm(question, detail, vscode.l10n.t("Run in Terminal"));
}

async function runInTerminal(
  name: string,
  folder: vscode.Uri,
  command: string,
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
  task.presentationOptions = {
    reveal: vscode.TaskRevealKind.Always,
    focus: false,
    // Only after success: VS Code keeps the terminal of a task that failed.
    close: true,
  };
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
