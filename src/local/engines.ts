import path from "node:path";
import * as vscode from "vscode";
import { UserError, type ErrorAction } from "../base/errors.ts";
import { asObject, textAt } from "../base/json.ts";
import { isFile } from "../projects/files.ts";
import { projectHints, projectRoot } from "../projects/pyproject.ts";
import {
  chooseInterpreter,
  projectInterpreters,
  pythonIn,
  type Interpreter,
} from "../projects/python.ts";
import { toRehearse } from "../projects/types.ts";
import {
  chooseEngine,
  type EngineObstacle,
  type EnginePlan,
  type EngineQuestion,
} from "./choose-engine.ts";
import { readClasses, readProject } from "./projects.ts";

interface Planned extends Pick<EngineQuestion, "wish" | "isExample"> {
  /** A person chose a model for the crew. */
  readonly hasChosenModel: () => Promise<boolean>;
}

export async function planEngine(folder: vscode.Uri, planned: Planned): Promise<EnginePlan> {
  const { wish, isExample, hasChosenModel } = planned;
  return await chooseEngine({
    wish,
    isExample,
    isTrusted: vscode.workspace.isTrusted,
    isInWorkspace: isInWorkspace(folder),
    unfit: await unfitFor(folder.fsPath),
    hasModel: async () =>
      namesModel() ||
      (await hasChosenModel()) ||
      (await isFile(path.join(await projectRoot(folder.fsPath), ".env"))),
    findInterpreter: () => findInterpreter(folder),
    settingProblem,
  });
}

/** What can't be read is reported when it starts. */
async function unfitFor(folder: string): Promise<EngineQuestion["unfit"]> {
  if ((await projectHints(folder))?.type === "flow") return "flow";
  const classes = await readClasses(folder);
  for (const crewClass of classes.length > 0 ? classes : [undefined]) {
    const reading = readProject(folder, crewClass);
    const project = await reading.then(toRehearse).catch(() => undefined);
    if (project?.lacks === "tasks") return "tasks";
  }
  return undefined;
}

export function isInWorkspace(folder: vscode.Uri): boolean {
  return vscode.workspace.getWorkspaceFolder(folder) !== undefined;
}

export async function findInterpreter(folder: vscode.Uri): Promise<Interpreter | undefined> {
  const root = await projectRoot(folder.fsPath);
  return await chooseInterpreter([
    ...projectInterpreters(root),
    () => pythonOfExtension(folder),
    () => Promise.resolve(pythonOfSetting()),
  ]);
}

/** How many executions of a crew run at a time: the setting `crewdeck.local.parallel`. */
export function parallelExecutions(): number {
  const value: unknown = vscode.workspace.getConfiguration("crewdeck").get("local.parallel");
  return typeof value === "number" && value >= 1 ? Math.floor(value) : 1;
}

/** An error for a person who wants crewAI where it can't run. */
export function engineError(name: string, { kind, why }: EngineObstacle, crew: string): UserError {
  const text =
    kind === "flow" || kind === "tasks"
      ? vscode.l10n.t("“{0}” did not start. {1}", name, why)
      : vscode.l10n.t("“{0}” can't run with crewAI. {1}", name, why);
  const action: ErrorAction =
    kind === "trust"
      ? {
          title: vscode.l10n.t("Manage Workspace Trust"),
          command: "workbench.trust.manage",
        }
      : {
          title: vscode.l10n.t("Set Up This Project"),
          command: "crewdeck.changeEngine",
          arguments: [{ crew, setUp: true }],
        };
  const change: ErrorAction = {
    title: vscode.l10n.t("Change Engine"),
    command: "crewdeck.changeEngine",
    arguments: [{ crew }],
  };
  // Nothing is missing.
  const isReady = kind === "flow" || kind === "tasks" || kind === "outside";
  return new UserError(text, isReady ? [change] : [action, change]);
}

/** As crewAI reads it: a model, or the key of its usual one. */
function namesModel(): boolean {
  const names = ["OPENAI_API_KEY", "MODEL", "MODEL_NAME", "OPENAI_MODEL_NAME"];
  return names.some((name) => (process.env[name] ?? "") !== "");
}

function pythonSetting(): string {
  const value: unknown = vscode.workspace.getConfiguration("crewdeck").get("python");
  return typeof value === "string" ? value : "";
}

/** Empty, and a relative path, count as not set. */
function pythonOfSetting(): string | undefined {
  const python = pythonSetting();
  return path.isAbsolute(python) ? python : undefined;
}

async function settingProblem(): Promise<string | undefined> {
  const python = pythonSetting();
  if (python === "" || (path.isAbsolute(python) && (await isFile(python)))) return undefined;
  return path.isAbsolute(python)
    ? vscode.l10n.t("The setting “crewdeck.python” is {0}, which is not a file.", python)
    : vscode.l10n.t("The setting “crewdeck.python” is {0}, which is not an absolute path.", python);
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
