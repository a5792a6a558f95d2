import * as vscode from "vscode";
import { defined } from "../../base/json.ts";
import { documentIn } from "../../editor/execution-uri.ts";
import { logProblem } from "../../editor/log.ts";
import { pageType } from "../../editor/manifest.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import type { ExecutionDocuments } from "../document/documents.ts";
import type { Place } from "./messages.ts";
import { OpenPage, type PageParts } from "./open-page.ts";

export interface PagesOptions extends Omit<PageParts, "documents"> {
  readonly documents: ExecutionDocuments;
}

/** All open pages. */
export class Pages {
  readonly #options: PagesOptions;
  readonly #asked: ReadonlySet<string>;
  /** With their addresses. */
  readonly #open = new Map<OpenPage, string>();

  /** @param asked the addresses that VS Code asked this extension host for */
  constructor(options: PagesOptions, asked: ReadonlySet<string>) {
    this.#options = options;
    this.#asked = asked;
  }

  add(uri: vscode.Uri, panel: vscode.WebviewPanel): void {
    const page = new OpenPage(panel, uri, this.#options);
    this.#open.set(page, uri.toString());
    panel.onDidDispose(() => this.#open.delete(page));
  }

  /** @param asked the task that a person answers, though the crew reports no pause */
  async show(execution: ExecutionSummary, place: Place | undefined, asked?: string): Promise<void> {
    const uri = this.#options.documents.uriOf(execution);
    await this.#openPage(uri, {
      preview: execution.waiting === undefined,
      preserveFocus: typeof place === "object" && "spanId" in place && !place.takesFocus,
      ...defined({ viewColumn: tabOf(uri)?.group.viewColumn }),
    });
    if (place === undefined) return;
    for (const [page, address] of this.#open)
      if (address === uri.toString()) page.reveal(place, asked);
  }

  /** In place of the other editor, if that is the active tab. The choice is remembered. */
  async switchTo(execution: ExecutionSummary, editor: "text" | "page"): Promise<void> {
    const { tabGroups } = vscode.window;
    const { activeTab } = tabGroups.activeTabGroup;
    const uri = this.#options.documents.uriOf(execution);
    const other = documentIn(activeTab)?.toString() === uri.toString() ? activeTab : undefined;
    const preview = other?.isPreview === true;
    // First, because what the person does next in the other editor depends on it.
    await vscode.workspace
      .getConfiguration("crewdeck")
      .update("openExecutionsAs", editor, vscode.ConfigurationTarget.Global)
      .then(undefined, (error: unknown) => logProblem("Remembering the editor", error));
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
    if (this.#asked.has(uri.toString()) || left === undefined) return;
    // With its last tab a group is gone, and its column may be another's.
    const isLast = left.group.tabs.length === 1;
    await vscode.window.tabGroups.close(left, true);
    await open({ ...options, ...(isLast && { viewColumn: vscode.ViewColumn.Active }) });
  }

  dispose(): void {
    for (const page of this.#open.keys()) page.storeDraft();
  }
}

/** The open page of an execution, of this extension host or of one that has ended. */
function tabOf(uri: vscode.Uri): vscode.Tab | undefined {
  const isIt = ({ input }: vscode.Tab) =>
    input instanceof vscode.TabInputCustom &&
    input.viewType === pageType &&
    input.uri.toString() === uri.toString();
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).find(isIt);
}
