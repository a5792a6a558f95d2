import * as vscode from "vscode";
import { pageType } from "../../editor/manifest.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import type { Place } from "./messages.ts";
import type { PageParts, Pages } from "./open-page.ts";

export type PageRoom = ReturnType<typeof registerPage>;

/** The page: a second editor of an execution's address. Its code is loaded when it is first used. */
export function registerPage(options: PageParts) {
  let loading: Promise<Pages> | undefined;
  let pages: Pages | undefined;
  const asked = new Set<string>();
  const load = () =>
    (loading ??= import("./open-page.ts").then(({ Pages }) => (pages = new Pages(options, asked))));
  const provider: vscode.CustomReadonlyEditorProvider = {
    openCustomDocument: (uri) => ({ uri, dispose: () => undefined }),
    async resolveCustomEditor({ uri }, panel) {
      asked.add(uri.toString());
      await options.ready;
      (await load()).add(uri, panel);
    },
  };
  const registration = vscode.window.registerCustomEditorProvider(pageType, provider, {
    supportsMultipleEditorsPerDocument: true,
  });
  const isPreferred = () =>
    vscode.workspace.getConfiguration("crewdeck").get("openExecutionsAs") !== "text";
  return {
    /** As the person reads executions: as text or as a page. At `taskId`, or at what waits. */
    open: async (execution: ExecutionSummary, taskId?: string): Promise<void> => {
      if (!isPreferred()) await options.documents.show(execution, taskId);
      else await (await load()).show(execution, taskId === undefined ? taskId : { taskId });
    },
    /** At the feedback box for a task, however the person reads executions. */
    review: async (execution: ExecutionSummary, taskId: string): Promise<void> =>
      (await load()).show(execution, "feedback", taskId),
    isPreferred,
    reveal: async (execution: ExecutionSummary, place: Place): Promise<void> =>
      (await load()).show(execution, place),
    async switchTo(execution: ExecutionSummary, editor: "text" | "page"): Promise<void> {
      await (await load()).switchTo(execution, editor);
    },
    dispose() {
      pages?.dispose();
      registration.dispose();
    },
  };
}
