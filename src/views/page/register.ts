import * as vscode from "vscode";
import { Disposables } from "../../base/events.ts";
import { logProblem } from "../../editor/log.ts";
import { pageType } from "../../editor/manifest.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import type { ExecutionDocuments } from "../document/documents.ts";
import type { OpenPage, PageParts, Place } from "./open-page.ts";

const setting = "openExecutionsAs";

interface RegisterOptions extends Omit<PageParts, "documents"> {
  readonly documents: ExecutionDocuments;
}

export type PageRoom = ReturnType<typeof registerPage>;

/** The page: a second editor of an execution's address. Its code is loaded with the first page. */
export function registerPage(options: RegisterOptions) {
  const { documents } = options;
  const owned = new Disposables();
  /** By address. */
  const pages = new Map<string, Set<OpenPage>>();
  const provider: vscode.CustomReadonlyEditorProvider = {
    openCustomDocument: (uri) => ({ uri, dispose: () => undefined }),
    async resolveCustomEditor({ uri }, panel) {
      const [{ OpenPage }] = await Promise.all([import("./open-page.ts"), options.ready]);
      const page = new OpenPage(panel, uri, options);
      const key = uri.toString();
      pages.set(key, (pages.get(key) ?? new Set()).add(page));
      panel.onDidDispose(() => pages.get(key)?.delete(page));
    },
  };
  owned.add(
    vscode.window.registerCustomEditorProvider(pageType, provider, {
      supportsMultipleEditorsPerDocument: true,
    }),
  );

  const isPreferred = () =>
    vscode.workspace.getConfiguration("crewdeck").get<string>(setting) === "page";

  const show = async (execution: ExecutionSummary, place?: Place) => {
    const uri = documents.uriOf(execution);
    const preview = execution.waiting === undefined;
    await vscode.commands.executeCommand("vscode.openWith", uri, pageType, { preview });
    if (place !== undefined)
      for (const page of pages.get(uri.toString()) ?? []) page.reveal(place);
  };

  /** In place of the other editor, if that is the active tab. The choice is remembered. */
  const switchTo = async (execution: ExecutionSummary, editor: "text" | "page") => {
    const { activeTab } = vscode.window.tabGroups.activeTabGroup;
    const uri = documents.uriOf(execution);
    const isOther =
      (activeTab?.input instanceof vscode.TabInputText ||
        activeTab?.input instanceof vscode.TabInputCustom) &&
      activeTab.input.uri.toString() === uri.toString();
    const options = { preview: isOther ? activeTab.isPreview : false };
    const viewType = editor === "page" ? pageType : "default";
    await vscode.commands.executeCommand("vscode.openWith", uri, viewType, options);
    if (isOther && !activeTab.isActive)
      await vscode.window.tabGroups.close(activeTab, true);
    await vscode.workspace
      .getConfiguration("crewdeck")
      .update(setting, editor, vscode.ConfigurationTarget.Global)
      .then(undefined, (error: unknown) => logProblem("Remembering the editor", error));
  };

  return {
    /** As the person reads executions: as text or as a page. At `taskId`, or at what waits. */
    open: async (execution: ExecutionSummary, taskId?: string): Promise<void> => {
      if (!isPreferred()) await documents.show(execution, taskId);
      else await show(execution, taskId === undefined ? undefined : { taskId });
    },
    /** For feedback in the page's box. False if the person reads executions as text. */
    review: async (execution: ExecutionSummary): Promise<boolean> => {
      if (isPreferred()) await show(execution, "feedback");
      return isPreferred();
    },
    switchTo,
    dispose: () => owned.dispose(),
  };
}
