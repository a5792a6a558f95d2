import * as vscode from "vscode";
import { plainMessage } from "./plain.ts";

/** What an action that takes its time is handed. */
export interface Doing {
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Hears of each step: which part of the whole it was, from 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** Shows that something is under way, with a button that cancels it. @returns what the action made, or nothing where the person cancelled */
export async function withCancel<T>(
  title: string,
  action: (doing: Doing) => Promise<T>,
): Promise<T | undefined> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: plainMessage(title),
    cancellable: true,
  };
  return await vscode.window.withProgress(options, async (progress, stop) => {
    const controller = new AbortController();
    const subscription = stop.onCancellationRequested(() => {
      controller.abort();
    });
    try {
      return await action({
        signal: controller.signal,
        onProgress: (share) => {
          progress.report({ increment: share * 100 });
        },
      });
    } catch (error) {
      if (controller.signal.aborted) return undefined;
      throw error;
    } finally {
      subscription.dispose();
    }
  });
}
