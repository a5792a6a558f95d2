import * as vscode from "vscode";
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
  readonly #known: ReadonlySet<string>;
  /** With their addresses. */
  readonly #open = new Map<OpenPage, string>();

  /** @param known addresses that have a page since the extension host started */
  constructor(options: PagesOptions, known: ReadonlySet<string>) {
    this.#options = options;
    this.#known = known;
  }

  add(uri: vscode.Uri, panel: vscode.WebviewPanel): void {
    const page = new OpenPage(panel, uri, this.#options);
    this.#open.set(page, uri.toString());
    panel.onDidDispose(() => this.#open.delete(page));
  }

  /** @param asked the task that a person answers, though the crew reports no pause */
  async show(execution: ExecutionSummary, place: Place | undefined, asked?: string): Promise<void> {
    const uri = this.#options.documents.uriOf(execution);
    const tab = vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .find(
        ({ input }) =>
          input instanceof vscode.TabInputCustom && input.uri.toString() === uri.toString(),
      );
    const viewColumn = tab?.group.viewColumn;
    // After its extension host ended, VS Code leaves a page as it was, and connects it to no other.
    if (tab !== undefined && !this.#known.has(uri.toString()))
      await vscode.window.tabGroups.close(tab, true);
    await vscode.commands.executeCommand("vscode.openWith", uri, pageType, {
      preview: execution.waiting === undefined,
      preserveFocus: typeof place === "object" && "spanId" in place && !place.takesFocus,
      ...(viewColumn !== undefined && { viewColumn }),
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
    const viewType = editor === "page" ? pageType : "default";
    await vscode.commands.executeCommand("vscode.openWith", uri, viewType, { preview });
    // A preview is replaced already, and closing it again would be an error.
    const open = tabGroups.all.flatMap(({ tabs }) => tabs).find((tab) => tab === other);
    if (open?.isActive === false) await tabGroups.close(open, true);
    await vscode.workspace
      .getConfiguration("crewdeck")
      .update("openExecutionsAs", editor, vscode.ConfigurationTarget.Global)
      .then(undefined, (error: unknown) => logProblem("Remembering the editor", error));
  }

  dispose(): void {
    for (const page of this.#open.keys()) page.storeDraft();
  }
}
