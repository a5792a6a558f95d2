import * as vscode from "vscode";
import { plainMessage } from "../editor/messages.ts";

/** Shows that a crew is being tested, with a button that stops it. */
export function whileTesting<T>(
  what: string,
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: plainMessage(vscode.l10n.t("Testing {0}", what)),
    cancellable: true,
  };
  return Promise.resolve(
    vscode.window.withProgress(options, async (_progress, stop) => {
      const controller = new AbortController();
      const subscription = stop.onCancellationRequested(() => controller.abort());
      try {
        return await action(controller.signal);
      } finally {
        subscription.dispose();
      }
    }),
  );
}
