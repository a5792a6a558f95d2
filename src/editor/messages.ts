import * as vscode from "vscode";
import {
  action,
  actionsOf,
  isUnforeseen,
  messageOf,
  NothingToDo,
  type ErrorAction,
  UserError,
} from "../base/errors.ts";
import { isObject } from "../base/json.ts";

const statusTimeout = 5_000;

/** Escapes `$(name)` in remote text, which a label would draw as an icon. */
export function plainLabel(text: string): string {
  return text.replace(/\$\(/g, "\\$(");
}

/** Breaks `[text](command:…)` in remote text, which VS Code shows as a link (observed). */
export function plainMessage(text: string): string {
  return text.replace(/\](\s*)\(/g, "]\u200b$1(");
}

export function showStatus(text: string): void {
  vscode.window.setStatusBarMessage(plainLabel(text), statusTimeout);
}

export async function confirm(text: string, detail: string, button: string): Promise<boolean> {
  const answer = await vscode.window.showWarningMessage(text, { modal: true, detail }, button);
  return answer === button;
}

/** What a person typed, as it was read; undefined if they cancel. @param read throws what is wrong */
export async function askFor<T>(read: (text: string) => T, options: vscode.InputBoxOptions) {
  const typed = await vscode.window.showInputBox({
    ...options,
    ignoreFocusOut: true,
    validateInput(text) {
      try {
        return void read(text);
      } catch (error) {
        return messageOf(error);
      }
    },
  });
  return typed === undefined ? undefined : read(typed);
}

/** Reads a text for {@link askFor} that must not be blank. */
export function filled(problem: string) {
  return (text: string): string => {
    if (text.trim() === "") throw new UserError(problem);
    return text.trim();
  };
}

export async function showError(error: unknown): Promise<void> {
  const report = { title: vscode.l10n.t("Report a Problem…"), command: "crewdeck.reportProblem" };
  const actions: ErrorAction[] = [...actionsOf(error), ...(isUnforeseen(error) ? [report] : [])];
  const kind = error instanceof NothingToDo ? "Information" : "Error";
  await showActions(kind, messageOf(error), actions);
}

export async function showActions(
  kind: "Error" | "Warning" | "Information",
  text: string,
  actions: readonly ErrorAction[],
): Promise<void> {
  const show = vscode.window[`show${kind}Message`];
  const title = await show(plainMessage(text), ...actions.map((action) => action.title));
  const chosen = actions.find((action) => action.title === title);
  if (chosen) await runAction(chosen);
}

/** As the person who pressed its button. */
export async function runAction({ command, arguments: given = [] }: ErrorAction): Promise<void> {
  const by = (each: unknown) =>
    command.startsWith("crewdeck.") && isObject(each) ? { by: "person", ...each } : each;
  try {
    await vscode.commands.executeCommand(command, ...given.map(by));
  } catch (error) {
    await showError(error);
  }
}

type Action<T> = (signal: AbortSignal) => Promise<T>;

/** Shows a notification with progress and a Cancel button. Rejects when cancelled. */
export async function withProgress<T>(title: string, action: Action<T>): Promise<T> {
  const location = vscode.ProgressLocation.Notification;
  const options = { location, title: plainMessage(title), cancellable: true };
  return await vscode.window.withProgress(options, async (_progress, token) => {
    const controller = new AbortController();
    token.onCancellationRequested(() => controller.abort());
    return await action(controller.signal);
  });
}

/** Opens settings of the machine: in a remote window, they are on a tab of their own. */
export function machineSettings(query: string): ErrorAction {
  const isRemote = vscode.env.remoteName !== undefined;
  const command = `workbench.action.open${isRemote ? "Remote" : ""}Settings`;
  return action(vscode.l10n.t("Open Settings"), command, { query });
}
