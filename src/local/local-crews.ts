import { access } from "node:fs/promises";
import * as vscode from "vscode";
import { Disposables } from "../base/events.ts";
import { uniqueName } from "../crews/identity.ts";
import type { Crew, LocalEngine } from "../crews/types.ts";
import { logProblem } from "../editor/log.ts";
import { showError } from "../editor/messages.ts";
import { ProjectError } from "../projects/types.ts";
import type { CrewEngines } from "./crew-engines.ts";
import {
  folderGone,
  neverStarted,
  nothingInterrupted,
  notStopped,
  removedError,
} from "./errors.ts";
import { FolderCrews, type KeptCrew } from "./folder-crews.ts";
import { Folders } from "./folders.ts";
import {
  classOf,
  exampleFolder,
  folderOf,
  idOf,
  KnownCrews,
  type KnownCrew,
} from "./known-crews.ts";
import type { LocalCrewsOptions, StartLocalCrew } from "./options.ts";
import {
  explainingPlace,
  forPerson,
  readClasses,
  readProject,
  workspaceProjects,
} from "./projects.ts";
import type { HeldDecision } from "../base/window-protocol.ts";

/**
 * The crews that are served on this machine. Nothing is written to the settings, which may sync.
 */
export class LocalCrews implements vscode.Disposable {
  readonly #owned = new Disposables();
  readonly #options: LocalCrewsOptions;
  readonly #folders: Folders;
  readonly #store: KnownCrews;
  readonly #rows: FolderCrews;
  readonly #log: vscode.OutputChannel;
  /** Those whose folder exists, by folder. */
  readonly #kept = new Map<string, KeptCrew>();
  #engines: CrewEngines | undefined;
  #refreshing: Promise<void> | undefined;
  #published = "[]";
  #isDisposed = false;

  constructor(options: LocalCrewsOptions) {
    const { crews, database, storage, extension } = options;
    this.#options = options;
    this.#folders = new Folders(extension, process.env["CREWDECK_EXAMPLE_CREW"]);
    this.#store = new KnownCrews(database, vscode.Uri.joinPath(storage, "local").fsPath);
    this.#rows = new FolderCrews(this.#store, this.#folders);
    this.#log = this.#owned.add(
      vscode.window.createOutputChannel(vscode.l10n.t("Crewdeck: local crew")),
    );
    crews.startLocalWith((crewId) => this.ensureRunning(crewId));
    this.#owned.add(
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.#trusted().catch(showError)),
    );
    // Another window may have started a new crew.
    this.#owned.add(
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused)
          this.refresh().catch((error: unknown) => logProblem("Reading the local crews", error));
      }),
    );
  }

  /** Also uses the crews that run. Reads a secret only of those. */
  async refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
  }

  /** Restarts crews that ran and have an open execution. Logs failures. */
  async restore(): Promise<void> {
    await this.refresh();
    for (const { folder, name, wanted } of this.#store.list()) {
      const isNeeded = wanted && this.#hasOpenExecutions(folder);
      const kept = this.#kept.get(folder);
      if (isNeeded && kept !== undefined && kept.keeper.url === undefined)
        await this.#run(folder).catch((error: unknown) =>
          logProblem("Starting a local crew again", error, name),
        );
    }
  }

  list(): readonly Crew[] {
    return [...this.#kept.values()].flatMap((kept) => this.#rows.crewsOf(kept));
  }

  /** Undefined if the person cancels. @throws UserError if the service doesn't start */
  async start(options: StartLocalCrew = {}): Promise<Crew | undefined> {
    const { folder, engine, here = false, onChosen } = options;
    const found = folder === undefined && here ? await workspaceProjects() : [];
    const only = folder ?? (found.length === 1 ? found[0] : undefined);
    const chosen =
      only === undefined
        ? await (await import("./pick.ts")).pickProject(this.#folders, this.list())
        : { folder: this.#folders.nameOf(only), crewClass: options.crewClass };
    if (chosen === undefined) return undefined;
    onChosen?.();
    const crew = await this.#run(chosen.folder, { isEngineFree: true, engine });
    return crew && (await this.#rows.oneOf(this.#keptOf(crew.id), chosen.crewClass));
  }

  /** The engine for the next kickoffs: a running service is started again. Undefined if the person cancels. @throws UserError if the engine can't run */
  async changeEngine(crewId: string, engine?: LocalEngine): Promise<Crew | undefined> {
    const kept = this.#keptOf(crewId);
    const chosen = engine ?? (await kept.engines.pick(kept));
    if (chosen === undefined) return undefined;
    const isRunning = kept.keeper.url !== undefined;
    if (!(await this.#setEngine(kept, chosen))) return undefined;
    if (isRunning) await this.#run(kept.folder);
    return this.#rows.crewOf(kept, classOf(crewId));
  }

  /** Whether a person's own crew doesn't run with crewAI because it isn't installed. */
  lacksCrewai(crewId: string): boolean {
    const folder = folderOf(crewId);
    const obstacle = this.#kept.get(folder)?.engines.obstacleOf(folder);
    return folder !== exampleFolder && (obstacle === "python" || obstacle === "crewai");
  }

  /**
   * Installs crewAI after a question. A crew that only lacked it runs with it from now on; for others,
   * it is offered. Undefined if the person says no. @throws UserError
   */
  async setUp(crewId: string): Promise<Crew | undefined> {
    const kept = this.#keptOf(crewId);
    const [{ setUpProject }, { offerCrewai }] = await Promise.all([
      import("./set-up.ts"),
      import("./notices.ts"),
    ]);
    const found = await setUpProject(kept.name, this.#folders.uriOf(kept.folder), {
      isExample: kept.folder === exampleFolder,
    });
    if (found === undefined) return undefined;
    if (this.lacksCrewai(crewId) && !this.#hasOpenExecutions(kept.folder))
      await this.#startAgain(kept);
    else if (await offerCrewai(kept.name, found)) return await this.changeEngine(crewId, "crewai");
    return this.#rows.crewOf(kept, classOf(crewId));
  }

  /** Lets interrupted executions of a crew continue, or ends them. @returns `kickoffIds`. @throws UserError */
  async decideInterrupted(
    crewId: string,
    type: HeldDecision,
    kickoffIds: readonly string[],
  ): Promise<readonly string[]> {
    const { name, keeper } = this.#keptOf(crewId);
    if (kickoffIds.length === 0) throw nothingInterrupted(name);
    await keeper.decide(type, kickoffIds);
    return kickoffIds;
  }

  async ensureRunning(crewId: string): Promise<Crew> {
    const folder = folderOf(crewId);
    if (!this.#kept.has(folder)) await this.refresh();
    const kept = this.#kept.get(folder);
    if (kept === undefined) throw folderGone();
    await this.#run(folder);
    return this.#rows.named(kept, classOf(crewId));
  }

  /** In any window. Undefined if cancelled. @throws UserError if unknown or not stopped there */
  async stop({ folder }: { readonly folder?: string } = {}): Promise<Crew | undefined> {
    const name =
      folder === undefined
        ? await (await import("./pick.ts")).pickRunning(this.list(), this.#folders)
        : this.#folders.nameOf(folder);
    if (name === undefined) return undefined;
    const local = this.#kept.get(name);
    if (local === undefined) throw neverStarted(folder ?? name);
    local.isUsed = false;
    await this.#end(local);
    this.#publish();
    return this.#rows.crewOf(local);
  }

  /** Deletes the service's data and tokens; folder and executions stay. @throws UserError */
  async remove(crewId: string): Promise<void> {
    const local = this.#keptOf(crewId);
    await this.#end(local);
    const { crews, models } = this.#options;
    const ids = this.#rows.idsOf(local.folder);
    await this.#store.forget(local.folder);
    for (const id of ids) await crews.setTokens(id, undefined);
    await (await models()).forget(idOf(local.folder));
    this.#drop(local);
    this.#publish();
  }

  count(): number {
    return this.#store.list().length;
  }

  /** Also those whose folder is gone. @returns those that could not be removed */
  async removeAll(): Promise<readonly { readonly dataFolder: string; readonly error: unknown }[]> {
    await this.refresh();
    const left: { dataFolder: string; error: unknown }[] = [];
    for (const known of this.#store.list()) {
      await this.#add(known);
      await this.remove(idOf(known.folder)).catch((error: unknown) =>
        left.push({ dataFolder: this.#store.dataFolder(known.folder), error }),
      );
    }
    return left;
  }

  showLog(): void {
    this.#log.show();
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const { keeper } of this.#kept.values()) keeper.dispose();
    this.#owned.dispose();
  }

  async #refresh(): Promise<void> {
    const known = this.#store.list();
    for (const kept of this.#kept.values())
      if (!known.some(({ folder }) => folder === kept.folder)) this.#drop(kept);
    for (const crew of known) {
      // A folder may be gone, or on a drive that isn't mounted now.
      const found = access(this.#folders.uriOf(crew.folder).fsPath).then(
        () => true,
        () => false,
      );
      if (this.#kept.has(crew.folder) || (await found)) await (await this.#add(crew)).keeper.join();
    }
    this.#publish();
  }

  #drop({ folder, keeper }: KeptCrew): void {
    keeper.dispose();
    this.#kept.delete(folder);
  }

  #publish(): void {
    const list = this.list();
    const text = JSON.stringify(list);
    if (text === this.#published) return;
    this.#published = text;
    this.#options.crews.setLocal(list);
  }

  #hasOpenExecutions(folder: string): boolean {
    return this.#rows.idsOf(folder).some(this.#options.hasOpenExecutions);
  }

  async #end({ name, keeper }: KeptCrew): Promise<void> {
    if (await keeper.stop()) return;
    throw notStopped(name);
  }

  /** Loads its code with the first local crew. */
  async #add({ folder, name }: KnownCrew): Promise<KeptCrew> {
    const [{ CrewKeeper }, { startService }, { TokenKeeper, tokenFile }, { CrewEngines }, notices] =
      await Promise.all([
        import("./crew-keeper.ts"),
        import("./service-process.ts"),
        import("./service-tokens.ts"),
        import("./crew-engines.ts"),
        import("./notices.ts"),
      ]);
    const present = this.#kept.get(folder);
    if (present !== undefined) return present;
    const { crews, extension, models } = this.#options;
    const engines = (this.#engines ??= new CrewEngines({
      known: this.#store,
      uriOf: (each) => this.#folders.uriOf(each),
      hasOpenExecutions: (each) => this.#hasOpenExecutions(each),
      hasChosenModel: async (each) => (await models()).choice(idOf(each)).use !== "project",
      log: (crew, line) => this.#log.appendLine(`[${crew}] ${line}`),
    }));
    const dataFolder = this.#store.dataFolder(folder);
    // A window in a browser may forget its secrets.
    const file = vscode.env.uiKind === vscode.UIKind.Web ? tokenFile(dataFolder) : undefined;
    const keeper = new CrewKeeper({
      folder,
      known: this.#store,
      tokens: new TokenKeeper(crews, () => this.#rows.idsOf(folder), file),
      launch: async (port, tokens, signal) => {
        const engine = await engines.forStart(kept, kept.isEngineFree);
        return await startService({
          program: vscode.Uri.joinPath(extension, "dist", "service.mjs").fsPath,
          folder: this.#folders.uriOf(folder).fsPath,
          ...{ dataFolder, engine, port, signal, ...tokens },
          ...(engine.engine === "crewai" && { route: await (await models()).route(idOf(folder)) }),
        });
      },
      onClasses: (classes) => {
        const replaced = this.#rows.setClasses(kept, classes);
        this.#publish();
        for (const each of replaced) crews.replaceLocal(each);
      },
      isNeeded: () => this.#kept.get(folder)?.isUsed === true || this.#hasOpenExecutions(folder),
      onConnected: (connection, isNew) => {
        const { engine, held } = connection;
        if (engine === "crewai")
          models()
            .then((found) => found.follow(idOf(folder), connection))
            .then(() => this.#offerModels(kept))
            .catch((error: unknown) => logProblem("Following a crew's model", error, name));
        // Of several windows, one asks.
        if (held.length > 0 && (isNew || vscode.window.state.focused))
          void notices.reportInterrupted(kept, held, this.#options.titleOf).catch(showError);
      },
      onChange: () => {
        try {
          this.#publish();
        } catch (error) {
          logProblem("Reading a local crew", error, name);
        }
        this.#offerModels(kept);
      },
      onLine: (line) => this.#isDisposed || this.#log.appendLine(`[${name}] ${line}`),
      // Starting costs nothing: no engine that costs money continues by itself.
      onEnded: () => {
        const isRestarted = this.#hasOpenExecutions(folder) && this.#store.noteRestart(folder);
        const report = isRestarted ? Promise.resolve(true) : notices.reportEnd(name);
        void report.then((again) => (again ? this.#run(folder) : undefined)).catch(showError);
      },
      onProblem: logProblem,
    });
    const kept: KeptCrew = {
      folder,
      name,
      keeper,
      engines,
      isUsed: false,
      isStarting: false,
      isEngineFree: false,
    };
    this.#kept.set(folder, kept);
    return kept;
  }

  /** @param engine a new choice; undefined if the person cancels it */
  async #run(
    folder: string,
    options: { isEngineFree: true; engine: LocalEngine | undefined },
  ): Promise<Crew | undefined>;
  async #run(folder: string): Promise<Crew>;
  async #run(
    folder: string,
    {
      isEngineFree = false,
      engine,
    }: { isEngineFree?: boolean; engine?: LocalEngine | undefined } = {},
  ): Promise<Crew | undefined> {
    const location = vscode.ProgressLocation.Window;
    const title = vscode.l10n.t("Starting a local crew");
    return await vscode.window.withProgress({ location, title }, async () => {
      const local = this.#kept.get(folder);
      const uri = this.#folders.uriOf(folder);
      const isNew = this.#store.read(folder) === undefined;
      try {
        const kept = local ?? (await this.#add(await this.#addKnown(folder)));
        if (engine !== undefined && !(await this.#setEngine(kept, engine))) return undefined;
        return await this.#serve(kept, isEngineFree);
      } catch (error) {
        if (error instanceof ProjectError)
          if (isNew) await this.#forget(folder);
          else this.#store.change(folder, { failure: error.message });
        this.#publish();
        throw forPerson(error, uri, local?.name ?? uri.fsPath);
      }
    });
  }

  async #serve(local: KeptCrew, isEngineFree: boolean): Promise<Crew> {
    local.isUsed = true;
    local.isEngineFree = isEngineFree;
    local.isStarting = true;
    this.#publish();
    try {
      await this.#start(local);
    } finally {
      local.isStarting = local.isEngineFree = false;
      this.#publish();
    }
    const crew = this.#rows.crewOf(local);
    if (crew === undefined) throw removedError();
    return crew;
  }

  async #start({ folder, keeper }: KeptCrew): Promise<void> {
    const { fsPath } = this.#folders.uriOf(folder);
    await explainingPlace(fsPath, () => keeper.start());
  }

  /** Crews that were rehearsed only because the workspace wasn't trusted. */
  async #trusted(): Promise<void> {
    for (const kept of this.#kept.values())
      if (
        kept.keeper.url !== undefined &&
        kept.engines.obstacleOf(kept.folder) === "trust" &&
        !this.#hasOpenExecutions(kept.folder)
      )
        await this.#startAgain(kept);
  }

  /** A crew that never ran. */
  async #forget(folder: string): Promise<void> {
    const kept = this.#kept.get(folder);
    if (kept !== undefined) this.#drop(kept);
    await this.#store.forget(folder);
  }

  /** With the engine that can run now. */
  async #startAgain(kept: KeptCrew): Promise<Crew | undefined> {
    await this.#end(kept);
    return await this.#run(kept.folder, { isEngineFree: true, engine: undefined });
  }

  async #addKnown(folder: string): Promise<KnownCrew> {
    const known = this.#store.read(folder);
    if (known !== undefined) return known;
    const { fsPath } = this.#folders.uriOf(folder);
    const [first] = await readClasses(fsPath);
    const { name } = (await readProject(fsPath, first)).project;
    const taken = this.#options.crews.list().map((crew) => crew.name);
    return this.#store.add({ folder, name: uniqueName(name, taken), port: 0, wanted: false });
  }

  #keptOf(crewId: string): KeptCrew {
    const kept = this.#kept.get(folderOf(crewId));
    if (kept === undefined) throw removedError();
    return kept;
  }

  /** Stops a service with another engine. False if the person cancels. @throws UserError if the engine can't run */
  async #setEngine(kept: KeptCrew, engine: LocalEngine): Promise<boolean> {
    if (!(await kept.engines.allows(kept, engine))) return false;
    const isOther = this.#store.read(kept.folder)?.engine !== engine;
    if (isOther && kept.keeper.url !== undefined) await this.#end(kept);
    this.#store.change(kept.folder, { engine, isEngineChosen: true, failure: undefined });
    this.#publish();
    return true;
  }

  #offerModels({ folder, name, keeper }: KeptCrew): void {
    if (keeper.connection?.needsModels !== true) return;
    this.#options
      .models()
      .then((models) => models.offer(idOf(folder)))
      .catch((error: unknown) => logProblem("Answering a crew's call to a model", error, name));
  }
}
