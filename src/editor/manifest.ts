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
export const batchType = "crewdeck.batch";

/** The context keys in the manifest's `when` clauses, and in those that docs/commands-and-api.md suggests. */
const keys = [
  "crewdeck.hasCrews",
  "crewdeck.hasExecutions",
  "crewdeck.hasWaiting",
  /** An execution waits for feedback besides the one in the focused document. */
  "crewdeck.othersWait",
  /** For the walkthrough: a crew of the workspace is served. */
  "crewdeck.servesWorkspace",
  /** For the walkthrough: a crew accepted feedback. */
  "crewdeck.hasAnswered",
  /** The stored data is loaded; hides the empty view until then. */
  "crewdeck.isReady",
  "crewdeck.isFiltered",
  /** A local crew runs, in whatever window. */
  "crewdeck.hasRunningCrew",
  /** The workspace has a crew project; for the empty view. */
  "crewdeck.hasProject",
  /** A task in the focused document waits for feedback. */
  "crewdeck.waitingHere",
  /** It is a flow's, which is answered and not approved. */
  "crewdeck.asksHere",
] as const;

export type ContextKey = (typeof keys)[number];

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
  for (const key of keys) setContext(key, false);
}

export function versionOf({ extension }: Pick<vscode.ExtensionContext, "extension">): string {
  return textAt(asObject(extension.packageJSON), "version") ?? "0";
}

export function setting(name: string): unknown {
  return vscode.workspace.getConfiguration("crewdeck").get(name);
}

export function textSetting(name: string): string {
  const value = setting(name);
  return typeof value === "string" ? value : "";
}

/** How many ended executions are kept; 0, and anything invalid, keeps all. */
export function keepEndedExecutions(): number {
  const value = setting("keepEndedExecutions");
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}
