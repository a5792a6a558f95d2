import type * as vscode from "vscode";

/** Resolves at the first event after which `isSo`, or after `limit` milliseconds. */
export async function until<T>(
  event: vscode.Event<T>,
  isSo: (value: T) => boolean,
  limit: number,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      listener.dispose();
      resolve();
    };
    const timer = setTimeout(done, limit);
    const listener = event((value) => {
      if (isSo(value)) done();
    });
  });
}
