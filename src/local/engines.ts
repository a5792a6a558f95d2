import path from "node:path";
import * as vscode from "vscode";
import { asObject, textAt } from "../base/json.ts";
import { isFile } from "../projects/reading.ts";
import { projectHints, projectRoot } from "../projects/pyproject.ts";
import {
  chooseInterpreter,
  projectInterpreters,
  pythonIn,
  type Interpreter,
} from "../projects/interpreters.ts";
import { readClasses, readProject } from "./projects.ts";

/** Only Python knows all of its tasks. What can't be read is reported when it starts. */
export async function isUnfit(folder: string): Promise<boolean> {
  if ((await projectHints(folder))?.type === "flow") return true;
  const classes = await readClasses(folder);
  for (const crewClass of classes.length > 0 ? classes : [undefined]) {
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
    () => Promise.resolve([pythonSetting()].find((each) => path.isAbsolute(each))),
  ]);
}

export function parallelExecutions(): number {
  const value: unknown = vscode.workspace.getConfiguration("crewdeck").get("local.parallel");
  return typeof value === "number" && value >= 1 ? Math.floor(value) : 1;
}

/** As crewAI reads it: a model, or the key of its usual one. */
export function namesModel(): boolean {
  const names = ["OPENAI_API_KEY", "MODEL", "MODEL_NAME", "OPENAI_MODEL_NAME"];
  return names.some((name) => (process.env[name] ?? "") !== "");
}

/** Empty counts as not set. */
function pythonSetting(): string {
  const value: unknown = vscode.workspace.getConfiguration("crewdeck").get("python");
  return typeof value === "string" ? value : "";
}

export async function settingProblem(): Promise<string | undefined> {
  const python = pythonSetting();
  return python === "" || (path.isAbsolute(python) && (await isFile(python)))
    ? undefined
    : vscode.l10n.t(
        "The setting “crewdeck.python” is {0}, which is not the absolute path of a file.",
        python,
      );
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
