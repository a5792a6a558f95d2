import * as vscode from "vscode";
import type { Crews } from "../crews/crews.ts";
import { uniqueName } from "../crews/identity.ts";
import type { Crew } from "../crews/types.ts";
import type { Database } from "../store/database.ts";
import { Disposables } from "../base/events.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { logProblem } from "../editor/log.ts";
import { plainLabel, plainMessage } from "../editor/messages.ts";
import { ProjectError } from "../projects/types.ts";
import type { CrewKeeper } from "./crew-keeper.ts";
import { Folders } from "./folders.ts";
import { idOf, KeptCrews, type KeptCrew } from "./kept-crews.ts";
import { KnownCrews, type KnownCrew } from "./known-crews.ts";
import { forPerson, showLogAction } from "./problems.ts";
import { readProject } from "./projects.ts";
import { exitInWords, type Exit } from "./service-errors.ts";
import { workspaceProjects } from "./workspace-projects.ts";

/** What {@link LocalCrews} needs. */
export interface LocalCrewsOptions {
  readonly crews: Crews;
  readonly database: Database;
  /** The extension's folder on this machine (`globalStorageUri`), for the services' data; shared by all windows. */
  readonly storage: vscode.Uri;
  /** The extension's own folder: the service's program and the example crew are in it. */
  readonly extension: vscode.Uri;
  /** Whether an execution of the crew has not ended, so that its service is needed. */
  readonly hasOpenExecutions: (crewId: string) => boolean;
}

/** What to start. */
export interface StartLocalCrew {
  /** Path or URI of a crew project's folder; asked for when absent. */
  readonly folder?: string;
  /** "rehearsal", which is also what absent means. */
  readonly engine?: string;
  /** Called once it is known which crew to start, before that takes its time. */
  readonly onChosen?: () => void;
  /** Starts the workspace's crew project without a question where there is exactly one. */
  readonly here?: boolean;
}

/**
 * The crews served on this machine by the local service. They are connected by themselves: their tokens are made here and kept in
 * SecretStorage, their ports and data in the extension's folder; nothing is written to the settings.
 */
export class LocalCrews implements vscode.Disposable {
  readonly #owned = new Disposables();
  readonly #changed = this.#owned.add(new vscode.EventEmitter<void>());
  readonly #options: LocalCrewsOptions;
  readonly #folders: Folders;
  readonly #store: KnownCrews;
  readonly #log: vscode.OutputChannel;
  readonly #kept: KeptCrews;

  constructor(options: LocalCrewsOptions) {
    this.#options = options;
    this.#folders = new Folders(options.extension, process.env["CREWDECK_EXAMPLE_CREW"]);
    this.#store = new KnownCrews(
      options.database,
      vscode.Uri.joinPath(options.storage, "local").fsPath,
    );
    this.#log = this.#owned.add(
      vscode.window.createOutputChannel(vscode.l10n.t("Crewdeck: local crew")),
    );
    const onChange = (list: readonly Crew[]) => {
      options.crews.setLocal(list);
      this.#changed.fire();
    };
    this.#kept = this.#owned.add(
      new KeptCrews({
        store: this.#store,
        folders: this.#folders,
        newKeeper: (crew) => this.#newKeeper(crew),
        onChange,
      }),
    );
    options.crews.startLocalWith((crewId) => this.ensureRunning(crewId));
    // Another window may have started a crew that this one never heard of.
    this.#owned.add(
      vscode.window.onDidChangeWindowState(
        ({ focused }) =>
          focused &&
          void this.refresh().catch((error: unknown) =>
            logProblem("Reading the local crews", error),
          ),
      ),
    );
  }

  /** A local crew was added, began, ended or moved. */
  readonly onDidChange = this.#changed.event;

  /** Reads the local crews known on this machine, and joins those that another window serves. No request leaves but to these, and no secret is read. */
  async refresh(): Promise<void> {
    await this.#kept.refresh();
  }

  /** Starts again the crews that ran when their window closed and have an execution that has not ended. The others wait for their first use. A crew that fails is logged, and its row says why. */
  async restore(): Promise<void> {
    await this.refresh();
    for (const { known, keeper } of this.#kept.all()) {
      if (
        !known.wanted ||
        keeper.url !== undefined ||
        !this.#options.hasOpenExecutions(idOf(known.folder))
      )
        continue;
      try {
        await this.#run(known.folder);
      } catch (error) {
        logProblem("Starting a local crew again", error, known.name);
      }
    }
  }

  /** The local crews, running or not; those whose folder is gone are left out. */
  list(): readonly Crew[] {
    return this.#kept.list();
  }

  /**
   * Serves a crew project and connects it; asks which when no folder is given. A crew that runs already is returned as it is.
   * @returns the crew, or nothing when the person cancelled
   * @throws UserError where the project is broken or the service does not start
   */
  async start({ folder, engine, here = false, onChosen }: StartLocalCrew = {}): Promise<
    Crew | undefined
  > {
    if (engine !== undefined && engine !== "rehearsal")
      throw new UserError(
        vscode.l10n.t("There is no engine “{0}”. The local service has one: “rehearsal”.", engine),
      );
    const [only, ...others] =
      folder !== undefined ? [folder] : here ? await workspaceProjects() : [];
    const name =
      only === undefined || others.length > 0
        ? await (await import("./pick-project.ts")).pickProject(this.#folders, this.list())
        : this.#folders.nameOf(only);
    if (name === undefined) return undefined;
    onChosen?.();
    return await this.#run(name);
  }

  /** Makes sure that a local crew is served, before something is asked of it. @throws UserError where it is not known or does not start */
  async ensureRunning(crewId: string): Promise<Crew> {
    if (!this.#kept.find(crewId)) await this.refresh();
    const local = this.#kept.find(crewId);
    if (local === undefined)
      throw new UserError(
        vscode.l10n.t("This local crew's folder is gone. Start the crew from where it is now."),
      );
    return await this.#run(local.known.folder);
  }

  /**
   * Stops a local crew in whichever window it runs; asks which when several run. Its executions are kept and go on at the next start.
   * @returns the crew, or nothing when the person cancelled
   * @throws UserError where it is not known, none runs, or another window keeps it running
   */
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

  /** Stops a local crew and forgets it: its service's data and its tokens are deleted. The project's folder and what is tracked stay. @throws UserError where it is not known, or another window keeps it running */
  async remove(crewId: string): Promise<void> {
    const local = this.#kept.find(crewId);
    if (local === undefined)
      throw new UserError(vscode.l10n.t("This local crew is not known here any more."));
    await this.#end(local);
    await this.#store.forget(local.known.folder);
    await (await import("./service-tokens.ts")).forgetTokens(this.#options.crews, crewId);
    this.#kept.drop(local);
    this.#kept.publish();
  }

  /** How many {@link removeAll} would remove. */
  count(): number {
    return this.#kept.known().length;
  }

  /**
   * Removes every local crew that was ever started on this machine, also those whose project is gone.
   * @returns those that could not be removed, with the folder of their data, which may be in use
   */
  async removeAll(): Promise<readonly { readonly dataFolder: string; readonly error: unknown }[]> {
    await this.refresh();
    const left: { dataFolder: string; error: unknown }[] = [];
    for (const known of this.#kept.known()) {
      if (this.#kept.get(known.folder) === undefined) await this.#kept.add(known);
      await this.remove(idOf(known.folder)).catch((error: unknown) =>
        left.push({ dataFolder: this.#store.dataFolder(known.folder), error }),
      );
    }
    return left;
  }

  /** Shows what the services wrote. What another window serves writes there: an empty log would read as if nothing had happened. */
  showLog(): void {
    for (const { known, keeper } of this.#kept.all()) {
      if (keeper.url !== undefined && !keeper.isOwn)
        this.#log.appendLine(
          `[${known.name}] ${vscode.l10n.t("Another window serves this crew. What its service writes is in that window's log.")}`,
        );
    }
    this.#log.show();
  }

  /** The window closes: its services leave with it. */
  dispose(): void {
    this.#owned.dispose();
  }

  /** Ends a crew's service wherever it runs; nothing of it may be deleted under a running one. */
  async #end({ known, keeper }: KeptCrew): Promise<void> {
    if (await keeper.stop()) return;
    throw new UserError(
      vscode.l10n.t(
        "The local crew “{0}” still runs in another window, which does not stop it. Close that window, then try again.",
        known.name,
      ),
    );
  }

  /** What keeps a crew served is loaded with the first local crew. */
  async #newKeeper({ folder, name }: KnownCrew): Promise<CrewKeeper> {
    const [{ CrewKeeper }, { ServiceProcess }] = await Promise.all([
      import("./crew-keeper.ts"),
      import("./service-process.ts"),
    ]);
    const { crews, extension, hasOpenExecutions } = this.#options;
    const dataFolder = this.#store.dataFolder(folder);
    const say = (line: string) => this.#log.appendLine(`[${name}] ${line}`);
    return new CrewKeeper({
      crewId: idOf(folder),
      folder,
      known: this.#store,
      tokens: crews,
      launch: (port, tokens, signal) =>
        ServiceProcess.start({
          program: vscode.Uri.joinPath(extension, "dist", "service.mjs").fsPath,
          folder: this.#folders.uriOf(folder).fsPath,
          dataFolder,
          port,
          ...tokens,
          signal,
          onLine: say,
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
      onEnded: (exit) => this.#tellEnded(folder, name, exit),
      onProblem: (doing, error) => logProblem(doing, error),
    });
  }

  async #run(folder: string): Promise<Crew> {
    const uri = this.#folders.uriOf(folder);
    const title = vscode.l10n.t("Starting a local crew (rehearsal)");
    return await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title },
      async () => {
        const local = this.#kept.get(folder);
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
      },
    );
  }

  async #serve(folder: string, local: KeptCrew): Promise<Crew> {
    local.isUsed = true;
    local.isStarting = true;
    this.#kept.publish();
    try {
      await this.#keep(folder, local);
    } finally {
      local.isStarting = false;
      this.#kept.publish();
    }
    return this.#kept.crewOf(local);
  }

  async #keep(folder: string, local: KeptCrew): Promise<void> {
    // Read first even where another window serves it: a broken project is said at once, with its place.
    if (local.keeper.url === undefined) await readProject(this.#folders.uriOf(folder).fsPath);
    await local.keeper.start();
    local.known = this.#store.read(folder) ?? local.known;
  }

  /** What is known of a crew, or what there is to know of a new one. */
  async #learn(folder: string): Promise<KnownCrew> {
    const kept = this.#store.read(folder);
    if (kept !== undefined) return kept;
    const { name } = await readProject(this.#folders.uriOf(folder).fsPath);
    const taken = this.#options.crews.list().map((crew) => crew.name);
    const crew: KnownCrew = {
      folder,
      name: uniqueName(name, taken),
      port: 0,
      wanted: false,
    };
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
    return (
      await vscode.window.showQuickPick(items, {
        placeHolder: vscode.l10n.t("Stop which local crew?"),
      })
    )?.folder;
  }

  #tellEnded(folder: string, name: string, exit: Exit): void {
    const again = vscode.l10n.t("Start Again");
    const log = showLogAction();
    const message = vscode.l10n.t(
      "The local crew “{0}” ended unexpectedly ({1}). Its executions are kept.",
      name,
      exitInWords(exit),
    );
    void vscode.window
      .showErrorMessage(plainMessage(message), again, log.title)
      .then(async (chosen) => {
        if (chosen === log.title) this.showLog();
        if (chosen === again) await this.#run(folder);
      })
      .then(
        undefined,
        (error: unknown) => void vscode.window.showErrorMessage(plainMessage(messageOf(error))),
      );
  }
}
