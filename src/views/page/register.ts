import * as vscode from "vscode";
import { defined } from "../../base/json.ts";
import { documentIn } from "../../editor/execution-uri.ts";
import { logged } from "../../editor/log.ts";
import { pageType } from "../../editor/manifest.ts";
import { type ExecutionSummary, hasEnded } from "../../executions/model.ts";
import type { Place } from "./messages.ts";
import type { OpenPage, PageParts } from "./open-page.ts";

/** All open pages: a second editor of an execution's address. The code of one is loaded when it is first shown. */
export class Pages implements vscode.CustomReadonlyEditorProvider, vscode.Disposable {
  readonly #parts: PageParts;
  readonly #open = new Map<string, Set<OpenPage>>();
  /** Local IDs of executions whose editors are being opened: that takes seconds in a busy window. */
  readonly opening = new Set<string>();

  constructor(parts: PageParts) {
    this.#parts = parts;
  }

  register(): vscode.Disposable {
    const options = { supportsMultipleEditorsPerDocument: true };
    return vscode.window.registerCustomEditorProvider(pageType, this, options);
  }

  readonly openCustomDocument = (uri: vscode.Uri) => ({ uri, dispose: () => undefined });

  async resolveCustomEditor(
    { uri }: Pick<vscode.CustomDocument, "uri">,
    panel: vscode.WebviewPanel,
  ): Promise<void> {
    const pages = this.#open.get(uri.toString()) ?? new Set();
    this.#open.set(uri.toString(), pages);
    await this.#parts.ready;
    const { OpenPage } = await import("./open-page.ts");
    const page = new OpenPage(panel, uri, this.#parts);
    pages.add(page);
    panel.onDidDispose(() => pages.delete(page));
  }

  /** As the person reads executions: as text or as a page. At `taskId`, or at what waits. */
  readonly open = async (execution: ExecutionSummary, taskId?: string): Promise<void> => {
    this.opening.add(execution.localId);
    const opened: Promise<unknown> = this.isPreferred()
      ? this.reveal(execution, taskId === undefined ? taskId : { taskId })
      : this.#parts.documents.show(execution, taskId);
    await opened.finally(() => this.opening.delete(execution.localId));
  };

  isPreferred(): boolean {
    return vscode.workspace.getConfiguration("crewdeck").get("openExecutionsAs") !== "text";
  }

  /** However the person reads executions. @param asked the task that a person answers, though its crew may report no pause */
  async reveal(execution: ExecutionSummary, place: Place | undefined, asked?: string) {
    const uri = this.#parts.documents.uriOf(execution);
    await this.#openPage(uri, {
      // What goes on is watched and answered there: a comparison of its attempts must not replace it.
      preview: hasEnded(execution),
      preserveFocus: typeof place === "object" && "spanId" in place && !place.takesFocus,
      ...defined({ viewColumn: tabOf(uri)?.group.viewColumn }),
    });
    if (place === undefined) return;
    for (const page of this.#open.get(uri.toString()) ?? []) page.reveal(place, asked);
  }

  /** In place of the other editor, if that is the active tab. The choice is remembered. */
  async switchTo(execution: ExecutionSummary, editor: "text" | "page"): Promise<void> {
    const { tabGroups } = vscode.window;
    const { activeTab } = tabGroups.activeTabGroup;
    const uri = this.#parts.documents.uriOf(execution);
    const other = documentIn(activeTab)?.toString() === uri.toString() ? activeTab : undefined;
    const preview = other?.isPreview === true;
    // First, because what the person does next in the other editor depends on it.
    await vscode.workspace
      .getConfiguration("crewdeck")
      .update("openExecutionsAs", editor, vscode.ConfigurationTarget.Global)
      .then(undefined, logged("Remembering the editor"));
    // It would only take the focus again, perhaps from the box in which the person already types.
    if (editor === "page" && other?.input instanceof vscode.TabInputCustom && this.#isOurs(uri))
      return;
    if (editor === "page") await this.#openPage(uri, { preview });
    else await vscode.commands.executeCommand("vscode.openWith", uri, "default", { preview });
    // A preview is replaced already, and closing it again would be an error.
    const open = tabGroups.all.flatMap(({ tabs }) => tabs).find((tab) => tab === other);
    if (open?.isActive === false) await tabGroups.close(open, true);
  }

  /** After its extension host ended, VS Code keeps a page as it was, and asks no other host for it: it is opened anew. */
  async #openPage(uri: vscode.Uri, options: vscode.TextDocumentShowOptions): Promise<void> {
    const open = (how: vscode.TextDocumentShowOptions) =>
      vscode.commands.executeCommand("vscode.openWith", uri, pageType, how);
    await open(options);
    const left = tabOf(uri);
    if (left === undefined || !this.isLeft(uri)) return;
    // With its last tab a group is gone, and its column may be another's.
    const isLast = left.group.tabs.length === 1;
    await vscode.window.tabGroups.close(left, true);
    await open({ ...options, ...(isLast && { viewColumn: vscode.ViewColumn.Active }) });
  }

  isLeft(uri: vscode.Uri): boolean {
    return tabOf(uri) !== undefined && !this.#isOurs(uri);
  }

  #isOurs(uri: vscode.Uri): boolean {
    return this.#open.has(uri.toString());
  }

  dispose(): void {
    for (const page of [...this.#open.values()].flatMap((pages) => [...pages])) page.storeDraft();
  }
}

function tabOf(uri: vscode.Uri): vscode.Tab | undefined {
  const isIt = ({ input }: vscode.Tab) =>
    input instanceof vscode.TabInputCustom &&
    input.viewType === pageType &&
    input.uri.toString() === uri.toString();
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).find(isIt);
}
