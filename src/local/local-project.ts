import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { showLocalLogAction } from "../crews/errors.ts";
import type { Crew, CrewReplacement, LocalCrew, LocalEngine } from "../crews/types.ts";
import { logProblem } from "../editor/log.ts";
import { showError } from "../editor/messages.ts";
import { toRehearse } from "../projects/types.ts";
import type { Connection } from "./connection.ts";
import { CrewEngine } from "./engines.ts";
import type { LocalCrewsOptions } from "./local-crews.ts";
import { LocalService } from "./local-service.ts";
import { readClasses, readProject } from "./projects.ts";
import { pickClass, reportEnd, reportInterrupted } from "./questions.ts";
import { idOf, type ProjectRecord, type ProjectRecords } from "./records.ts";
import { ServiceFailure, ServiceRefusal, startService } from "./service-process.ts";
import { TokenKeeper, tokenFile } from "./service-tokens.ts";

interface LocalProjectOptions
  extends Omit<LocalCrewsOptions, "database" | "storage">, Pick<ProjectRecord, "folder" | "name"> {
  readonly uri: vscode.Uri;
  readonly records: ProjectRecords;
  readonly log: (line: string) => void;
  /** The crew has changed. */
  readonly onChange: () => void;
  /** After its service ended by itself. */
  readonly startAgain: () => Promise<unknown>;
}

/** A project in this window: its crew or crews, which one service serves. */
export class LocalProject {
  readonly folder: string;
  readonly name: string;
  readonly engine: CrewEngine;
  readonly service: LocalService;
  readonly #options: LocalProjectOptions;
  /** Started or needed in this window. */
  #isUsed = false;
  #isStarting = false;
  /** The next start may take another engine than the last one. */
  #isEngineFree = false;

  constructor(options: LocalProjectOptions) {
    const { folder, name, uri, records, log, models } = options;
    this.#options = options;
    this.folder = folder;
    this.name = name;
    this.engine = new CrewEngine({
      ...{ folder, name, records, uri, log },
      hasOpenExecutions: () => this.hasOpenExecutions(),
      hasChosenModel: async () => (await models()).choice(idOf(folder)).use !== "project",
    });
    const dataFolder = records.dataFolder(folder);
    // A window in a browser may forget its secrets.
    const file = vscode.env.uiKind === vscode.UIKind.Web ? tokenFile(dataFolder) : undefined;
    this.service = new LocalService({
      folder,
      records,
      tokens: new TokenKeeper(options.crews, () => records.crewIds(folder), file),
      launch: async (port, tokens, signal) => {
        const engine = await this.engine.forStart(this.#isEngineFree);
        return await startService({
          program: vscode.Uri.joinPath(options.extension, "dist", "service.mjs").fsPath,
          folder: uri.fsPath,
          ...{ dataFolder, engine, port, signal, ...tokens },
          ...(engine.engine === "crewai" && { route: await (await models()).route(idOf(folder)) }),
        });
      },
      onClasses: (classes) => this.#setClasses(classes),
      isNeeded: () => this.#isUsed || this.hasOpenExecutions(),
      onConnected: (connection, isNew) => this.#connected(connection, isNew),
      onChange: () => {
        try {
          options.onChange();
        } catch (error) {
          logProblem("Reading a local crew", error, name);
        }
      },
      onLine: log,
      // Starting costs nothing: no engine that costs money continues by itself.
      onEnded: () => {
        const isRestarted = this.hasOpenExecutions() && records.noteRestart(folder);
        const report = isRestarted ? Promise.resolve(true) : reportEnd(name);
        void report.then((again) => (again ? options.startAgain() : undefined)).catch(showError);
      },
      onProblem: logProblem,
    });
  }

  get isRunning(): boolean {
    return this.service.url !== undefined;
  }

  hasOpenExecutions(): boolean {
    return this.#options.records.crewIds(this.folder).some(this.#options.hasOpenExecutions);
  }

  /** None if another window has removed them. */
  crews(): readonly Crew[] {
    const { records } = this.#options;
    const record = records.read(this.folder);
    if (record === undefined) return [];
    const whole = this.#crew(record);
    const classes = records.classes(this.folder);
    if (classes.length === 0) return [whole];
    return classes.map((crewClass) => ({
      ...whole,
      id: idOf(this.folder, crewClass),
      name: `${whole.name}: ${crewClass}`,
      url: `${whole.url}/${crewClass}`,
      local: { ...whole.local, crewClass },
    }));
  }

  /** By default the first. Undefined if another window has removed it. */
  crew(crewClass?: string): Crew | undefined {
    return this.crews().find(
      ({ local }) => crewClass === undefined || local?.crewClass === crewClass,
    );
  }

  /** The crew that is meant; asks if there are several. Undefined if the person cancels. @throws UserError */
  async chosen(crewClass: string | undefined): Promise<Crew | undefined> {
    const crews = this.crews();
    if (crewClass !== undefined) return this.named(crewClass);
    return crews.length > 1 ? await pickClass(crews) : crews[0];
  }

  /** @param crewClass undefined for the only crew. @throws UserError if the folder has others now */
  named(crewClass: string | undefined): Crew {
    const found = this.crews().find(({ local }) => local?.crewClass === crewClass);
    if (found !== undefined) return found;
    const all = this.#options.records.classes(this.folder).join(", ");
    if (all === "")
      throw new UserError(vscode.l10n.t("The project of “{0}” has only one crew.", this.name));
    throw new UserError(
      crewClass === undefined
        ? vscode.l10n.t("The project of “{0}” has several crews: {1}.", this.name, all)
        : vscode.l10n.t(
            "The project of “{0}” has no crew “{1}”. It has {2}.",
            this.name,
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
      await this.service.start();
    } catch (error) {
      if (error instanceof ServiceRefusal && error.reason === "project") await this.#explain();
      if (!(error instanceof ServiceRefusal || error instanceof ServiceFailure)) throw error;
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
    const { records, onChange } = this.#options;
    const isOther = records.read(this.folder)?.engine !== engine;
    if (isOther && this.isRunning) await this.end();
    records.change(this.folder, { engine, isEngineChosen: true, failure: undefined });
    onChange();
    return true;
  }

  /** In all windows, until it is started again. @throws UserError */
  async stop(): Promise<void> {
    this.#isUsed = false;
    await this.end();
  }

  /** @throws UserError if it doesn't end */
  async end(): Promise<void> {
    if (await this.service.stop()) return;
    throw new UserError(
      vscode.l10n.t(
        "The local crew “{0}” does not stop: another process uses its data and does not respond.",
        this.name,
      ),
    );
  }

  /** As other rooms see it. */
  #crew({ failure, wanted, port, engine = "rehearsal" }: ProjectRecord): Crew & {
    readonly local: LocalCrew;
  } {
    const { url, connection } = this.service;
    const note = connection && this.engine.note;
    const interrupted = connection?.held ?? [];
    const idle: Pick<LocalCrew, "starting" | "failure" | "ranBefore"> = this.#isStarting
      ? { starting: true }
      : failure !== undefined
        ? { failure }
        : { ...(wanted && { ranBefore: true }) };
    return {
      id: idOf(this.folder),
      name: this.name,
      url: url ?? `http://127.0.0.1:${port}`,
      local: {
        folder: this.#options.uri.toString(),
        engine,
        running: url !== undefined,
        ...(note !== undefined && { engineNote: note }),
        ...(url === undefined ? idle : interrupted.length > 0 && { interrupted }),
      },
    };
  }

  /** The executions of crews that the service no longer has belong to the first of those that it has. */
  #setClasses(classes: readonly string[]): void {
    const { records, crews, onChange } = this.#options;
    const before = this.crews();
    records.setClasses(this.folder, classes);
    const now = this.crews();
    const [to] = now;
    onChange();
    const gone = before.filter(({ id }) => !now.some((each) => each.id === id));
    const replaced: CrewReplacement[] = to === undefined ? [] : gone.map((from) => ({ from, to }));
    for (const each of replaced) crews.replaceLocal(each);
  }

  #connected(connection: Connection, isNew: boolean): void {
    const { engine, held } = connection;
    const { models, titleOf } = this.#options;
    if (engine === "crewai")
      models()
        .then((found) => found.follow(idOf(this.folder), connection))
        .catch((error: unknown) => logProblem("Following a crew's model", error, this.name));
    // Of several windows, one asks.
    if (held.length > 0 && (isNew || vscode.window.state.focused))
      void reportInterrupted(this, held, titleOf).catch(showError);
  }

  /** The error of a project that can't be rehearsed has its place. @throws ProjectError */
  async #explain(): Promise<void> {
    const { fsPath } = this.#options.uri;
    const classes = await readClasses(fsPath);
    for (const crewClass of classes.length > 0 ? classes : [undefined])
      toRehearse(await readProject(fsPath, crewClass));
  }
}
