import * as vscode from "vscode";
import { messageOf } from "../base/errors.ts";
import { recentProblems } from "./recent-problems.ts";

/** The extension's log channel. A token is never handed to it. */
export const log: vscode.LogOutputChannel = vscode.window.createOutputChannel("Crewdeck", {
  log: true,
});

/**
 * Logs a failure that happened in the background: what was being done, and the error with its stack for the log alone.
 * @param doing comes into problem reports, which hold no names: a text of the code, as it stands there
 * @param about the crew or file that it was done to, for the log alone
 */
export function logProblem(doing: string, error: unknown, about?: string): void {
  recentProblems.note(Date.now(), doing, error);
  log.error(`${doing}${about === undefined ? "" : ` (${about})`}: ${messageOf(error)}`);
  if (error instanceof Error && error.stack !== undefined) log.debug(error.stack);
}
