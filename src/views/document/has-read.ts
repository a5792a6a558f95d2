import * as vscode from "vscode";
import { setContext } from "../../editor/context.ts";
import { executionScheme } from "../../editor/ids.ts";
import { logProblem } from "../../editor/log.ts";

/** Where it is kept on this machine. */
const key = "crewdeck.hasRead";

/**
 * Keeps the context key `crewdeck.hasRead` true from the first time on that an execution's document, or that of an output, is shown. The
 * walkthrough's step may have been done long before the walkthrough is first opened: VS Code hears of no command and no key until then.
 */
export function watchReading(
  memory: Pick<vscode.Memento, "get" | "update">,
  scheme = executionScheme,
): vscode.Disposable {
  let hasRead = memory.get(key) === true;
  setContext(key, hasRead);
  const look = () => {
    if (
      hasRead ||
      !vscode.window.visibleTextEditors.some(({ document }) => document.uri.scheme === scheme)
    )
      return;
    hasRead = true;
    setContext(key, true);
    Promise.resolve(memory.update(key, true)).catch((error: unknown) =>
      logProblem("Noting that an execution was read", error),
    );
  };
  look();
  return vscode.window.onDidChangeVisibleTextEditors(look);
}
