import path from "node:path";
import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { asObject, textAt } from "../base/json.ts";
import { changeEngineAction, trustAction } from "../crews/errors.ts";
import type { LocalEngine } from "../crews/types.ts";
import { confirm, plainLabel } from "../editor/messages.ts";
import { isFile } from "../projects/reading.ts";
import { projectHints, projectRoot } from "../projects/pyproject.ts";
import {
  chooseInterpreter,
  projectInterpreters,
  pythonIn,
  type Interpreter,
} from "../projects/interpreters.ts";
import { toRehearse } from "../projects/types.ts";
import { chooseEngine, type EnginePlan, type EngineQuestion } from "./choose-engine.ts";
import { readClasses, readProject } from "./projects.ts";
import { exampleFolder, idOf, type ProjectRecord, type ProjectRecords } from "./records.ts";
import type { ServiceOptions } from "./service-process.ts";

interface Project extends Pick<ProjectRecord, "folder" | "name"> {
  readonly records: ProjectRecords;
  readonly uri: vscode.Uri;
  hasOpenExecutions(): boolean;
  hasChosenModel(): Promise<boolean>;
  log(line: string): void;
}

/** Which engine a local crew of this window runs on, and why. */
export class CrewEngine {
  readonly #project: Project;
  #plan: EnginePlan | undefined;

  constructor(project: Project) {
    this.#project = project;
  }

  /**
   * For a service that starts. @param isFree another engine than the last one may be taken, unless
   * executions are open or a person chose it. @throws UserError
   */
  async forStart(isFree: boolean): Promise<ServiceOptions["engine"]> {
    const { folder, records } = this.#project;
    const { engine, isEngineChosen = false } = records.read(folder) ?? {};
    const isKept = !isFree || isEngineChosen || this.#project.hasOpenExecutions();
    const isWished = isEngineChosen || (isKept && engine === "crewai");
    const wanted = await this.#planFor(isWished ? engine : undefined);
    // An execution that began as a rehearsal doesn't begin to cost money.
    const plan: EnginePlan =
      isKept && engine === "rehearsal" && wanted.engine === "crewai" ? { engine } : wanted;
    this.#plan = plan;
    if (plan.engine === undefined) {
      records.change(folder, { failure: plan.note });
      throw this.#error(plan);
    }
    const text = [plan.engine, plan.note ?? []].flat().join(" – ");
    this.#project.log(vscode.l10n.t("Engine: {0}", text));
    const { python } = plan;
    return python === undefined
      ? { engine: "rehearsal" }
      : { engine: "crewai", python, parallel: parallelExecutions() };
  }

  get note(): string | undefined {
    return this.#plan?.note;
  }

  /** Why the crew didn't start with crewAI; undefined if it did, or if a person chose rehearsal. */
  get obstacle(): EnginePlan["obstacle"] {
    return this.#plan?.obstacle;
  }

  /** Asks which engine the crew is to run on. Undefined if the person cancels. */
  async pick(): Promise<LocalEngine | undefined> {
    const { folder, name, records } = this.#project;
    const plan = await this.#planFor("crewai");
    const current = records.read(folder)?.engine ?? "rehearsal";
    const description = vscode.l10n.t("current");
    const item = (engine: LocalEngine, label: string, detail: string) => ({
      ...{ engine, label, detail, ...(engine === current && { description }) },
    });
    const items = [
      item("crewai", vscode.l10n.t("crewAI"), plainLabel(plan.note ?? "")),
      item(
        "rehearsal",
        vscode.l10n.t("Rehearsal"),
        vscode.l10n.t("Order, pauses and callbacks are real; no language model is called."),
      ),
    ];
    if ((await this.#planFor("rehearsal")).engine === undefined) items.pop();
    const title = vscode.l10n.t("What is to run “{0}”?", name);
    const chosen = (await vscode.window.showQuickPick(items, { title }))?.engine;
    if (chosen === current || !this.#project.hasOpenExecutions()) return chosen;
    const isSure = await confirm(
      chosen === "crewai"
        ? vscode.l10n.t("Run “{0}” with crewAI?", name)
        : vscode.l10n.t("Rehearse “{0}” instead?", name),
      vscode.l10n.t(
        "Executions that have not ended continue that way. What runs now is interrupted.",
      ),
      chosen === "crewai" ? vscode.l10n.t("Use crewAI") : vscode.l10n.t("Rehearse"),
    );
    return isSure ? chosen : undefined;
  }

  /** Asks before code from outside the workspace runs. @throws UserError if the engine can't run */
  async allows(engine: LocalEngine): Promise<boolean> {
    const { folder, name, records, uri } = this.#project;
    const plan = await this.#planFor(engine);
    if (plan.engine === undefined) throw this.#error(plan);
    if (engine === "rehearsal" || records.read(folder)?.engine === engine) return true;
    if (isInWorkspace(uri) || folder === exampleFolder) return true;
    const question = vscode.l10n.t("Run the code of “{0}”?", name);
    const detail = vscode.l10n.t(
      "Its folder, {0}, is not in this workspace. With crewAI, its Python code runs on this machine. Do so only if you trust it.",
      uri.fsPath,
    );
    return await confirm(question, detail, vscode.l10n.t("Run with crewAI"));
  }

  async #planFor(wish: LocalEngine | undefined): Promise<EnginePlan> {
    const { folder, uri } = this.#project;
    return await chooseEngine({
      wish,
      isExample: folder === exampleFolder,
      isTrusted: vscode.workspace.isTrusted,
      isInWorkspace: isInWorkspace(uri),
      unfit: await unfitFor(uri.fsPath),
      hasModel: async () =>
        namesModel() ||
        (await this.#project.hasChosenModel()) ||
        (await isFile(path.join(await projectRoot(uri.fsPath), ".env"))),
      findInterpreter: () => findInterpreter(uri),
      settingProblem,
    });
  }

  #error({ obstacle, note = "" }: EnginePlan): UserError {
    const { folder, name } = this.#project;
    const crew = idOf(folder);
    const isUnfit = obstacle === "flow" || obstacle === "tasks";
    const text = isUnfit
      ? vscode.l10n.t("“{0}” did not start. {1}", name, note)
      : vscode.l10n.t("“{0}” can't run with crewAI. {1}", name, note);
    const change = changeEngineAction(crew);
    // Nothing is missing.
    if (isUnfit || obstacle === "outside") return new UserError(text, [change]);
    const remedy = obstacle === "trust" ? trustAction() : changeEngineAction(crew, true);
    return new UserError(text, [remedy, change]);
  }
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

function isInWorkspace(folder: vscode.Uri): boolean {
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

function parallelExecutions(): number {
  const value: unknown = vscode.workspace.getConfiguration("crewdeck").get("local.parallel");
  return typeof value === "number" && value >= 1 ? Math.floor(value) : 1;
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
