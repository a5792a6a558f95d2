import { access } from "node:fs/promises";
import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { Disposables } from "../base/events.ts";
import type { Crews } from "../crews/crews.ts";
import { uniqueName } from "../crews/identity.ts";
import type { Crew, LocalEngine } from "../crews/types.ts";
import { viewId } from "../editor/manifest.ts";
import { logProblem } from "../editor/log.ts";
import { showError } from "../editor/messages.ts";
import { ProjectError } from "../projects/types.ts";
import type { Database } from "../store/database.ts";
import type { CrewEngines } from "./crew-engines.ts";
import { neverStarted, nothingInterrupted, removedError } from "./errors.ts";
import { Folders } from "./folders.ts";
import { crewOf, type CrewModels, type KeptCrew } from "./kept-crew.ts";
import { exampleFolder, folderOf, idOf, KnownCrews, type KnownCrew } from "./known-crews.ts";
import { forPerson, readProject, workspaceProjects } from "./projects.ts";
import type { HeldDecision } from "../base/window-protocol.ts";

interface LocalCrewsOptions {
  readonly crews: Crews;
  readonly database: Database;
  /** For the services' data; shared by all windows. */
  readonly storage: vscode.Uri;
  /** The extension's folder, with the service's program and the example crew. */
  readonly extension: vscode.Uri;
  /** Whether the crew's service is needed. */
  readonly hasOpenExecutions: (crewId: string) => boolean;
  readonly models: () => Promise<CrewModels>;
}

interface StartLocalCrew {
  /** Path or URI; otherwise the person chooses. */
  readonly folder?: string;
  readonly engine?: LocalEngine;
  /** Called when the crew is known, before it starts. */
  readonly onChosen?: () => void;
  /** Starts the workspace's only crew project without a question. */
  readonly here?: boolean;
}

/**
 * The crews that are served on this machine. Nothing is written to the settings, which may sync.
 */
export class LocalCrews implements vscode.Disposable {
  readonly #owned = new Disposables();
  readonly #options: LocalCrewsOptions;
  readonly #folders: Folders;
  readonly #store: KnownCrews;
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
      const isNeeded = wanted && this.#options.hasOpenExecutions(idOf(folder));
      const kept = this.#kept.get(folder);
      if (isNeeded && kept !== undefined && kept.keeper.url === undefined)
        await this.#run(folder).catch((error: unknown) =>
          logProblem("Starting a local crew again", error, name),
        );
    }
  }

  list(): readonly Crew[] {
    return [...this.#kept.values()].flatMap((kept) => this.#crewOf(kept) ?? []);
  }

  /** Undefined if the person cancels. @throws UserError if the service doesn't start */
  async start(options: StartLocalCrew = {}): Promise<Crew | undefined> {
    const { folder, engine, here = false, onChosen } = options;
    const found = folder === undefined && here ? await workspaceProjects() : [];
    const only = folder ?? (found.length === 1 ? found[0] : undefined);
    const name =
      only === undefined
        ? await (await import("./pick.ts")).pickProject(this.#folders, this.list())
        : this.#folders.nameOf(only);
    if (name === undefined) return undefined;
    onChosen?.();
    return await this.#run(name, { isEngineFree: true, engine });
  }

  /** The engine for the next kickoffs: a running service is started again. Undefined if the person cancels. @throws UserError if the engine can't run */
  async changeEngine(crewId: string, engine?: LocalEngine): Promise<Crew | undefined> {
    const kept = this.#keptOf(crewId);
    const chosen = engine ?? (await kept.engines.pick(kept));
    if (chosen === undefined) return undefined;
    const isRunning = kept.keeper.url !== undefined;
    if (!(await this.#setEngine(kept, chosen))) return undefined;
    return isRunning ? await this.#run(kept.folder) : this.#crewOf(kept);
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
    if (this.lacksCrewai(crewId) && !this.#options.hasOpenExecutions(crewId))
      return await this.#startAgain(kept);
    return (await offerCrewai(kept.name, found))
      ? await this.changeEngine(crewId, "crewai")
      : this.#crewOf(kept);
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

  /** `npm start` sets CREWDECK_START_LOCAL to a crew's folder. A workspace can't. */
  startForDevelopment(): void {
    const folder = process.env["CREWDECK_START_LOCAL"] ?? "";
    if (folder === "") return;
    // First, because the view would later take the focus from what the person does meanwhile.
    Promise.resolve(vscode.commands.executeCommand(`${viewId}.focus`))
      .then(() => this.start({ folder }))
      .catch((error: unknown) => logProblem("Starting the crew of CREWDECK_START_LOCAL", error));
  }

  async ensureRunning(crewId: string): Promise<Crew> {
    const folder = folderOf(crewId);
    if (!this.#kept.has(folder)) await this.refresh();
    if (this.#kept.has(folder)) return await this.#run(folder);
    throw new UserError(
      vscode.l10n.t("This local crew's folder is gone. Start the crew from where it is now."),
    );
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
    return this.#crewOf(local);
  }

  /** Deletes the service's data and tokens; folder and executions stay. @throws UserError */
  async remove(crewId: string): Promise<void> {
    const local = this.#keptOf(crewId);
    await this.#end(local);
    await this.#store.forget(local.folder);
    await this.#options.crews.setTokens(crewId, undefined);
    await (await this.#options.models()).forget(crewId);
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

  /** Undefined if another window has removed it. */
  #crewOf(kept: KeptCrew): Crew | undefined {
    const known = this.#store.read(kept.folder);
    return known && crewOf(kept, known, this.#folders.uriOf(kept.folder).toString());
  }

  async #end({ name, keeper }: KeptCrew): Promise<void> {
    if (await keeper.stop()) return;
    throw new UserError(
      vscode.l10n.t(
        "The local crew “{0}” does not stop: another process uses its data and does not respond.",
        name,
      ),
    );
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
    const { crews, extension, models, hasOpenExecutions } = this.#options;
    const engines = (this.#engines ??= new CrewEngines({
      known: this.#store,
      uriOf: (each) => this.#folders.uriOf(each),
      hasOpenExecutions: (each) => hasOpenExecutions(idOf(each)),
      hasChosenModel: async (each) => (await models()).choice(idOf(each)).use !== "project",
      log: (crew, line) => this.#log.appendLine(`[${crew}] ${line}`),
    }));
    const dataFolder = this.#store.dataFolder(folder);
    // A window in a browser may forget its secrets.
    const isBrowser = vscode.env.uiKind === vscode.UIKind.Web;
    const keeper = new CrewKeeper({
      folder,
      known: this.#store,
      tokens: new TokenKeeper(crews, idOf(folder), isBrowser ? tokenFile(dataFolder) : undefined),
      launch: async (port, tokens, signal) => {
        const engine = await engines.forStart(kept, kept.isEngineFree);
        return await startService({
          program: vscode.Uri.joinPath(extension, "dist", "service.mjs").fsPath,
          folder: this.#folders.uriOf(folder).fsPath,
          ...{ dataFolder, engine, port, signal, ...tokens },
          ...(engine.engine === "crewai" && { route: await (await models()).route(idOf(folder)) }),
        });
      },
      isNeeded: () => this.#kept.get(folder)?.isUsed === true || hasOpenExecutions(idOf(folder)),
      onConnected: (connection, isNew) => {
        const { engine, held } = connection;
        if (engine === "crewai")
          models()
            .then((found) => found.follow(idOf(folder), connection))
            .then(() => this.#offerModels(kept))
            .catch((error: unknown) => logProblem("Following a crew's model", error, name));
        // Of several windows, one asks.
        if (held.length > 0 && (isNew || vscode.window.state.focused))
          void notices.reportInterrupted(idOf(folder), name, held.length).catch(showError);
      },
      onChange: () => {
        this.#tryTo("Reading a local crew", name, () => this.#publish());
        this.#offerModels(kept);
      },
      onLine: (line) => this.#isDisposed || this.#log.appendLine(`[${name}] ${line}`),
      onEnded: () =>
        void notices
          .reportEnd(name)
          .then((again) => (again ? this.#run(folder) : undefined))
          .catch(showError),
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
      try {
        const kept = local ?? (await this.#add(await this.#addKnown(folder)));
        if (engine !== undefined && !(await this.#setEngine(kept, engine))) return undefined;
        return await this.#serve(kept, isEngineFree);
      } catch (error) {
        if (error instanceof ProjectError) this.#store.change(folder, { failure: error.message });
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
      // Read first: the error of a broken project has its place.
      if (local.keeper.url === undefined)
        await readProject(this.#folders.uriOf(local.folder).fsPath);
      await local.keeper.start();
    } finally {
      local.isStarting = local.isEngineFree = false;
      this.#publish();
    }
    const crew = this.#crewOf(local);
    if (crew === undefined) throw removedError();
    return crew;
  }

  /** Crews that were rehearsed only because the workspace wasn't trusted. */
  async #trusted(): Promise<void> {
    for (const kept of this.#kept.values())
      if (
        kept.keeper.url !== undefined &&
        kept.engines.obstacleOf(kept.folder) === "trust" &&
        !this.#options.hasOpenExecutions(idOf(kept.folder))
      )
        await this.#startAgain(kept);
  }

  /** With the engine that can run now. */
  async #startAgain(kept: KeptCrew): Promise<Crew | undefined> {
    await this.#end(kept);
    return await this.#run(kept.folder, { isEngineFree: true, engine: undefined });
  }

  async #addKnown(folder: string): Promise<KnownCrew> {
    const known = this.#store.read(folder);
    if (known !== undefined) return known;
    const { name } = await readProject(this.#folders.uriOf(folder).fsPath);
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

  #tryTo(doing: string, name: string, action: () => void): void {
    try {
      action();
    } catch (error) {
      logProblem(doing, error, name);
    }
  }
}
