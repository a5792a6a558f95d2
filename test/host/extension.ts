import * as vscode from "vscode";
import type { CrewdeckApi, CrewdeckExecution } from "../../src/actions/crewdeck-api.ts";
import { waitFor } from "../support/wait.ts";

export async function activated(): Promise<CrewdeckApi> {
  return await vscode.extensions.getExtension<CrewdeckApi>("crewdeck.crewdeck")!.activate();
}

export function run<T>(command: string, argument?: unknown): Promise<T> {
  return Promise.resolve(vscode.commands.executeCommand<T>(`crewdeck.${command}`, argument));
}

/** Kicks a crew off without a question. @returns the execution's ID */
export async function kickOff(
  crew: string,
  inputs: object = { topic: "tea", audience: "guests" },
): Promise<string> {
  return (await run<{ kickoffId: string }>("kickoff", { crew, inputs, form: false })).kickoffId;
}

export async function executionOf(kickoffId: string): Promise<CrewdeckExecution | undefined> {
  const executions = (await activated()).executions();
  return executions.find(({ kickoffIds }) => kickoffIds.includes(kickoffId));
}

/** Polls an execution until it is as wanted, because a window in the background polls slowly. */
export function polled<T>(
  what: string,
  kickoffId: string,
  look: (execution: CrewdeckExecution) => T | false | undefined,
): Promise<T> {
  return waitFor(`${kickoffId}: ${what}`, async () => {
    await run("refresh", { crew: (await executionOf(kickoffId))?.crew, kickoffId });
    const execution = await executionOf(kickoffId);
    return execution && look(execution);
  });
}

/** Polls an execution until it waits with so many attempts at the task, or has another state. */
export const untilState = (kickoffId: string, wanted: string, attempts?: number) =>
  polled(
    wanted,
    kickoffId,
    (execution) =>
      execution.state === wanted &&
      (attempts === undefined ||
        execution.tasks.some(
          (task) => task.attempts.length === attempts && task.state === wanted,
        )) &&
      execution,
  );

export function set(name: string, value: unknown): Thenable<void> {
  const { Global } = vscode.ConfigurationTarget;
  return vscode.workspace.getConfiguration("crewdeck").update(name, value, Global);
}

export function closeEditors(): Thenable<unknown> {
  return vscode.commands.executeCommand("workbench.action.closeAllEditors");
}

export async function forgetAll(): Promise<void> {
  await closeEditors();
  for (const { kickoffId, crew } of (await activated()).executions())
    await run("untrackExecution", { crew, kickoffId });
  await set("crews", undefined);
}

export const tabNamed = (label: RegExp | string) =>
  allTabs().find((tab) =>
    typeof label === "string" ? tab.label === label : label.test(tab.label),
  );

export const allTabs = () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);

export const closeTab = async (label: RegExp | string) =>
  vscode.window.tabGroups.close(await waitFor(`a tab ${label}`, () => tabNamed(label)));

export const untilSilent = (url: string) =>
  waitFor(`${url} to fall silent`, () =>
    fetch(url).then(
      () => false,
      () => true,
    ),
  );

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
