import * as vscode from "vscode";
import type { CrewdeckApi } from "../../src/extension-api/crewdeck-api.ts";

/** The extension's API, once it is active. */
export async function activated(): Promise<CrewdeckApi> {
  return await vscode.extensions.getExtension<CrewdeckApi>("crewdeck.crewdeck")!.activate();
}

/** Runs one of the extension's commands. */
export function run<T>(command: string, argument?: unknown): Promise<T> {
  return Promise.resolve(vscode.commands.executeCommand<T>(`crewdeck.${command}`, argument));
}

/** Changes one of the extension's settings for the user; undefined is its default. */
export function set(name: string, value: unknown): Thenable<void> {
  const { Global } = vscode.ConfigurationTarget;
  return vscode.workspace.getConfiguration("crewdeck").update(name, value, Global);
}

export function closeEditors(): Thenable<unknown> {
  return vscode.commands.executeCommand("workbench.action.closeAllEditors");
}

/** Closes all editors, and removes all executions and connected crews. */
export async function forgetAll(): Promise<void> {
  await closeEditors();
  for (const { kickoffId, crew } of (await activated()).executions())
    await run("untrackExecution", { crew, kickoffId });
  await set("crews", undefined);
}

/** Replaces members of a part of VS Code's API during an action. */
export async function withReplaced<T>(
  part: object,
  members: object,
  action: () => T | PromiseLike<T>,
): Promise<T> {
  const real = Object.fromEntries(
    Object.keys(members).map((name) => [name, Reflect.get(part, name) as unknown]),
  );
  Object.assign(part, members);
  try {
    return await action();
  } finally {
    Object.assign(part, real);
  }
}

/** During an action, lists the values that a context key gets. */
export async function withContext(
  key: string,
  action: (values: readonly unknown[]) => Promise<unknown>,
): Promise<void> {
  const values: unknown[] = [];
  const { executeCommand } = vscode.commands;
  const listening = (command: string, ...rest: unknown[]) => {
    if (command === "setContext" && rest[0] === key) values.push(rest[1]);
    return executeCommand(command, ...rest);
  };
  await withReplaced(vscode.commands, { executeCommand: listening }, () => action(values));
}

export function codeLensesIn(uri: vscode.Uri): Thenable<vscode.CodeLens[]> {
  return vscode.commands.executeCommand("vscode.executeCodeLensProvider", uri);
}
