import { access } from "node:fs/promises";
import * as vscode from "vscode";
import { NothingToDo, UserError } from "../base/errors.ts";
import { Disposables } from "../base/events.ts";
import { showLocalLogAction } from "../crews/errors.ts";
import type { Crews } from "../crews/crews.ts";
import { uniqueName } from "../crews/identity.ts";
import type { Crew, LocalCrew } from "../crews/types.ts";
import { viewId } from "../editor/manifest.ts";
import { logProblem } from "../editor/log.ts";
import { plainLabel, plainMessage, showError } from "../editor/messages.ts";
import { ProjectError } from "../projects/types.ts";
import type { Database } from "../store/database.ts";
import type { CrewKeeper } from "./crew-keeper.ts";
import { Folders } from "./folders.ts";
import { KnownCrews, type KnownCrew } from "./known-crews.ts";
import { forPerson, readProject, workspaceProjects } from "./projects.ts";
import { describeExit, type Exit } from "./service-process.ts";

export interface LocalCrewsOptions {
  readonly crews: Crews;
  readonly database: Database;
  /** For the services' data; shared by all windows. */
  readonly storage: vscode.Uri;
  /** The extension's folder, with the service's program and the example crew. */
  readonly extension: vscode.Uri;
  /** Whether the crew's service is needed. */
  readonly hasOpenExecutions: (crewId: string) => boolean;
}

interface StartLocalCrew {
  /** Path or URI; otherwise the person chooses. */
  readonly folder?: string;
  readonly engine?: string;
  /** Called when the crew is known, before it starts. */
  readonly onChosen?: () => void;
  /** Starts the workspace's only crew project without a question. */
  readonly here?: boolean;
}

interface KeptCrew extends Pick<KnownCrew, "folder" | "name"> {
  readonly keeper: CrewKeeper;
  /** Started or needed in this window. */
  isUsed: boolean;
  isStarting: boolean;
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
  #refreshing: Promise<void> | undefined;
  #published = "[]";

  constructor(options: LocalCrewsOptions) {
    const { crews, database, storage, extension } = options;
    this.#options = options;
    this.#folders = new Folders(extension, process.env["CREWDECK_EXAMPLE_CREW"]);
    this.#store = new KnownCrews(database, vscode.Uri.joinPath(storage, "local").fsPath);
    this.#log = this.#owned.add(
      vscode.window.createOutputChannel(vscode.l10n.t("Crewdeck: local crew")),
    );
    crews.startLocalWith((crewId) => this.ensureRunning(crewId));
    // Another window may have started a new crew.
    this.#owned.add(
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused)
          this.refresh().catch((error: unknown) => logProblem("Reading the local crews", error));
      }),
    );
  }

  /** Also uses the crews that another window serves. Reads no secret. */
  async refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
  }

  /** Restarts crews that ran when their window closed and have an open execution. Logs failures. */
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
    if (engine !== undefined && engine !== "rehearsal")
      throw new UserError(
        vscode.l10n.t("There is no engine “{0}”. The local service has one: “rehearsal”.", engine),
      );
    const found = folder === undefined && here ? await workspaceProjects() : [];
    const only = folder ?? (found.length === 1 ? found[0] : undefined);
    const name =
      only === undefined
        ? await (await import("./pick-project.ts")).pickProject(this.#folders, this.list())
        : this.#folders.nameOf(only);
    if (name === undefined) return undefined;
    onChosen?.();
    return await this.#run(name);
  }

  /** `npm start` sets CREWDECK_START_LOCAL to a crew's folder. A workspace can't. */
  startForDevelopment(): void {
    const folder = process.env["CREWDECK_START_LOCAL"] ?? "";
    if (folder === "") return;
    this.start({ folder })
      .then(() => vscode.commands.executeCommand(`${viewId}.focus`))
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
    const name = folder === undefined ? await this.#pickRunning() : this.#folders.nameOf(folder);
    if (name === undefined) return undefined;
    const local = this.#kept.get(name);
    if (local === undefined)
      throw new UserError(vscode.l10n.t("No local crew was started in {0}.", folder ?? name));
    local.isUsed = false;
    await this.#end(local);
    this.#publish();
    return this.#crewOf(local);
  }

  /** Deletes the service's data and tokens; folder and executions stay. @throws UserError */
  async remove(crewId: string): Promise<void> {
    const local = this.#kept.get(folderOf(crewId));
    if (local === undefined) throw removedError();
    await this.#end(local);
    await this.#store.forget(local.folder);
    await this.#options.crews.setTokens(crewId, undefined);
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

  /** Also names crews that another window serves. */
  showLog(): void {
    for (const { name, keeper } of this.#kept.values())
      if (keeper.url !== undefined && !keeper.isOwn)
        this.#log.appendLine(
          `[${name}] ${vscode.l10n.t("Another window serves this crew. Its service's output is in that window's log.")}`,
        );
    this.#log.show();
  }

  dispose(): void {
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
  #crewOf({ folder, name, keeper, isStarting }: KeptCrew): Crew | undefined {
    const known = this.#store.read(folder);
    if (known === undefined) return undefined;
    const { failure, wanted, port } = known;
    const running = keeper.url !== undefined;
    const idle: Pick<LocalCrew, "starting" | "failure" | "ranBefore"> = isStarting
      ? { starting: true }
      : failure !== undefined
        ? { failure }
        : { ...(wanted && { ranBefore: true }) };
    return {
      id: idOf(folder),
      name,
      url: keeper.url ?? `http://127.0.0.1:${port}`,
      local: {
        folder: this.#folders.uriOf(folder).toString(),
        engine: "rehearsal",
        running,
        ...(running ? {} : idle),
      },
    };
  }

  async #end({ name, keeper }: KeptCrew): Promise<void> {
    if (await keeper.stop()) return;
    throw new UserError(
      vscode.l10n.t(
        "The local crew “{0}” still runs in another window, which does not stop it. Close that window, then try again.",
        name,
      ),
    );
  }

  /** Loads its code with the first local crew. */
  async #add({ folder, name }: KnownCrew): Promise<KeptCrew> {
    const [{ CrewKeeper }, { ServiceProcess }] = await Promise.all([
      import("./crew-keeper.ts"),
      import("./service-process.ts"),
    ]);
    const present = this.#kept.get(folder);
    if (present !== undefined) return present;
    const { crews, extension, hasOpenExecutions } = this.#options;
    const keeper = new CrewKeeper({
      crewId: idOf(folder),
      folder,
      known: this.#store,
      tokens: crews,
      launch: (port, tokens, signal) =>
        ServiceProcess.start({
          program: vscode.Uri.joinPath(extension, "dist", "service.mjs").fsPath,
          folder: this.#folders.uriOf(folder).fsPath,
          dataFolder: this.#store.dataFolder(folder),
          port,
          ...tokens,
          signal,
          onLine: (line) => this.#log.appendLine(`[${name}] ${line}`),
        }),
      isNeeded: () => this.#kept.get(folder)?.isUsed === true || hasOpenExecutions(idOf(folder)),
      onChange: () => {
        try {
          this.#publish();
        } catch (error) {
          logProblem("Reading a local crew", error, name);
        }
      },
      onEnded: (exit) => void this.#reportEnd(folder, name, exit).catch(showError),
      onProblem: logProblem,
    });
    const kept = { folder, name, keeper, isUsed: false, isStarting: false };
    this.#kept.set(folder, kept);
    return kept;
  }

  async #run(folder: string): Promise<Crew> {
    const location = vscode.ProgressLocation.Window;
    const title = vscode.l10n.t("Starting a local crew (rehearsal)");
    return await vscode.window.withProgress({ location, title }, async () => {
      const local = this.#kept.get(folder);
      const uri = this.#folders.uriOf(folder);
      try {
        return await this.#serve(local ?? (await this.#add(await this.#addKnown(folder))));
      } catch (error) {
        if (error instanceof ProjectError) this.#store.change(folder, { failure: error.message });
        this.#publish();
        throw forPerson(error, uri, local?.name ?? uri.fsPath);
      }
    });
  }

  async #serve(local: KeptCrew): Promise<Crew> {
    local.isUsed = true;
    local.isStarting = true;
    this.#publish();
    try {
      // Read first: the error of a broken project has its place.
      if (local.keeper.url === undefined)
        await readProject(this.#folders.uriOf(local.folder).fsPath);
      await local.keeper.start();
    } finally {
      local.isStarting = false;
      this.#publish();
    }
    const crew = this.#crewOf(local);
    if (crew === undefined) throw removedError();
    return crew;
  }

  async #addKnown(folder: string): Promise<KnownCrew> {
    const known = this.#store.read(folder);
    if (known !== undefined) return known;
    const { name } = await readProject(this.#folders.uriOf(folder).fsPath);
    const taken = this.#options.crews.list().map((crew) => crew.name);
    return this.#store.add({ folder, name: uniqueName(name, taken), port: 0, wanted: false });
  }

  async #pickRunning(): Promise<string | undefined> {
    const items = [...this.#kept.values()].flatMap(({ folder, name, keeper }) =>
      keeper.url === undefined
        ? []
        : [{ label: plainLabel(name), description: keeper.url, folder }],
    );
    if (items.length === 0) throw new NothingToDo(vscode.l10n.t("No local crew is running."));
    if (items.length === 1) return items[0]?.folder;
    const placeHolder = vscode.l10n.t("Stop which local crew?");
    return (await vscode.window.showQuickPick(items, { placeHolder }))?.folder;
  }

  async #reportEnd(folder: string, name: string, exit: Exit): Promise<void> {
    const again = vscode.l10n.t("Start Again");
    const log = showLocalLogAction();
    const message = vscode.l10n.t(
      "The local crew “{0}” ended unexpectedly ({1}). Its executions are kept.",
      name,
      describeExit(exit),
    );
    const text = plainMessage(message);
    const chosen = await vscode.window.showErrorMessage(text, again, log.title);
    if (chosen === log.title) this.showLog();
    if (chosen === again) await this.#run(folder);
  }
}

function idOf(folder: string): string {
  return `local:${folder}`;
}

function folderOf(crewId: string): string {
  return crewId.slice("local:".length);
}

function removedError(): UserError {
  return new UserError(vscode.l10n.t("This local crew was already removed."));
}
