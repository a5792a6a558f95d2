import type { VSCodeWindow } from "../support/window.ts";
import { longestWait, waitFor } from "../support/wait.ts";

/** Until the window's state contains this text: VS Code in a browser writes it when a person goes to another window. */
export async function untilSaved(window: VSCodeWindow, text: string): Promise<void> {
  const goAndLook = async () => {
    await window.page.evaluate(() => {
      for (const isHere of [false, true]) {
        document.hasFocus = () => isHere;
        document.dispatchEvent(new Event("visibilitychange"));
      }
    });
    return isSaved(window, text);
  };
  await waitFor(`VS Code to have saved “${text}”`, goAndLook, longestWait, 500);
}

function isSaved({ page }: VSCodeWindow, text: string): Promise<boolean> {
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
