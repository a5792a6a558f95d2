import { stat } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { Disposables } from "../base/events.ts";
import type { HeldDecision, ModelRoute } from "../base/window-protocol.ts";
import type { Crews } from "../crews/crews.ts";
import { openFileAction } from "../crews/errors.ts";
import { uniqueName } from "../crews/identity.ts";
import type { Crew, LocalEngine } from "../crews/types.ts";
import { logged } from "../editor/log.ts";
import { showError } from "../editor/messages.ts";
import { ProjectError } from "../projects/types.ts";
import type { Database } from "../store/database.ts";
import type { Connection } from "./connection.ts";
import type { LocalProject } from "./local-project.ts";
import { Folders, readClasses, readProject, workspaceProjects } from "./projects.ts";
import { classOf, folderOf, idOf, ProjectRecords } from "./records.ts";

interface CrewModels {
  choice(crewId: string): { readonly use: "project" | "vscode" | "endpoint" };
  route(crewId: string): Promise<ModelRoute>;
  follow(crewId: string, connection: Connection): void;
  forget(crewId: string): Promise<void>;
}

export interface LocalCrewsOptions {
  readonly crews: Crews;
  readonly database: Database;
  readonly storage: vscode.Uri;
  readonly extension: vscode.Uri;
  readonly hasOpenExecutions: (crewId: string) => boolean;
  readonly titleOf: (kickoffId: string) => string | undefined;
  readonly models: () => Promise<CrewModels>;
}

interface StartLocalCrew {
  readonly folder?: string;
  readonly crewClass?: string;
  readonly engine?: LocalEngine;
  /** Starts the workspace's only crew project without a question. */
  readonly here?: boolean;
}

/** On this machine; nothing is in the settings, which may sync. All windows share the records. */
export class LocalCrews implements vscode.Disposable {
  readonly #owned = new Disposables();
  readonly #options: LocalCrewsOptions;
  readonly #folders: Folders;
  readonly #records: ProjectRecords;
  readonly #log: vscode.OutputChannel;
  readonly #projects = new Map<string, LocalProject>();
  #refreshing: Promise<void> | undefined;
  #published = "[]";
  #isDisposed = false;

  constructor(options: LocalCrewsOptions) {
    const { crews, database, storage, extension } = options;
    this.#options = options;
    this.#folders = new Folders(extension, process.env["CREWDECK_EXAMPLE_CREW"]);
    this.#records = new ProjectRecords(database, vscode.Uri.joinPath(storage, "local").fsPath);
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
        if (focused) this.refresh().catch(logged("Reading the local crews"));
      }),
    );
  }

  /** Also uses the crews that run. Reads a secret only of those. */
  async refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined));
    await this.#refreshing;
  }

  async restore(): Promise<void> {
    await this.refresh();
    for (const { folder, name, wanted } of this.#records.list()) {
      const project = this.#projects.get(folder);
      if (wanted && project?.isRunning === false && project.hasOpenExecutions())
        await this.#start(folder).catch(logged("Starting a local crew again", name));
    }
  }

  list(): readonly Crew[] {
    return [...this.#projects.values()].flatMap((project) => project.crews());
  }

  /** Undefined if the person cancels. @throws UserError if the service doesn't start */
  async start(options: StartLocalCrew = {}): Promise<Crew | undefined> {
    const { folder, crewClass, engine, here = false } = options;
    const found = folder === undefined && here ? await workspaceProjects() : [];
    const only = folder ?? (found.length === 1 ? found[0] : undefined);
    const chosen =
      only === undefined
        ? await (await import("./questions.ts")).pickProject(this.#folders, this.list())
        : { folder: this.#folders.nameOf(only), crewClass };
    if (chosen === undefined) return undefined;
    const project = await this.#inProgress(chosen.folder, async (each) => {
      if (engine !== undefined && !(await each.setEngine(engine))) return undefined;
      await each.start(true);
      return each;
    });
    return project?.chosen(chosen.crewClass);
  }

  /** The engine for the next kickoffs: a running service is started again. Undefined if the person cancels. @throws UserError if the engine can't run */
  async changeEngine(crewId: string, engine?: LocalEngine): Promise<Crew | undefined> {
    const project = this.#projectOf(crewId);
    const chosen = engine ?? (await project.pickEngine());
    if (chosen === undefined) return undefined;
    const { isRunning } = project;
    if (!(await project.setEngine(chosen))) return undefined;
    if (isRunning) await this.#start(project.folder);
    return project.named(classOf(crewId));
  }

  async setUp(crewId: string): Promise<Crew | undefined> {
    const project = this.#projectOf(crewId);
    if (!(await project.setUp())) return undefined;
    // Executions that were rehearsed would begin to cost money.
    const wish = project.hasOpenExecutions() ? undefined : "crewai";
    // A crew that can't be rehearsed didn't start without crewAI.
    return (await this.changeEngine(crewId, wish)) && (await this.ensureRunning(crewId));
  }

  /** @param kickoffIds by default all that are interrupted. @returns those that were. @throws UserError */
  async decideInterrupted(
    crewId: string,
    type: HeldDecision,
    kickoffIds?: readonly string[],
  ): Promise<readonly string[]> {
    return await this.#projectOf(crewId).decide(type, kickoffIds);
  }

  async ensureRunning(crewId: string): Promise<Crew> {
    const folder = folderOf(crewId);
    if (!this.#projects.has(folder)) await this.refresh();
    const project = this.#projectOf(crewId);
    await this.#start(folder);
    return project.named(classOf(crewId));
  }

  /** In any window. Undefined if cancelled. @throws UserError if unknown or not stopped there */
  async stop({ folder }: { readonly folder: string }): Promise<Crew | undefined> {
    const project = this.#projects.get(this.#folders.nameOf(folder));
    if (project === undefined)
      throw new UserError(vscode.l10n.t("No local crew was started in {0}.", folder));
    await project.stop();
    this.#publish();
    return project.crews()[0];
  }

  async remove(crewId: string): Promise<void> {
    const project = this.#projectOf(crewId);
    const { folder } = project;
    await project.stop();
    const { crews, models } = this.#options;
    const ids = this.#records.crewIds(folder);
    await this.#records.forget(folder);
    for (const id of ids) await crews.setTokens(id, undefined);
    await (await models()).forget(idOf(folder));
    this.#drop(project);
    this.#publish();
  }

  count(): number {
    return this.#records.list().length;
  }

  async removeAll(): Promise<readonly { readonly dataFolder: string; readonly error: unknown }[]> {
    await this.refresh();
    const left: { dataFolder: string; error: unknown }[] = [];
    for (const record of this.#records.list()) {
      await this.#open(record);
      await this.remove(idOf(record.folder)).catch((error: unknown) =>
        left.push({ dataFolder: this.#records.dataFolder(record.folder), error }),
      );
    }
    return left;
  }

  showLog(): void {
    this.#log.show();
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const project of this.#projects.values()) project.dispose();
    this.#owned.dispose();
  }

  async #refresh(): Promise<void> {
    const records = this.#records.list();
    for (const project of this.#projects.values())
      if (!records.some(({ folder }) => folder === project.folder)) this.#drop(project);
    for (const record of records) {
      // A folder may be gone, or on a drive that isn't mounted now.
      const found = await stat(this.#folders.uriOf(record.folder).fsPath).catch(() => undefined);
      if (found !== undefined || this.#projects.has(record.folder))
        await (await this.#open(record)).join();
    }
    this.#publish();
  }

  #drop(project: LocalProject): void {
    project.dispose();
    this.#projects.delete(project.folder);
  }

  #publish(): void {
    const list = this.list();
    const text = JSON.stringify(list);
    if (text === this.#published) return;
    this.#published = text;
    this.#options.crews.setLocal(list);
  }

  #projectOf(crewId: string): LocalProject {
    const project = this.#projects.get(folderOf(crewId));
    if (project !== undefined) return project;
    throw new UserError(
      vscode.l10n.t(
        "This local crew was removed, or its folder is gone. Serve it from where it is now.",
      ),
    );
  }

  async #open({ folder, name }: { folder: string; name: string }): Promise<LocalProject> {
    const module = await import("./local-project.ts");
    const present = this.#projects.get(folder);
    if (present !== undefined) return present;
    const project = new module.LocalProject({
      ...this.#options,
      ...{ folder, name, records: this.#records, uri: this.#folders.uriOf(folder) },
      log: (line) => this.#isDisposed || this.#log.appendLine(`[${name}] ${line}`),
      onChange: () => this.#publish(),
      startAgain: () => this.#start(folder),
    });
    this.#projects.set(folder, project);
    return project;
  }

  async #start(folder: string): Promise<void> {
    await this.#inProgress(folder, (project) => project.start(false));
  }

  /** What is wrong with a project is kept, unless it never ran. */
  async #inProgress<T>(folder: string, start: (project: LocalProject) => Promise<T>): Promise<T> {
    const location = vscode.ProgressLocation.Window;
    const title = vscode.l10n.t("Starting a local crew");
    return await vscode.window.withProgress({ location, title }, async () => {
      const isNew = this.#records.read(folder) === undefined;
      try {
        return await start(
          this.#projects.get(folder) ?? (await this.#open(await this.#record(folder))),
        );
      } catch (error) {
        if (!(error instanceof ProjectError)) throw error;
        const project = this.#projects.get(folder);
        if (isNew && project !== undefined) this.#drop(project);
        if (isNew) await this.#records.forget(folder);
        else this.#records.change(folder, { failure: error.message });
        const { position } = error;
        const { fsPath } = this.#folders.uriOf(folder);
        throw new UserError(
          error.message,
          position === undefined
            ? []
            : [openFileAction(path.join(fsPath, position.file), position)],
        );
      } finally {
        this.#publish();
      }
    });
  }

  async #trusted(): Promise<void> {
    for (const project of this.#projects.values())
      if (project.crews()[0]?.local?.obstacle === "trust" && !project.hasOpenExecutions()) {
        await project.stop();
        await this.#inProgress(project.folder, () => project.start(true));
      }
  }

  async #record(folder: string) {
    const known = this.#records.read(folder);
    if (known !== undefined) return known;
    const { fsPath } = this.#folders.uriOf(folder);
    const [first] = await readClasses(fsPath);
    const { name } = (await readProject(fsPath, first)).project;
    const taken = this.#options.crews.list().map((crew) => crew.name);
    return this.#records.add({ folder, name: uniqueName(name, taken), port: 0, wanted: false });
  }
}
