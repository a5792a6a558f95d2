import * as vscode from "vscode";
import { messageOf, type ProblemLog } from "../base/errors.ts";
import { recentProblems } from "./recent-problems.ts";

/** The extension's log channel. Never log a token. */
export const log: vscode.LogOutputChannel = vscode.window.createOutputChannel("Crewdeck", {
  log: true,
});

/** `doing` is a constant, for problem reports; `about`, the crew or file, is only logged. */
export function logProblem(doing: string, error: unknown, about?: string): void {
  recentProblems.note(Date.now(), doing, error);
  log.error(`${doing}${about === undefined ? "" : ` (${about})`}: ${messageOf(error)}`);
  if (error instanceof Error && error.stack !== undefined) log.debug(error.stack);
}

/** For rooms that can't import this one. */
export const problemLog: ProblemLog = { problem: logProblem };
