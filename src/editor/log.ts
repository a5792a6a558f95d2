import * as vscode from "vscode";
import { messageOf } from "./errors.ts";

/** The extension's log channel. A token is never handed to it. */
export const log: vscode.LogOutputChannel = vscode.window.createOutputChannel("Crewdeck", { log: true });

/** Logs a failure that happened in the background: what was being done, and the error with its stack for the log alone. */
export function logProblem(doing: string, error: unknown): void {
  log.error(`${doing}: ${messageOf(error)}`);
  if (error instanceof Error && error.stack !== undefined) log.debug(error.stack);
}
