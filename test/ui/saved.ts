import type { VSCodeWindow } from "../support/window.ts";

/** Whether the window's state, which VS Code in a browser writes every few seconds, contains this text. */
export function isSaved({ page }: VSCodeWindow, text: string): Promise<boolean> {
  return page.evaluate(async (wanted) => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () =>
          reject(request.error ?? new Error("The window's state cannot be read."));
      });
    for (const { name = "" } of await indexedDB.databases()) {
      if (!name.startsWith("vscode-web-state-db")) continue;
      const database = await done(indexedDB.open(name));
      const values = await done(
        database.transaction("ItemTable").objectStore("ItemTable").getAll(),
      );
      database.close();
      // It is JSON within JSON within JSON, so the text must not need escapes.
      if (values.some((value) => String(value).includes(wanted))) return true;
    }
    return false;
  }, text);
}
