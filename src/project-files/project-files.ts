import path from "node:path";
import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import { Disposables } from "../base/events.ts";
import type { Crews } from "../crews/crews.ts";
import { logged } from "../editor/log.ts";
import { type ExecutionSummary, toReview } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Inspection, Spot } from "../projects/inspect.ts";
import type { Position } from "../projects/types.ts";
import { commandOn, may } from "../view/actions.ts";

/** How long changes are collected (ms), as the poller collects its news. */
const pause = 50;

const withLenses =
  "**/{config/*.yaml,config/*.yml,crew.py,crew.json,crew.jsonc,agents/*.json,agents/*.jsonc}";
const names = /\/(config\/[^/]+\.ya?ml|crew\.(py|jsonc?)|agents\/[^/]+\.jsonc?|pyproject\.toml)$/;
/** What a project's definition depends on; folders, because what is in a deleted one isn't reported. */
const watched = "**/{config,agents,agents.yaml,tasks.yaml,crew.*,agents/*.json*,pyproject.toml}";

/** Of a line's lenses: a narrow editor cuts off the last ones. */
const order = ["openExecution", "approve", "reject", "kickoff", "openOutput"].map(
  (verb) => `crewdeck.${verb}`,
);
const rankOf = ({ command }: vscode.CodeLens) => order.indexOf(command?.command ?? "");

interface Found {
  readonly folder: string;
  readonly file: string;
  readonly inspection: Inspection;
}

/** Lenses, problems and definitions in the open files of crew projects. Runs no Python, and begins with the first such file. */
export class ProjectFiles implements vscode.Disposable {
  readonly #owned = new Disposables();
  readonly #crews: Crews;
  readonly #store: ExecutionStore;
  readonly #clock: Clock;
  readonly #lensesChanged = this.#owned.add(new vscode.EventEmitter<void>());
  #marks: vscode.DiagnosticCollection | undefined;
  /** By file; others after each change. Undefined outside crew projects. */
  #found = new Map<string, Promise<Found | undefined>>();
  #cancel: (() => void) | undefined;
  #areTextsChanged = false;

  constructor(crews: Crews, store: ExecutionStore, clock: Clock) {
    this.#crews = crews;
    this.#store = store;
    this.#clock = clock;
    const { workspace, languages } = vscode;
    this.#owned.add(workspace.onDidOpenTextDocument((document) => this.#look(document)));
    workspace.textDocuments.forEach((document) => this.#look(document));
    this.#owned.add(
      languages.registerCodeLensProvider(
        { scheme: "file", pattern: withLenses },
        {
          onDidChangeCodeLenses: this.#lensesChanged.event,
          provideCodeLenses: (document) => this.#lenses(document),
        },
      ),
    );
    this.#owned.add(
      languages.registerDefinitionProvider(
        { scheme: "file", pattern: withLenses },
        { provideDefinition: (document, position) => this.#definitions(document, position) },
      ),
    );
  }

  dispose(): void {
    this.#cancel?.();
    this.#owned.dispose();
  }

  #look(document: vscode.TextDocument): void {
    if (!mayBeProjectFile(document)) return;
    if (this.#marks === undefined) this.#begin();
    this.#textsChanged();
  }

  #begin(): void {
    const { workspace, languages, window } = vscode;
    const marks = languages.createDiagnosticCollection("crewdeck-projects");
    this.#marks = this.#owned.add(marks);
    const watcher = this.#owned.add(workspace.createFileSystemWatcher(watched));
    const changed = () => this.#textsChanged();
    for (const subscription of [
      workspace.onDidChangeTextDocument(({ document }) => this.#look(document)),
      workspace.onDidCloseTextDocument((document) => {
        marks.delete(document.uri);
        this.#look(document);
      }),
      // VS Code on Linux doesn't watch each folder in a new one. It reads the file of the editor again then, too.
      window.onDidChangeActiveTextEditor((editor) => editor && this.#look(editor.document)),
      workspace.onDidChangeWorkspaceFolders(changed),
      watcher.onDidCreate(changed),
      watcher.onDidChange(changed),
      watcher.onDidDelete(changed),
      this.#store.onDidChange(() => this.#soon()),
      this.#crews.onDidChange(() => this.#soon()),
    ])
      this.#owned.add(subscription);
  }

  async #lenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const found = await this.#inspect(document);
    if (found === undefined) return [];
    const folder = vscode.Uri.file(found.folder);
    const own = this.#crews.list().filter(({ local }) => local?.folder === folder.toString());
    const executionsOf = (crewClass: string | undefined) => {
      const crew = own.find(({ local }) => local?.crewClass === crewClass);
      return this.#store.list().filter((execution) => execution.crew.id === crew?.id);
    };
    return found.inspection.spots
      .filter(({ at }) => at.file === found.file)
      .flatMap((spot) => {
        const { start } = rangeOf(document, spot.at);
        return commandsAt(spot, folder, executionsOf(spot.crewClass)).map(
          (command) => new vscode.CodeLens(new vscode.Range(start, start), command),
        );
      })
      .sort((one, other) => rankOf(one) - rankOf(other));
  }

  async #definitions(document: vscode.TextDocument, position: vscode.Position) {
    const found = await this.#inspect(document);
    return found?.inspection.references
      .filter(([at]) => at.file === found.file && rangeOf(document, at).contains(position))
      .map(([, { file, line, column }]) => {
        const uri = vscode.Uri.file(path.join(found.folder, file));
        return new vscode.Location(uri, new vscode.Position(line - 1, column - 1));
      });
  }

  #inspect({ uri }: vscode.TextDocument): Promise<Found | undefined> {
    const found = this.#found.get(uri.fsPath) ?? inspect(uri);
    this.#found.set(uri.fsPath, found);
    return found;
  }

  #textsChanged(): void {
    this.#found = new Map();
    this.#areTextsChanged = true;
    this.#soon();
  }

  #soon(): void {
    this.#cancel ??= this.#clock.after(pause, () => {
      this.#cancel = undefined;
      this.#lensesChanged.fire();
      if (!this.#areTextsChanged) return;
      this.#areTextsChanged = false;
      void this.#mark().catch(logged("Checking a crew project"));
    });
  }

  async #mark(): Promise<void> {
    const current = this.#found;
    for (const document of vscode.workspace.textDocuments) {
      if (!mayBeProjectFile(document)) continue;
      const found = await this.#inspect(document);
      // A later change marks everything again.
      if (this.#found !== current) return;
      if (document.isClosed) continue;
      this.#marks?.set(
        document.uri,
        (found?.inspection.problems ?? []).flatMap(({ text, position: at }) => {
          if (at?.file !== found?.file || at === undefined) return [];
          // Only the project's Python knows what an error is.
          const { Warning } = vscode.DiagnosticSeverity;
          const made = new vscode.Diagnostic(rangeOf(document, at), text, Warning);
          made.source = "Crewdeck";
          return [made];
        }),
      );
    }
  }
}

/** Whether a file's name is one of a crew project's. Other projects may use it, too. */
function mayBeProjectFile({ uri }: vscode.TextDocument): boolean {
  return uri.scheme === "file" && names.test(uri.path);
}

/** Loads the parsers. */
async function inspect(uri: vscode.Uri): Promise<Found | undefined> {
  const root = vscode.workspace.getWorkspaceFolder(uri)?.uri;
  if (root?.scheme !== "file") return undefined;
  const [{ projectOf }, { inspectProject }] = await Promise.all([
    import("../projects/find.ts"),
    import("../projects/inspect.ts"),
  ]);
  const folder = await projectOf(root.fsPath, uri.fsPath);
  if (folder === undefined) return undefined;
  const inspection = await inspectProject(folder, (file) => editedText(path.join(folder, file)));
  return { folder, file: path.relative(folder, uri.fsPath).split(path.sep).join("/"), inspection };
}

/** Of an open document; a very long one is read from the disk, which refuses it. */
function editedText(file: string): string | undefined {
  const text = vscode.workspace.textDocuments
    .find(({ uri }) => uri.scheme === "file" && uri.fsPath === file)
    ?.getText();
  return text === undefined || text.length > largestText ? undefined : text;
}

/** In characters. */
const largestText = 256 * 1024;

/** Without an end, the word there or one character. */
function rangeOf(document: vscode.TextDocument, { line, column, end }: Position): vscode.Range {
  const start = document.validatePosition(new vscode.Position(line - 1, column - 1));
  const range =
    end === undefined
      ? (document.getWordRangeAtPosition(start) ?? new vscode.Range(start, start.translate(0, 1)))
      : new vscode.Range(start, new vscode.Position(end.line - 1, end.column - 1));
  return document.validateRange(range);
}

/**
 * What a person can do at a place of a project.
 * @param folder the project's
 * @param executions of the project's local crew
 */
export function commandsAt(
  { isCrew, crewClass, tasks: ids }: Spot,
  folder: vscode.Uri,
  executions: readonly ExecutionSummary[],
): vscode.Command[] {
  const newestFirst = executions.toSorted((one, other) =>
    other.startedAt.localeCompare(one.startedAt),
  );
  const commands: vscode.Command[] = [];
  if (isCrew) commands.push(kickOff(folder, crewClass));
  const ended = newestFirst.find(({ output }) => output !== undefined);
  if (isCrew && ended !== undefined)
    commands.push(commandOn(ended, "openOutput", vscode.l10n.t("Last Result"), { result: true }));
  for (const execution of newestFirst) {
    const task = execution.tasks.findLast(
      ({ taskId, attempts }) =>
        ids.includes(taskId) && attempts.some(({ output }) => output !== undefined),
    );
    if (task === undefined) continue;
    const { taskId } = task;
    commands.push(commandOn(execution, "openOutput", vscode.l10n.t("Last Output"), { taskId }));
    break;
  }
  const waits = toReview(
    newestFirst.filter(
      ({ state, waiting }) =>
        state === "waiting" && waiting !== undefined && ids.includes(waiting.taskId),
    ),
  );
  const [longest] = waits;
  if (longest === undefined) return commands;
  const { taskId, attempt } = longest.waiting ?? {};
  const isOne = waits.length === 1;
  const title = isOne
    ? vscode.l10n.t("Waiting for You")
    : vscode.l10n.t("{0} Waiting for You", waits.length);
  commands.push(commandOn(longest, "openExecution", title, { taskId }));
  // With several, a person chooses first.
  if (isOne && may(longest, "approve"))
    commands.push(
      commandOn(longest, "approve", vscode.l10n.t("Approve"), { taskId, attempt }),
      commandOn(longest, "reject", vscode.l10n.t("Reject…"), { taskId, attempt }),
    );
  return commands;
}

function kickOff(folder: vscode.Uri, crewClass: string | undefined): vscode.Command {
  const given = { folder: folder.toString(), form: true, by: "person" };
  return {
    title:
      crewClass === undefined
        ? vscode.l10n.t("Kick Off…")
        : vscode.l10n.t("Kick Off {0}…", crewClass),
    command: "crewdeck.kickoff",
    arguments: [crewClass === undefined ? given : { ...given, class: crewClass }],
  };
}
