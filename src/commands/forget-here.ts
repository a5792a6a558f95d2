import * as vscode from "vscode";
import { statusPathsKey } from "../crews/status-paths.ts";
import { tokenNotesKey } from "../crews/token-notes.ts";
import { executionScheme, formType } from "../editor/ids.ts";
import type { ClearScope } from "../executions/clearing.ts";
import type { KickoffForms } from "../kickoff/forms.ts";
import type { TreeRoom } from "../views/tree/register.ts";

/** What a window keeps in mind. */
export interface ForgettingParts {
  readonly context: Pick<vscode.ExtensionContext, "globalState" | "globalStorageUri">;
  readonly forms: Pick<KickoffForms, "closeAll">;
  readonly tree: Pick<TreeRoom, "choices">;
}

/** What belongs to the connected crews, and stays with them. */
const ofCrews: readonly string[] = [tokenNotesKey, statusPathsKey];

/** Closes what this window shows of the data, and empties what it remembers: another window would write it back. */
export async function forgetHere({ context: { globalState, globalStorageUri }, forms, tree }: ForgettingParts, scope: ClearScope): Promise<void> {
  await forms.closeAll();
  const { tabGroups } = vscode.window;
  // Forms that were not looked at since the window was opened are tabs and nothing else yet.
  await tabGroups.close(tabGroups.all.flatMap(({ tabs }) => tabs).filter(({ input }) => isOurs(input, globalStorageUri)));
  await tree.choices.reset();
  for (const key of globalState.keys()) {
    if (scope === "everything" || !ofCrews.includes(key)) await globalState.update(key, undefined);
  }
}

function isOurs(input: unknown, storage: vscode.Uri): boolean {
  // VS Code puts a word of its own before a panel's type (observed).
  if (input instanceof vscode.TabInputWebview) return input.viewType.endsWith(formType);
  const uris = input instanceof vscode.TabInputText ? [input.uri] : input instanceof vscode.TabInputTextDiff ? [input.original, input.modified] : [];
  return uris.some(({ scheme, path }) => scheme === executionScheme || path.startsWith(`${storage.path}/`));
}
