import * as vscode from "vscode";
import { statusPathsKey, tokenNotesKey } from "../crews/crew-values.ts";
import { executionScheme, formType } from "../editor/ids.ts";
import type { ClearScope } from "../executions/clearing.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import { emptyFolder, type Unremoved } from "../executions/remove-whole.ts";
import { integer } from "../store/row.ts";
import type { DeleteParts } from "./delete-local-data.ts";

export interface LocalDataCounts {
  readonly executions: number;
  readonly presets: number;
  readonly drafts: number;
  /** Forms with remembered values. */
  readonly forms: number;
  readonly localCrews: number;
  /** Connected crews, which are in the settings. */
  readonly crews: number;
}

export function countLocalData({
  crews,
  executions,
  locals,
  database,
}: DeleteParts): LocalDataCounts {
  const count = (query: string) => integer(database.get(query) ?? {}, "count");
  return {
    executions: executions.store.list().length,
    presets: count(
      "SELECT total(json_array_length(json)) AS count FROM crew_values WHERE kind = 'presets' AND json_valid(json)",
    ),
    drafts: count("SELECT count(*) AS count FROM drafts"),
    forms: count("SELECT count(*) AS count FROM crew_values WHERE kind = 'form'"),
    localCrews: locals.count(),
    crews: crews.list().filter(({ local }) => local === undefined).length,
  };
}

/** Deletes the extension's data from this machine, in all open windows, which continue as if it had just been installed. @returns what could not be deleted */
export async function clearLocalData(
  parts: DeleteParts,
  scope: ClearScope,
): Promise<readonly Unremoved[]> {
  const { context, crews, executions, sending, locals, database } = parts;
  const left: Unremoved[] = [];
  // Read first: windows share the state with the notes of tokens, and another window empties it when it notices the deletion.
  const idsWithTokens = scope === "everything" ? await crews.idsWithTokens() : [];
  await forgetHere(parts, "data", executions.store.list());
  for (const error of await sending.secrets.forgetAll())
    left.push({ path: database.files[0], error });
  executions.clear(scope, () => {
    sending.sends.clear();
    for (const table of ["notified", "token_prompts", "drafts", "crew_values"])
      database.run(`DELETE FROM ${table}`);
  });
  for (const { dataFolder, error } of await locals.removeAll())
    left.push({ path: dataFolder, error });
  if (scope === "everything") {
    const crewsLeft = await crews.clear(idsWithTokens);
    left.push(...crewsLeft.map((error) => ({ path: "crewdeck.crews", error })));
    // Without its note, a token that could not be deleted may never be found again.
    for (const key of context.globalState.keys())
      if (key !== tokenNotesKey || crewsLeft.length === 0)
        await context.globalState.update(key, undefined);
  }
  try {
    database.vacuum();
  } catch (error) {
    left.push({ path: database.files[0], error });
  }
  // What could not be deleted above is reported already.
  const stays = [...database.files, ...left.map(({ path }) => path)];
  return [...left, ...(await emptyFolder(context.globalStorageUri.fsPath, stays))];
}

/** Windows share the notes of tokens, and only the deleting window knows which token could not be deleted. */
const stays: Readonly<Record<ClearScope, readonly string[]>> = {
  data: [tokenNotesKey, statusPathsKey],
  everything: [tokenNotesKey],
};

/**
 * Closes this window's tabs with the data, and empties its memory, which another window would write back.
 * @param executions whose previews are closed; another window's previews stay and show that their document is gone
 */
export async function forgetHere(
  {
    context: { globalState, globalStorageUri },
    forms,
    tree,
  }: Pick<DeleteParts, "context" | "forms" | "tree">,
  scope: ClearScope,
  executions: readonly ExecutionSummary[] = [],
): Promise<void> {
  await forms.closeAll();
  const { tabGroups } = vscode.window;
  // A form that wasn't shown since the window opened is only a tab.
  await tabGroups.close(
    tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter(
        (tab) => isOurs(tab.input, globalStorageUri) || (executions.length > 0 && isPreview(tab)),
      ),
  );
  await tree.choices.reset();
  for (const key of globalState.keys())
    if (!stays[scope].includes(key)) await globalState.update(key, undefined);
}

/** The tab of a Markdown preview has no URI, only the file's name in a localised label (observed). */
function isPreview({ input, label }: vscode.Tab): boolean {
  return (
    input instanceof vscode.TabInputWebview &&
    input.viewType.endsWith("markdown.preview") &&
    /\.execution\b/.test(label)
  );
}

function isOurs(input: unknown, storage: vscode.Uri): boolean {
  // VS Code adds a prefix to a panel's type (observed).
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
