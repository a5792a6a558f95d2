import type * as vscode from "vscode";

/** Resolves at the first event for which `isIt` is true, or after `limit` milliseconds. */
export async function until<T>(
  event: vscode.Event<T>,
  isIt: (value: T) => boolean,
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
      if (isIt(value)) done();
    });
  });
}
