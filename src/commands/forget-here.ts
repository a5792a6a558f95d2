import * as vscode from "vscode";
import { statusPathsKey, tokenNotesKey } from "../crews/crew-values.ts";
import { executionScheme, formType } from "../editor/ids.ts";
import type { ClearScope } from "../executions/clearing.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import type { KickoffForms } from "../kickoff/form/forms.ts";
import type { TreeRoom } from "../views/tree/register.ts";

/** What a window keeps in mind. */
export interface ForgettingParts {
  readonly context: Pick<vscode.ExtensionContext, "globalState" | "globalStorageUri">;
  readonly forms: Pick<KickoffForms, "closeAll">;
  readonly tree: Pick<TreeRoom, "choices">;
}

/**
 * What stays here. What belongs to the connected crews stays with them. The notes of their tokens are in a state that windows share, and are
 * the deleting window's: it alone knows which token could not be deleted, and without its note that one may never be found again.
 */
const stays: Readonly<Record<ClearScope, readonly string[]>> = {
  data: [tokenNotesKey, statusPathsKey],
  everything: [tokenNotesKey],
};

/**
 * Closes what this window shows of the data, and empties what it remembers: another window would write it back.
 * @param executions those whose previews are closed; a window in which they are gone already leaves their previews, which say so
 */
export async function forgetHere(
  { context: { globalState, globalStorageUri }, forms, tree }: ForgettingParts,
  scope: ClearScope,
  executions: readonly ExecutionSummary[] = [],
): Promise<void> {
  await forms.closeAll();
  const { tabGroups } = vscode.window;
  // Forms that were not looked at since the window was opened are tabs and nothing else yet.
  await tabGroups.close(
    tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter(
        (tab) => isOurs(tab.input, globalStorageUri) || (executions.length > 0 && isPreview(tab)),
      ),
  );
  await tree.choices.reset();
  for (const key of globalState.keys()) {
    if (!stays[scope].includes(key)) await globalState.update(key, undefined);
  }
}

/** Whether a tab is the Markdown preview of an execution's document. A preview's tab names no document, only the file's name among words in VS Code's language (observed). */
function isPreview({ input, label }: vscode.Tab): boolean {
  return (
    input instanceof vscode.TabInputWebview &&
    input.viewType.endsWith("markdown.preview") &&
    /\.execution\b/.test(label)
  );
}

function isOurs(input: unknown, storage: vscode.Uri): boolean {
  // VS Code puts a word of its own before a panel's type (observed).
  if (input instanceof vscode.TabInputWebview) return input.viewType.endsWith(formType);
  const uris =
    input instanceof vscode.TabInputText
      ? [input.uri]
      : input instanceof vscode.TabInputTextDiff
        ? [input.original, input.modified]
        : [];
  return uris.some(
    ({ scheme, path }) => scheme === executionScheme || path.startsWith(`${storage.path}/`),
  );
}
