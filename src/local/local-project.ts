import * as vscode from "vscode";
import { NothingToDo, UserError } from "../base/errors.ts";
import type { HeldDecision } from "../base/window-protocol.ts";
import { showLocalLogAction } from "../crews/errors.ts";
import type { Crew, LocalEngine } from "../crews/types.ts";
import { logProblem } from "../editor/log.ts";
import { showError } from "../editor/messages.ts";
import { toRehearse } from "../projects/types.ts";
import type { Connection } from "./connection.ts";
import { CrewEngine } from "./engines.ts";
import type { LocalCrewsOptions } from "./local-crews.ts";
import { LocalService, type ServiceTokens } from "./local-service.ts";
import { readClasses, readProject } from "./projects.ts";
import { pickClass, reportEnd, reportInterrupted } from "./questions.ts";
import { idOf, type ProjectRecord, type ProjectRecords } from "./records.ts";
import { ServiceError, startService } from "./service-process.ts";

interface LocalProjectOptions
  extends Omit<LocalCrewsOptions, "database" | "storage">, Pick<ProjectRecord, "folder" | "name"> {
  readonly uri: vscode.Uri;
  readonly records: ProjectRecords;
  readonly log: (line: string) => void;
  readonly onChange: () => void;
  readonly startAgain: () => Promise<unknown>;
}

/** A project in this window: its crew or crews, which one service serves. */
export class LocalProject extends LocalService {
  readonly name: string;
  readonly uri: vscode.Uri;
  readonly engine: CrewEngine;
  readonly log: (line: string) => void;
  readonly #options: LocalProjectOptions;
  /** Started or needed in this window. */
  #isUsed = false;
  #isStarting = false;
  /** The next start may take another engine than the last one. */
  #isEngineFree = false;

  constructor(options: LocalProjectOptions) {
    const hasTokenFile = vscode.env.uiKind === vscode.UIKind.Web;
    super({ ...options, hasTokenFile });
    ({ name: this.name, uri: this.uri, log: this.log } = options);
    this.#options = options;
    this.engine = new CrewEngine(this);
  }

  get isRunning(): boolean {
    return this.url !== undefined;
  }

  hasOpenExecutions(): boolean {
    return this.records.crewIds(this.folder).some(this.#options.hasOpenExecutions);
  }

  async hasChosenModel(): Promise<boolean> {
    return (await this.#options.models()).choice(idOf(this.folder)).use !== "project";
  }

  /** None if another window has removed them. */
  crews(): readonly Crew[] {
    const record = this.records.read(this.folder);
    if (record === undefined) return [];
    const { failure, wanted, port, engine = "rehearsal" } = record;
    const { url, connection } = this;
    const note = connection && this.engine.note;
    const interrupted = connection?.held ?? [];
    const idle = this.#isStarting
      ? { starting: true as const }
      : failure !== undefined
        ? { failure }
        : wanted && { ranBefore: true as const };
    const local = {
      ...{ folder: this.uri.toString(), engine, running: url !== undefined },
      ...(note !== undefined && { engineNote: note }),
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

  /** By default the first. Undefined if another window has removed it. */
  crew(crewClass?: string): Crew | undefined {
    const crews = this.crews();
    return crewClass === undefined
      ? crews[0]
      : crews.find(({ local }) => local?.crewClass === crewClass);
  }

  /** The crew that is meant; asks if there are several. Undefined if the person cancels. @throws UserError */
  async chosen(crewClass: string | undefined): Promise<Crew | undefined> {
    if (crewClass !== undefined) return this.named(crewClass);
    const crews = this.crews();
    return crews.length > 1 ? await pickClass(crews) : crews[0];
  }

  /** @param crewClass undefined for the only crew. @throws UserError if the folder has others now */
  named(crewClass: string | undefined): Crew {
    const found = this.crews().find(({ local }) => local?.crewClass === crewClass);
    if (found !== undefined) return found;
    const { name } = this;
    const all = this.records.classes(this.folder).join(", ");
    if (all === "")
      throw new UserError(vscode.l10n.t("The project of “{0}” has only one crew.", name));
    throw new UserError(
      crewClass === undefined
        ? vscode.l10n.t("The project of “{0}” has several crews: {1}.", name, all)
        : vscode.l10n.t(
            "The project of “{0}” has no crew “{1}”. It has {2}.",
            name,
            crewClass,
            all,
          ),
    );
  }

  /** @throws ProjectError, UserError */
  async start(isEngineFree: boolean): Promise<void> {
    this.#isUsed = true;
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

  /** Stops a service with another engine. False if the person cancels. @throws UserError if the engine can't run */
  async setEngine(engine: LocalEngine): Promise<boolean> {
    if (!(await this.engine.allows(engine))) return false;
    const isOther = this.records.read(this.folder)?.engine !== engine;
    if (isOther && this.isRunning) await this.stop();
    this.records.change(this.folder, { engine, isEngineChosen: true, failure: undefined });
    this.#options.onChange();
    return true;
  }

  /** Lets interrupted executions continue, or ends them. @throws NothingToDo if none of them is interrupted now */
  async decide(type: HeldDecision, kickoffIds: readonly string[]): Promise<readonly string[]> {
    const left = this.connection?.held.filter((id) => kickoffIds.includes(id)) ?? [];
    if (left.length === 0)
      throw new NothingToDo(
        vscode.l10n.t("Nothing was done: what was interrupted is decided already."),
      );
    await this.connection?.decide(type, left);
    return left;
  }

  override async stop(): Promise<void> {
    this.#isUsed = false;
    await super.stop();
  }

  protected async launch(port: number, tokens: ServiceTokens, signal: AbortSignal) {
    const { extension, models } = this.#options;
    const engine = await this.engine.forStart(this.#isEngineFree);
    return await startService({
      program: vscode.Uri.joinPath(extension, "dist", "service.mjs").fsPath,
      folder: this.uri.fsPath,
      ...{ dataFolder: this.dataFolder, engine, port, signal, ...tokens },
      ...(engine.engine === "crewai" && {
        route: await (await models()).route(idOf(this.folder)),
      }),
    });
  }

  protected isNeeded(): boolean {
    return this.#isUsed || this.hasOpenExecutions();
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
    const isRestarted = this.hasOpenExecutions() && this.records.noteRestart(this.folder);
    const report = isRestarted ? Promise.resolve(true) : reportEnd(this.name);
    void report.then((again) => (again ? this.#options.startAgain() : undefined)).catch(showError);
  }

  protected failed(doing: string, error: unknown): void {
    logProblem(doing, error, this.name);
  }

  /** The error of a project that can't be rehearsed has its place. @throws ProjectError */
  async #explain(): Promise<void> {
    const { fsPath } = this.uri;
    const classes = await readClasses(fsPath);
    for (const crewClass of classes.length > 0 ? classes : [undefined])
      toRehearse(await readProject(fsPath, crewClass));
  }
}
