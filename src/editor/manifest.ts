import * as vscode from "vscode";
import { asObject, textAt } from "../base/json.ts";

/** IDs in both the manifest and the code; a test compares them. */
export const viewId = "crewdeck.executions";
export const timelineId = "crewdeck.timeline";
export const executionScheme = "crew-execution";
export const executionLanguage = "crew-execution";
export const formType = "crewdeck.kickoff";
export const pageType = "crewdeck.page";
export const comparisonType = "crewdeck.comparison";

/** The context keys in the manifest's `when` clauses, with defaults. */
const defaults = {
  "crewdeck.hasCrews": false,
  "crewdeck.hasExecutions": false,
  /** An execution waits for feedback besides the one in the focused document. */
  "crewdeck.othersWait": false,
  /** For the walkthrough: a crew accepted feedback. */
  "crewdeck.hasAnswered": false,
  /** The stored data is loaded; hides the empty view until then. */
  "crewdeck.isReady": false,
  "crewdeck.isFiltered": false,
  /** All crews are stopped local ones. */
  "crewdeck.isStopped": false,
  /** A local crew runs, in whatever window. */
  "crewdeck.hasRunningCrew": false,
  /** The workspace has a crew project; for the empty view. */
  "crewdeck.hasProject": false,
  /** A task in the focused document waits for feedback. */
  "crewdeck.waitingHere": false,
  /** It is a flow's, which is answered and not approved. */
  "crewdeck.asksHere": false,
};

export type ContextKey = keyof typeof defaults;

const current = new Map<ContextKey, boolean>();

export function setContext(key: ContextKey, value: boolean): void {
  if (current.get(key) === value) return;
  current.set(key, value);
  void vscode.commands.executeCommand("setContext", key, value);
}

export function hasContext(key: ContextKey): boolean {
  return current.get(key) === true;
}

export function resetContext(): void {
  for (const key of Object.keys(defaults) as ContextKey[]) setContext(key, defaults[key]);
}

export function versionOf({ extension }: Pick<vscode.ExtensionContext, "extension">): string {
  return textAt(asObject(extension.packageJSON), "version") ?? "0";
}

/** How many ended executions are kept; 0, and anything invalid, keeps all. */
export function keepEndedExecutions(): number {
  const value: unknown = vscode.workspace.getConfiguration("crewdeck").get("keepEndedExecutions");
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}
