import * as vscode from "vscode";
import { messageOf, type ProblemLog } from "../base/errors.ts";
import { noteProblem } from "./recent-problems.ts";

/** The extension's log channel. Never log a token. */
export const log: vscode.LogOutputChannel = vscode.window.createOutputChannel("Crewdeck", {
  log: true,
});

/** `doing` is a constant, for problem reports; `about`, the crew or file, is only logged. */
export function logProblem(doing: string, error: unknown, about?: string): void {
  noteProblem(doing, error);
  log.error(`${doing}${about === undefined ? "" : ` (${about})`}: ${messageOf(error)}`);
  if (error instanceof Error && error.stack !== undefined) log.debug(error.stack);
}

/** For a promise that nobody awaits. */
export function logged(doing: string, about?: string): (error: unknown) => void {
  return (error) => logProblem(doing, error, about);
}

export const problemLog: ProblemLog = { problem: logProblem };

const named = new Set<string>();

/** An editor built on VS Code may lack these parts of its API, which the log says once. */
export function hasApi(feature: string, names: readonly string[]): boolean {
  const missing = names.filter((name) => valueAt(name) === undefined);
  if (missing.length > 0 && !named.has(feature))
    log.warn(`${feature}: off, because this editor lacks ${missing.join(", ")}.`);
  if (missing.length > 0) named.add(feature);
  return missing.length === 0;
}

function valueAt(name: string): unknown {
  return name
    .split(".")
    .reduce<unknown>(
      (value, member) => (value instanceof Object ? Reflect.get(value, member) : undefined),
      vscode,
    );
}
