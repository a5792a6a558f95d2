import * as vscode from "vscode";
import { Disposables } from "../../base/events.ts";
import { defined } from "../../base/json.ts";
import type { Crews } from "../../crews/crews.ts";
import { documentIn, executionUri, parseUri } from "../../editor/execution-uri.ts";
import { executionScheme } from "../../editor/manifest.ts";
import { type Execution, type ExecutionSummary, keyOf } from "../../executions/model.ts";
import { isAt } from "../../executions/resumes.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import { titleOf } from "../../executions/title.ts";
import type { Circumstances } from "../../view/actions.ts";
import type { ExecutionView } from "../../view/execution-view.ts";
import type { Rendered } from "../../view/text.ts";
import type { CurrentCircumstances } from "../circumstances.ts";
import type { ShowOptions } from "./text-editors.ts";

/** Renderings kept, to find the one that an editor still shows. */
const keptRenderings = 4;

interface DocumentsOptions {
  readonly store: Pick<ExecutionStore, "events" | "find" | "summary" | "onDidChange">;
  readonly crews: Pick<Crews, "find">;
  readonly circumstances: Pick<CurrentCircumstances, "of" | "onDidChange">;
  /** Resolves when executions are read, so that a restored document isn't reported as unknown. */
  readonly ready: Promise<unknown>;
  readonly scheme?: string;
}

type Rendering = Awaited<ReturnType<typeof loadRendering>>;

/** Called with the first document: most windows show none. */
async function loadRendering() {
  const [view, text, outputs, activities, editors] = await Promise.all([
    import("../../view/execution-view.ts"),
    import("../../view/text.ts"),
    import("../../view/outputs.ts"),
    import("../../executions/activity.ts"),
    import("./text-editors.ts"),
  ]);
  return { ...view, ...text, ...outputs, ...activities, ...editors };
}

interface Page {
  readonly uri: vscode.Uri;
  readonly summary: ExecutionSummary | undefined;
  /** The title, which depends on others, and the circumstances. */
  readonly about: string;
  readonly view?: ExecutionView;
  readonly renderings: readonly [Rendered, ...Rendered[]];
  /** Milliseconds since 1970. Must increase with every change, or VS Code keeps the old text. */
  readonly mtime: number;
}

export class ExecutionDocuments implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #options: DocumentsOptions;
  readonly #pages = new Map<string, Page>();
  readonly #owned = new Disposables();
  readonly #changes = this.#owned.add(new vscode.EventEmitter<vscode.FileChangeEvent[]>());
  #rendering: Rendering | undefined;
  #loading: Promise<Rendering> | undefined;
  readonly onDidChangeFile = this.#changes.event;

  constructor(options: DocumentsOptions) {
    this.#options = options;
    const refresh = () => this.refresh();
    const forget = ({ uri }: vscode.TextDocument) => this.#pages.delete(uri.toString());
    this.#owned.add(options.store.onDidChange(refresh));
    this.#owned.add(options.circumstances.onDidChange(refresh));
    this.#owned.add(vscode.workspace.onDidCloseTextDocument(forget));
  }

  /** The address of its open tab, which has the earlier title: a new title opens no second tab. */
  uriOf(execution: ExecutionSummary): vscode.Uri {
    const scheme = this.#options.scheme ?? executionScheme;
    const address = { crewName: execution.crew.name, key: keyOf(execution) };
    const open = vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .flatMap((tab) => documentIn(tab) ?? [])
      .find(
        (uri) =>
          uri.scheme === scheme && isWhole(uri) && this.summary(uri)?.localId === execution.localId,
      );
    return open ?? executionUri(address, titleOf(execution), scheme);
  }

  summary(uri: vscode.Uri): ExecutionSummary | undefined {
    const { crewName, key } = parseUri(uri)?.address ?? {};
    if (crewName === undefined || key === undefined) return undefined;
    const { store, crews } = this.#options;
    const crewId = crews.find(crewName)?.id;
    const inCrew = crewId === undefined ? undefined : store.summary(key, crewId);
    // The crew may have been renamed or removed since.
    return inCrew ?? store.summary(key);
  }

  execution(uri: vscode.Uri): Execution | undefined {
    const summary = this.summary(uri);
    return summary && this.#options.store.find(summary.localId);
  }

  circumstancesOf(execution: Execution): Circumstances {
    const { store, circumstances } = this.#options;
    const { runAgain } = execution.request ?? {};
    const from = runAgain && store.summary(runAgain.executionId);
    return { ...circumstances.of(execution), ...(from && { earlier: titleOf(from) }) };
  }

  view(uri: vscode.Uri): ExecutionView | undefined {
    if (!isWhole(uri)) return undefined;
    return this.#rendering && this.#page(uri, this.#rendering).view;
  }

  async show(execution: ExecutionSummary, taskId?: string, options?: ShowOptions) {
    const { showExecution } = await import("./text-editors.ts");
    return await showExecution(this, execution, taskId, options);
  }

  showsWaiting(uri: vscode.Uri, { localId }: Pick<ExecutionSummary, "localId">): boolean {
    const execution = this.summary(uri);
    const part = parseUri(uri)?.part;
    const isWaiting = part?.kind === "attempt" && isAt(execution?.waiting, part);
    return execution?.localId === localId && (part === undefined || isWaiting);
  }

  rendered(document: vscode.TextDocument): Rendered | undefined {
    const page = this.#pages.get(document.uri.toString());
    const text = document.getText();
    return page?.renderings.find((rendering) => rendering.text === text);
  }

  isCurrent(document: vscode.TextDocument): boolean {
    const page = this.#rendering && this.#page(document.uri, this.#rendering);
    return page?.renderings[0].text === document.getText();
  }

  refresh(): void {
    const rendering = this.#rendering;
    if (rendering === undefined) return;
    const changes = [...this.#pages.values()]
      .filter(({ uri, mtime }) => this.#page(uri, rendering).mtime !== mtime)
      .map(({ uri }) => ({ type: vscode.FileChangeType.Changed, uri }));
    if (changes.length > 0) this.#changes.fire(changes);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { summary, renderings, mtime } = await this.#read(uri);
    return {
      type: vscode.FileType.File,
      ctime: summary === undefined ? 0 : Date.parse(summary.startedAt),
      mtime,
      size: Buffer.byteLength(renderings[0].text),
      permissions: vscode.FilePermission.Readonly,
    };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return new TextEncoder().encode((await this.#read(uri)).renderings[0].text);
  }

  /** Every open document is watched already. */
  readonly watch = () => new vscode.Disposable(() => undefined);
  readonly readDirectory = refuse;
  readonly createDirectory = refuse;
  readonly writeFile = refuse;
  readonly delete = refuse;
  readonly rename = refuse;

  dispose(): void {
    this.#owned.dispose();
  }

  async #read(uri: vscode.Uri): Promise<Page> {
    await this.#options.ready;
    return this.#page(uri, await (this.#loading ??= this.#load()));
  }

  async #load(): Promise<Rendering> {
    const rendering = await loadRendering();
    this.#rendering = rendering;
    this.#owned.add(rendering.keepReaderPlaces(this));
    this.#owned.add(rendering.markDrafts(this));
    return rendering;
  }

  #page(uri: vscode.Uri, rendering: Rendering): Page {
    const key = uri.toString();
    const known = this.#pages.get(key);
    const summary = this.summary(uri);
    const circumstances = summary && this.#options.circumstances.of(summary);
    const about = JSON.stringify([summary && titleOf(summary), circumstances]);
    if (known !== undefined && known.summary === summary && known.about === about) return known;
    const { rendered, view } = this.#render(uri, rendering);
    const isSame = known?.renderings[0].text === rendered.text;
    const page: Page = {
      ...{ uri, summary, about, ...defined({ view }) },
      renderings: [rendered, ...(known?.renderings.slice(isSame ? 1 : 0, keptRenderings) ?? [])],
      mtime: isSame ? known.mtime : Math.max(Date.now(), (known?.mtime ?? 0) + 1),
    };
    this.#pages.set(key, page);
    return page;
  }

  #render(uri: vscode.Uri, rendering: Rendering) {
    const { address, part } = parseUri(uri) ?? {};
    if (address === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    const execution = this.execution(uri);
    if (execution === undefined)
      return { rendered: rendering.missingText(address.crewName, address.key) };
    if (part === undefined) {
      const activity = rendering.activityIn(this.#options.store, execution);
      const view = rendering.viewOf(execution, activity, this.circumstancesOf(execution));
      return { rendered: rendering.textOf(view), view };
    }
    const output = rendering.outputOf(execution, part) ?? rendering.missing();
    return { rendered: { text: rendering.shownOutput(output).text, sections: [] } };
  }
}

function refuse(uri: vscode.Uri): never {
  throw vscode.FileSystemError.NoPermissions(uri);
}

function isWhole(uri: vscode.Uri): boolean {
  const parsed = parseUri(uri);
  return parsed !== undefined && parsed.part === undefined;
}
