import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { Disposables } from "../base/events.ts";
import type { Crews } from "../crews/crews.ts";
import { uniqueName } from "../crews/identity.ts";
import type { Crew } from "../crews/types.ts";
import { viewId } from "../editor/ids.ts";
import { logProblem } from "../editor/log.ts";
import { plainLabel, plainMessage, showError } from "../editor/messages.ts";
import { ProjectError } from "../projects/types.ts";
import type { Database } from "../store/database.ts";
import type { CrewKeeper } from "./crew-keeper.ts";
import { Folders } from "./folders.ts";
import { idOf, KeptCrews, type KeptCrew } from "./kept-crews.ts";
import { KnownCrews, type KnownCrew } from "./known-crews.ts";
import { forPerson, readProject, showLogAction, workspaceProjects } from "./projects.ts";
import { describeExit, type Exit } from "./service-process.ts";

export interface LocalCrewsOptions {
  readonly crews: Crews;
  readonly database: Database;
  /** The extension's storage folder, for the services' data; shared by all windows. */
  readonly storage: vscode.Uri;
  /** The extension's own folder, with the service's program and the example crew. */
  readonly extension: vscode.Uri;
  /** Whether an execution of the crew has not ended, so that its service is needed. */
  readonly hasOpenExecutions: (crewId: string) => boolean;
}

export interface StartLocalCrew {
  /** Path or URI of a crew project's folder; otherwise the person chooses. */
  readonly folder?: string;
  /** Only "rehearsal". */
  readonly engine?: string;
  /** Called when the crew is known, before it starts. */
  readonly onChosen?: () => void;
  /** Starts the workspace's only crew project without a question. */
  readonly here?: boolean;
}

/**
 * The crews that the local service serves on this machine. Their tokens are created here and stored in SecretStorage, their ports and
 * data in the extension's storage; nothing is written to the settings.
 */
export class LocalCrews implements vscode.Disposable {
  readonly #owned = new Disposables();
  readonly #options: LocalCrewsOptions;
  readonly #folders: Folders;
  readonly #store: KnownCrews;
  readonly #log: vscode.OutputChannel;
  readonly #kept: KeptCrews;

  constructor(options: LocalCrewsOptions) {
    const { crews, database, storage, extension } = options;
    this.#options = options;
    this.#folders = new Folders(extension, process.env["CREWDECK_EXAMPLE_CREW"]);
    this.#store = new KnownCrews(database, vscode.Uri.joinPath(storage, "local").fsPath);
    this.#log = this.#owned.add(
      vscode.window.createOutputChannel(vscode.l10n.t("Crewdeck: local crew")),
    );
    this.#kept = this.#owned.add(
      new KeptCrews(
        this.#store,
        this.#folders,
        (crew) => this.#newKeeper(crew),
        (list) => crews.setLocal(list),
      ),
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

  /** Reads the local crews, and uses those that another window serves. Sends requests only to these, and reads no secret. */
  async refresh(): Promise<void> {
    await this.#kept.refresh();
  }

  /** Restarts the crews that ran when their window closed and have an execution that has not ended. The others start when they are used. Failures are logged and shown in the crew's row. */
  async restore(): Promise<void> {
    await this.refresh();
    for (const { known, keeper } of this.#kept.all()) {
      const isNeeded = known.wanted && this.#options.hasOpenExecutions(idOf(known.folder));
      if (isNeeded && keeper.url === undefined)
        await this.#run(known.folder).catch((error: unknown) =>
          logProblem("Starting a local crew again", error, known.name),
        );
    }
  }

  /** The local crews whose folder exists, running or not. */
  list(): readonly Crew[] {
    return this.#kept.list();
  }

  /** Starts a local crew if it isn't running. Undefined if the person cancels. @throws UserError if the project is broken or the service doesn't start */
  async start({ folder, engine, here = false, onChosen }: StartLocalCrew = {}): Promise<
    Crew | undefined
  > {
    if (engine !== undefined && engine !== "rehearsal")
      throw new UserError(
        vscode.l10n.t("There is no engine “{0}”. The local service has one: “rehearsal”.", engine),
      );
    const found = folder !== undefined ? [folder] : here ? await workspaceProjects() : [];
    const [only] = found;
    const name =
      only === undefined || found.length > 1
        ? await (await import("./pick-project.ts")).pickProject(this.#folders, this.list())
        : this.#folders.nameOf(only);
    if (name === undefined) return undefined;
    onChosen?.();
    return await this.#run(name);
  }

  /** `npm start` sets CREWDECK_START_LOCAL to the folder of a crew to start. A workspace can't set it. */
  startForDevelopment(): void {
    const folder = process.env["CREWDECK_START_LOCAL"] ?? "";
    if (folder === "") return;
    this.start({ folder })
      .then(() => vscode.commands.executeCommand(`${viewId}.focus`))
      .catch((error: unknown) => logProblem("Starting the crew of CREWDECK_START_LOCAL", error));
  }

  /** @throws UserError if the crew is unknown or doesn't start */
  async ensureRunning(crewId: string): Promise<Crew> {
    if (!this.#kept.find(crewId)) await this.refresh();
    const local = this.#kept.find(crewId);
    if (local !== undefined) return await this.#run(local.known.folder);
    throw new UserError(
      vscode.l10n.t("This local crew's folder is gone. Start the crew from where it is now."),
    );
  }

  /** Stops a local crew in any window. Undefined if the person cancels. @throws UserError if it is unknown, none runs, or another window doesn't stop it */
  async stop({ folder }: { readonly folder?: string } = {}): Promise<Crew | undefined> {
    const name = folder === undefined ? await this.#pickRunning() : this.#folders.nameOf(folder);
    if (name === undefined) return undefined;
    const local = this.#kept.get(name);
    if (local === undefined)
      throw new UserError(vscode.l10n.t("No local crew was started in {0}.", folder ?? name));
    local.isUsed = false;
    await this.#end(local);
    this.#kept.reread(name);
    return this.#kept.crewOf(local);
  }

  /** Stops a local crew, and deletes its service's data and tokens. Its folder and its tracked executions stay. @throws UserError if it is unknown, or another window doesn't stop it */
  async remove(crewId: string): Promise<void> {
    const local = this.#kept.find(crewId);
    if (local === undefined)
      throw new UserError(vscode.l10n.t("This local crew was already removed."));
    await this.#end(local);
    await this.#store.forget(local.known.folder);
    await this.#options.crews.setTokens(crewId, undefined);
    this.#kept.drop(local);
    this.#kept.publish();
  }

  count(): number {
    return this.#store.list().length;
  }

  /** Removes every local crew of this machine, also those whose folder is gone. @returns those that could not be removed */
  async removeAll(): Promise<readonly { readonly dataFolder: string; readonly error: unknown }[]> {
    await this.refresh();
    const left: { dataFolder: string; error: unknown }[] = [];
    for (const known of this.#store.list()) {
      if (this.#kept.get(known.folder) === undefined) await this.#kept.add(known);
      await this.remove(idOf(known.folder)).catch((error: unknown) =>
        left.push({ dataFolder: this.#store.dataFolder(known.folder), error }),
      );
    }
    return left;
  }

  /** Shows the log of this window's services, and names crews that another window serves. */
  showLog(): void {
    for (const { known, keeper } of this.#kept.all())
      if (keeper.url !== undefined && !keeper.isOwn)
        this.#log.appendLine(
          `[${known.name}] ${vscode.l10n.t("Another window serves this crew. Its service's output is in that window's log.")}`,
        );
    this.#log.show();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  async #end({ known, keeper }: KeptCrew): Promise<void> {
    if (await keeper.stop()) return;
    throw new UserError(
      vscode.l10n.t(
        "The local crew “{0}” still runs in another window, which does not stop it. Close that window, then try again.",
        known.name,
      ),
    );
  }

  /** Its code is loaded with the first local crew. */
  async #newKeeper({ folder, name }: KnownCrew): Promise<CrewKeeper> {
    const [{ CrewKeeper }, { ServiceProcess }] = await Promise.all([
      import("./crew-keeper.ts"),
      import("./service-process.ts"),
    ]);
    const { crews, extension, hasOpenExecutions } = this.#options;
    return new CrewKeeper({
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
        this.#kept.publish();
        try {
          this.#kept.reread(folder);
        } catch (error) {
          logProblem("Reading a local crew", error, name);
        }
      },
      onEnded: (exit) => void this.#reportEnd(folder, name, exit).catch(showError),
      onProblem: logProblem,
    });
  }

  async #run(folder: string): Promise<Crew> {
    const location = vscode.ProgressLocation.Window;
    const title = vscode.l10n.t("Starting a local crew (rehearsal)");
    return await vscode.window.withProgress({ location, title }, async () => {
      const local = this.#kept.get(folder);
      const uri = this.#folders.uriOf(folder);
      try {
        return await this.#serve(
          folder,
          local ?? (await this.#kept.add(await this.#learn(folder))),
        );
      } catch (error) {
        if (error instanceof ProjectError) this.#store.change(folder, { failure: error.message });
        this.#kept.reread(folder);
        throw forPerson(error, uri, local?.known.name ?? uri.fsPath);
      }
    });
  }

  async #serve(folder: string, local: KeptCrew): Promise<Crew> {
    local.isUsed = true;
    local.isStarting = true;
    this.#kept.publish();
    try {
      // Read first: the error of a broken project has its place.
      if (local.keeper.url === undefined) await readProject(this.#folders.uriOf(folder).fsPath);
      await local.keeper.start();
      local.known = this.#store.read(folder) ?? local.known;
    } finally {
      local.isStarting = false;
      this.#kept.publish();
    }
    return this.#kept.crewOf(local);
  }

  async #learn(folder: string): Promise<KnownCrew> {
    const known = this.#store.read(folder);
    if (known !== undefined) return known;
    const { name } = await readProject(this.#folders.uriOf(folder).fsPath);
    const taken = this.#options.crews.list().map((crew) => crew.name);
    const crew = { folder, name: uniqueName(name, taken), port: 0, wanted: false };
    this.#store.write(crew);
    return crew;
  }

  async #pickRunning(): Promise<string | undefined> {
    const running = this.#kept.all().filter(({ keeper }) => keeper.url !== undefined);
    if (running.length === 0) throw new UserError(vscode.l10n.t("No local crew is running."));
    if (running.length === 1) return running[0]?.known.folder;
    const items = running.map(({ known, keeper }) => ({
      label: plainLabel(known.name),
      description: keeper.url ?? "",
      folder: known.folder,
    }));
    const placeHolder = vscode.l10n.t("Stop which local crew?");
    return (await vscode.window.showQuickPick(items, { placeHolder }))?.folder;
  }

  async #reportEnd(folder: string, name: string, exit: Exit): Promise<void> {
    const again = vscode.l10n.t("Start Again");
    const log = showLogAction();
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
