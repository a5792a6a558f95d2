import * as vscode from "vscode";

/** Every context key the manifest's `when` clauses may read, with its value before anything is known. */
const defaults = {
  /** Whether at least one crew is connected. */
  "crewdeck.hasCrews": false,
  /** Whether at least one execution is tracked. */
  "crewdeck.hasExecutions": false,
  /** Whether an execution's document was ever shown on this machine; for the walkthrough. */
  "crewdeck.hasRead": false,
  /** Whether feedback of this person was taken by a crew, in an execution that is tracked; for the walkthrough. */
  "crewdeck.hasAnswered": false,
  /** Whether what is kept has been read: before that nobody can say that there is nothing. */
  "crewdeck.isReady": false,
  /** Whether the view shows only some executions. */
  "crewdeck.isFiltered": false,
  /** Whether there are crews, all of them local ones that are stopped. */
  "crewdeck.isStopped": false,
  /** Whether the workspace has a crew project; for the empty view. */
  "crewdeck.hasProject": false,
  /** Whether the document with the keys shows a task that waits for feedback; for keybindings. */
  "crewdeck.waitingHere": false,
};

/** A context key of this extension. */
export type ContextKey = keyof typeof defaults;

const current = new Map<ContextKey, boolean>();

/** Sets a context key; the same value again costs nothing. */
export function setContext(key: ContextKey, value: boolean): void {
  if (current.get(key) === value) return;
  current.set(key, value);
  void vscode.commands.executeCommand("setContext", key, value);
}

/** Gives every key its default, so that `when` clauses never meet an unset one. */
export function resetContext(): void {
  for (const key of Object.keys(defaults) as ContextKey[]) setContext(key, defaults[key]);
}
