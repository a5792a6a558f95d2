import * as vscode from "vscode";
import {
  executionUri,
  parseExecutionUri,
  parsePartUri,
  type ExecutionAddress,
} from "../../editor/execution-uri.ts";
import { executionScheme } from "../../editor/ids.ts";
import { keyOf, type Execution, type ExecutionSummary } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import { titleOf } from "../../executions/title.ts";
import type { RawAnswers } from "./answers.ts";
import { outputOf } from "./outputs.ts";
import type * as rendering from "./rendering.ts";
import type { Rendered } from "./sections.ts";

/** Renderings of one document that are kept to tell which of them an editor still shows. */
const keptRenderings = 4;

/** What {@link ExecutionDocuments} shows. */
export interface ExecutionDocumentsOptions {
  readonly store: Pick<ExecutionStore, "find" | "summary" | "onDidChange">;
  /** The id of a connected crew by its name. */
  readonly crewIdOf: (crewName: string) => string | undefined;
  /** Resolves when the executions are read: a document that comes back with its window must not say meanwhile that it is unknown. */
  readonly ready?: Promise<unknown>;
  /** Why what is known of an execution may be out of date, in whole sentences; nothing where its crew answers. Whoever knows that it has changed calls `refresh`. */
  readonly doubtOf?: (execution: ExecutionSummary) => string | undefined;
  /** The raw answers that were asked for. */
  readonly answers?: Pick<RawAnswers, "at">;
  /** Another scheme than the extension's own, for a second instance. */
  readonly scheme?: string;
}

type Rendering = typeof rendering;

/** A document as it was given out last. */
interface Page {
  readonly uri: vscode.Uri;
  readonly summary: ExecutionSummary | undefined;
  /** It may become another one because of other executions. */
  readonly title: string | undefined;
  readonly doubt: string | undefined;
  /** Newest first. */
  readonly renderings: readonly [Rendered, ...Rendered[]];
  readonly bytes: Uint8Array;
  /** Milliseconds since 1970; grows with every change, or VS Code would keep the old text. */
  readonly mtime: number;
}

/**
 * Read-only documents of executions: `crew-execution:/<crew>/<kickoffId>/<title>.execution` and those of their outputs beside it. An id
 * that nothing is known of has one, too.
 */
export class ExecutionDocuments implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #options: ExecutionDocumentsOptions;
  readonly #pages = new Map<string, Page>();
  readonly #changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #subscriptions: vscode.Disposable;
  /** Loaded with the first document: most windows show none. */
  #rendering: Rendering | undefined;

  constructor(options: ExecutionDocumentsOptions) {
    this.#options = options;
    this.#subscriptions = vscode.Disposable.from(
      vscode.Disposable.from(
        options.store.onDidChange(() => {
          this.refresh();
        }),
      ),
      vscode.workspace.onDidCloseTextDocument((document) =>
        this.#pages.delete(document.uri.toString()),
      ),
      this.#changes,
    );
  }

  readonly onDidChangeFile = this.#changes.event;

  /** The address of an execution's document: the one that a tab shows, so that another title opens no second one. */
  uriOf(execution: ExecutionSummary): vscode.Uri {
    const scheme = this.#options.scheme ?? executionScheme;
    const isItsOwn = (uri: vscode.Uri) =>
      uri.scheme === scheme &&
      parseExecutionUri(uri) !== undefined &&
      this.summary(uri)?.localId === execution.localId;
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const open = tabs
      .flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []))
      .find(isItsOwn);
    return (
      open ??
      executionUri(
        { crewName: execution.crew.name, key: keyOf(execution) },
        titleOf(execution),
        scheme,
      )
    );
  }

  /** The execution that a document, or that of one of its outputs, belongs to. */
  summary(uri: vscode.Uri): ExecutionSummary | undefined {
    const address = addressOf(uri);
    if (address === undefined) return undefined;
    const { store, crewIdOf } = this.#options;
    const crewId = crewIdOf(address.crewName);
    // A crew may have been renamed or removed since the document was opened; the id still leads to its execution.
    return (
      (crewId === undefined ? undefined : store.summary(address.key, crewId)) ??
      store.summary(address.key)
    );
  }

  /** The same, read whole as it is stored now. */
  execution(uri: vscode.Uri): Execution | undefined {
    const summary = this.summary(uri);
    return summary && this.#options.store.find(summary.localId);
  }

  /** The rendering that an open document shows right now; nothing where it is still being loaded. */
  rendered(document: vscode.TextDocument): Rendered | undefined {
    const page = this.#pages.get(document.uri.toString());
    return page?.renderings.find((rendering) => rendering.text === document.getText());
  }

  /** Whether a document shows what is stored now. */
  isCurrent(document: vscode.TextDocument): boolean {
    return (
      this.#rendering !== undefined &&
      document.getText() === this.#page(document.uri, this.#rendering).renderings[0].text
    );
  }

  /** Renders anew what is open and has changed. */
  refresh(): void {
    const rendering = this.#rendering;
    if (rendering === undefined) return;
    const changed = [...this.#pages.values()].filter(
      ({ uri, mtime }) => this.#page(uri, rendering).mtime !== mtime,
    );
    if (changed.length > 0)
      this.#changes.fire(changed.map(({ uri }) => ({ type: vscode.FileChangeType.Changed, uri })));
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { summary, bytes, mtime } = await this.#read(uri);
    return {
      type: vscode.FileType.File,
      ctime: summary === undefined ? 0 : Date.parse(summary.startedAt),
      mtime,
      size: bytes.byteLength,
      permissions: vscode.FilePermission.Readonly,
    };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.#read(uri)).bytes;
  }

  /** Changes are told for every document that was read; nothing has to be watched for it. */
  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.FileNotADirectory(uri);
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  async #read(uri: vscode.Uri): Promise<Page> {
    await this.#options.ready;
    this.#rendering ??= await import("./rendering.ts");
    return this.#page(uri, this.#rendering);
  }

  /** The document as it is stored now. @throws FileSystemError for an address that is none of an execution. */
  #page(uri: vscode.Uri, rendering: Rendering): Page {
    const key = uri.toString();
    const known = this.#pages.get(key);
    const summary = this.summary(uri);
    const doubt = summary && this.#options.doubtOf?.(summary);
    const title = summary && titleOf(summary);
    if (
      known !== undefined &&
      known.summary === summary &&
      known.title === title &&
      known.doubt === doubt
    )
      return known;
    const execution = summary && this.#options.store.find(summary.localId);
    const rendered = this.#render(uri, execution, doubt, rendering);
    const isSame = known?.renderings[0].text === rendered.text;
    const page: Page = {
      uri,
      summary,
      title,
      doubt,
      renderings: [rendered, ...(known?.renderings.slice(isSame ? 1 : 0, keptRenderings) ?? [])],
      bytes: isSame ? known.bytes : new TextEncoder().encode(rendered.text),
      mtime: isSame ? known.mtime : Math.max(Date.now(), (known?.mtime ?? 0) + 1),
    };
    this.#pages.set(key, page);
    return page;
  }

  #render(
    uri: vscode.Uri,
    execution: Execution | undefined,
    doubt: string | undefined,
    rendering: Rendering,
  ): Rendered {
    const address = addressOf(uri);
    if (address === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    const part = parsePartUri(uri)?.part;
    const answers = part?.kind === "answer" ? this.#options.answers : undefined;
    if (answers !== undefined) return answers.at(uri);
    if (execution === undefined) return rendering.renderMissing(address.crewName, address.key);
    if (part === undefined) return rendering.renderExecution(execution, doubt);
    const output = outputOf(execution, part);
    return output === undefined ? rendering.renderMissingOutput() : rendering.renderOutput(output);
  }
}

function addressOf(uri: vscode.Uri): ExecutionAddress | undefined {
  return parseExecutionUri(uri) ?? parsePartUri(uri)?.address;
}
