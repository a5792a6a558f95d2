import path from "node:path";
import * as vscode from "vscode";
import { NothingToDo, UserError } from "../base/errors.ts";
import { defined } from "../base/json.ts";
import type { HeldDecision } from "../base/window-protocol.ts";
import { changeEngineAction, showLocalLogAction } from "../crews/errors.ts";
import type { Crew, LocalEngine } from "../crews/types.ts";
import { logProblem } from "../editor/log.ts";
import { confirm, plainLabel, showError } from "../editor/messages.ts";
import { projectRoot } from "../projects/pyproject.ts";
import { isFile } from "../projects/reading.ts";
import { toRehearse } from "../projects/types.ts";
import { chooseEngine, type EnginePlan } from "./choose-engine.ts";
import type { Connection } from "./connection.ts";
import * as engines from "./engines.ts";
import type { LocalCrewsOptions } from "./local-crews.ts";
import { LocalService, type ServiceTokens } from "./local-service.ts";
import { readClasses, readProject } from "./projects.ts";
import { pickClass, reportEnd, reportInterrupted } from "./questions.ts";
import { exampleFolder, idOf, type ProjectRecord, type ProjectRecords } from "./records.ts";
import { ServiceError, startService, type ServiceOptions } from "./service-process.ts";

interface LocalProjectOptions
  extends Omit<LocalCrewsOptions, "database" | "storage">, Pick<ProjectRecord, "folder" | "name"> {
  readonly uri: vscode.Uri;
  readonly records: ProjectRecords;
  readonly log: (line: string) => void;
  readonly onChange: () => void;
  readonly startAgain: () => Promise<unknown>;
}

/** A service that ends again within this time would probably end a third time (ms). */
const soonMs = 60_000;

const modelVariables = ["OPENAI_API_KEY", "MODEL", "MODEL_NAME", "OPENAI_MODEL_NAME"];

export class LocalProject extends LocalService {
  readonly name: string;
  readonly uri: vscode.Uri;
  readonly log: (line: string) => void;
  readonly #options: LocalProjectOptions;
  #isStarting = false;
  #isSettingUp = false;
  #plan: EnginePlan | undefined;
  #restartedAt = -Infinity;
  #isEngineFree = false;

  constructor(options: LocalProjectOptions) {
    const hasTokenFile = vscode.env.uiKind === vscode.UIKind.Web;
    super({ ...options, hasTokenFile });
    ({ name: this.name, uri: this.uri, log: this.log } = options);
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.url !== undefined;
  }

  hasOpenExecutions(): boolean {
    return this.records.crewIds(this.folder).some(this.#options.hasOpenExecutions);
  }

  crews(): readonly Crew[] {
    const record = this.records.read(this.folder);
    if (record === undefined) return [];
    const { failure, port, engine = "rehearsal" } = record;
    const { url, connection } = this;
    const { note, obstacle } = (connection && this.#plan) ?? {};
    const interrupted = connection?.held ?? [];
    const idle = this.#isStarting
      ? { starting: true as const }
      : failure !== undefined && { failure };
    const local = {
      ...{ folder: this.uri.toString(), engine, running: url !== undefined },
      ...defined({ engineNote: note, obstacle }),
      ...(this.#isSettingUp && { isSettingUp: true as const }),
      ...(url === undefined ? idle : interrupted.length > 0 && { interrupted }),
    };
    const base = url ?? `http://127.0.0.1:${port}`;
    const classes = this.records.classes(this.folder);
    if (classes.length === 0) return [{ id: idOf(this.folder), name: this.name, url: base, local }];
    return classes.map((crewClass) => ({
      id: idOf(this.folder, crewClass),
      name: `${this.name}: ${crewClass}`,
      url: `${base}/${crewClass}`,
      local: { ...local, crewClass },
    }));
  }

  async chosen(crewClass: string | undefined): Promise<Crew | undefined> {
    if (crewClass !== undefined) return this.named(crewClass);
    const crews = this.crews();
    return crews.length > 1 ? await pickClass(crews) : crews[0];
  }

  /** @param crewClass undefined for the only crew. @throws UserError if the folder has others now */
  named(crewClass: string | undefined): Crew {
    const found = this.crews().find(({ local }) => local?.crewClass === crewClass);
    if (found !== undefined) return found;
    const all = this.records.classes(this.folder).join(", ");
    throw new UserError(
      vscode.l10n.t(
        "The project of “{0}” has these crews: {1}. Name one of them.",
        this.name,
        all || this.name,
      ),
    );
  }

  async start(isEngineFree: boolean): Promise<void> {
    this.#isEngineFree = isEngineFree;
    this.#isStarting = true;
    this.#options.onChange();
    try {
      await this.serve();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.reason === "project") await this.#explain();
      throw new UserError(
        vscode.l10n.t("The local crew “{0}” did not start. {1}", this.name, error.message),
        [showLocalLogAction()],
      );
    } finally {
      this.#isStarting = this.#isEngineFree = false;
      this.#options.onChange();
    }
  }

  async setUp(): Promise<boolean> {
    const show = (isSettingUp: boolean) => {
      this.#isSettingUp = isSettingUp;
      this.#options.onChange();
    };
    const { name, uri, folder } = this;
    const setUp = engines.setUpProject(name, uri, folder === exampleFolder, () => show(true));
    return await setUp.finally(() => show(false));
  }

  async pickEngine(): Promise<LocalEngine | undefined> {
    const plan = await this.#planFor("crewai");
    const current = this.records.read(this.folder)?.engine ?? "rehearsal";
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
    const title = vscode.l10n.t("What is to run “{0}”?", this.name);
    const picked = await vscode.window.showQuickPick(items, { title });
    if (picked === undefined || picked.engine === current || !this.hasOpenExecutions())
      return picked?.engine;
    const isSure = await confirm(
      vscode.l10n.t("Change what runs “{0}”?", this.name),
      vscode.l10n.t(
        "Executions that have not ended continue that way. What runs now is interrupted.",
      ),
      picked.label,
    );
    return isSure ? picked.engine : undefined;
  }

  /** Stops a service with another engine. Undefined if the person cancels. @throws UserError if the engine can't run */
  async setEngine(engine: LocalEngine): Promise<boolean> {
    const { folder, records, name, uri } = this;
    const plan = await this.#planFor(engine);
    if (plan.engine === undefined) throw this.#cannotRun(plan);
    const isOther = records.read(folder)?.engine !== engine;
    const isForeign = !engines.isInWorkspace(uri) && folder !== exampleFolder;
    if (engine === "crewai" && isOther && isForeign) {
      const question = vscode.l10n.t("Run the code of “{0}”?", name);
      const detail = vscode.l10n.t(
        "Its folder, {0}, is not in this workspace. With crewAI, its Python code runs on this machine. Do so only if you trust it.",
        uri.fsPath,
      );
      if (!(await confirm(question, detail, vscode.l10n.t("Run with crewAI")))) return false;
    }
    if (isOther && this.isRunning) await this.stop();
    records.change(folder, { engine, isEngineChosen: true, failure: undefined });
    this.#options.onChange();
    return true;
  }

  /** Lets interrupted executions continue, or ends them; by default all. @throws NothingToDo if none of them is interrupted now */
  async decide(type: HeldDecision, kickoffIds?: readonly string[]): Promise<readonly string[]> {
    const held = this.connection?.held ?? [];
    const left = held.filter((id) => kickoffIds?.includes(id) ?? true);
    if (left.length === 0)
      throw new NothingToDo(
        vscode.l10n.t("Nothing was done: no execution of “{0}” is interrupted now.", this.name),
      );
    await this.connection?.decide(type, left);
    return left;
  }

  protected async launch(port: number, tokens: ServiceTokens, signal: AbortSignal) {
    const { extension, models } = this.#options;
    const engine = await this.#engineForStart();
    return await startService({
      program: vscode.Uri.joinPath(extension, "dist", "service.mjs").fsPath,
      folder: this.uri.fsPath,
      ...{ dataFolder: this.dataFolder, engine, port, signal, ...tokens },
      ...(engine.engine === "crewai" && {
        route: await (await models()).route(idOf(this.folder)),
      }),
    });
  }

  /** Another engine than the last one may be taken, unless executions are open or a person chose it. @throws UserError */
  async #engineForStart(): Promise<ServiceOptions["engine"]> {
    const { folder, records } = this;
    const { engine, isEngineChosen = false } = records.read(folder) ?? {};
    const isKept = !this.#isEngineFree || isEngineChosen || this.hasOpenExecutions();
    const isWished = isEngineChosen || (isKept && engine === "crewai");
    const wanted = await this.#planFor(isWished ? engine : undefined);
    // An execution that began as a rehearsal doesn't begin to cost money.
    const plan: EnginePlan =
      isKept && engine === "rehearsal" && wanted.engine === "crewai" ? { engine } : wanted;
    this.#plan = plan;
    if (plan.engine === undefined) {
      records.change(folder, { failure: plan.note });
      throw this.#cannotRun(plan);
    }
    const text = [plan.engine, plan.note ?? []].flat().join(" – ");
    this.log(vscode.l10n.t("Engine: {0}", text));
    const { python } = plan;
    if (python === undefined) return { engine: "rehearsal" };
    const value: unknown = vscode.workspace.getConfiguration("crewdeck").get("local.parallel");
    const parallel = typeof value === "number" && value >= 1 ? Math.floor(value) : 1;
    return { engine: "crewai", python, parallel };
  }

  async #planFor(wish: LocalEngine | undefined): Promise<EnginePlan> {
    const { folder, uri } = this;
    return await chooseEngine({
      wish,
      isExample: folder === exampleFolder,
      isTrusted: vscode.workspace.isTrusted,
      isInWorkspace: engines.isInWorkspace(uri),
      isUnfit: await engines.isUnfit(uri.fsPath),
      hasModel: async () =>
        modelVariables.some((name) => (process.env[name] ?? "") !== "") ||
        (await this.#options.models()).choice(idOf(folder)).use !== "project" ||
        (await isFile(path.join(await projectRoot(uri.fsPath), ".env"))),
      findInterpreter: () => engines.findInterpreter(uri),
      advice: () => engines.setUpAdvice(uri, folder === exampleFolder),
    });
  }

  #cannotRun({ obstacle, note = "" }: EnginePlan): UserError {
    const crew = idOf(this.folder);
    const text = vscode.l10n.t("“{0}” did not start. {1}", this.name, note);
    const [remedy, change] = [changeEngineAction(crew, obstacle), changeEngineAction(crew)];
    return new UserError(text, remedy.title === change.title ? [change] : [remedy, change]);
  }

  /** The executions of crews that the service no longer has belong to the first of those that it has. */
  protected setClasses(classes: readonly string[]): void {
    const before = this.crews();
    this.records.setClasses(this.folder, classes);
    const now = this.crews();
    const [to] = now;
    this.#options.onChange();
    for (const from of before)
      if (to !== undefined && !now.some(({ id }) => id === from.id))
        this.#options.crews.replaceLocal({ from, to });
  }

  protected connected(connection: Connection, isNew: boolean): void {
    const { models, titleOf } = this.#options;
    if (connection.engine === "crewai")
      models()
        .then((found) => found.follow(idOf(this.folder), connection))
        .catch((error: unknown) => this.failed("Following a crew's model", error));
    // Of several windows, one asks.
    if (connection.held.length > 0 && (isNew || vscode.window.state.focused))
      void reportInterrupted(this, titleOf).catch(showError);
  }

  protected changed(): void {
    try {
      this.#options.onChange();
    } catch (error) {
      this.failed("Reading a local crew", error);
    }
  }

  /** Starting costs nothing: no engine that costs money continues by itself. */
  protected ended(): void {
    const isSoon = performance.now() - this.#restartedAt < soonMs;
    const isRestarted = this.hasOpenExecutions() && !isSoon;
    if (isRestarted) this.#restartedAt = performance.now();
    const report = isRestarted ? Promise.resolve(true) : reportEnd(this.name);
    void report.then((again) => (again ? this.#options.startAgain() : undefined)).catch(showError);
  }

  protected failed(doing: string, error: unknown): void {
    logProblem(doing, error, this.name);
  }

  /** The error of a project that can't be rehearsed has its place. @throws ProjectError */
  async #explain(): Promise<void> {
    const { fsPath } = this.uri;
    for (const crewClass of await readClasses(fsPath))
      toRehearse(await readProject(fsPath, crewClass));
  }
}
