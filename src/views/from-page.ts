import * as vscode from "vscode";
import { type ExecutionSummary, keyOf } from "../executions/model.ts";

/** VS Code asks before it opens an address that the person doesn't trust yet. */
export async function openLink({ href }: { readonly href: string }): Promise<void> {
  await vscode.env.openExternal(vscode.Uri.parse(href, true));
}

/** Runs a command of an execution as a lens does. */
export async function runCommand(
  command: string,
  execution: ExecutionSummary,
  more = {},
): Promise<void> {
  const target = { crew: execution.crew.id, kickoffId: keyOf(execution), by: "person" };
  await vscode.commands.executeCommand(`crewdeck.${command}`, { ...target, ...more });
}
