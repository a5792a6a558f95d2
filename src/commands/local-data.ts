import path from "node:path";
import type * as vscode from "vscode";
import type { Crews } from "../crews/crews.ts";
import { tokenNotesKey } from "../crews/crew-values.ts";
import type { ClearScope } from "../executions/clearing.ts";
import type { Executions } from "../executions/executions.ts";
import { jsonFilesIn } from "../executions/files.ts";
import { emptyFolder, type Unremoved } from "../executions/remove-whole.ts";
import type { Presets } from "../kickoff/presets/presets.ts";
import type { LocalCrews } from "../local/local-crews.ts";
import { forgetHere, type ForgettingParts } from "./forget-here.ts";

/** What deleting works with. */
export interface LocalDataParts extends ForgettingParts {
  readonly context: Pick<vscode.ExtensionContext, "globalState" | "globalStorageUri">;
  readonly crews: Pick<Crews, "list" | "idsWithTokens" | "clear">;
  readonly executions: Pick<Executions, "store" | "clear">;
  readonly locals: Pick<LocalCrews, "count" | "removeAll">;
  readonly presets: () => Promise<Pick<Presets, "count">>;
}

/** How much of what there is on this machine. */
export interface LocalDataCounts {
  readonly executions: number;
  readonly presets: number;
  /** Of feedback. */
  readonly drafts: number;
  /** Forms of which values are remembered. */
  readonly forms: number;
  readonly localCrews: number;
  /** Connected crews, which are in the settings. */
  readonly crews: number;
}

/** Counts what can be deleted. */
export async function countLocalData({
  context,
  crews,
  executions,
  locals,
  presets,
}: LocalDataParts): Promise<LocalDataCounts> {
  const filesIn = async (name: string) =>
    (await jsonFilesIn(path.join(context.globalStorageUri.fsPath, name))).length;
  return {
    executions: executions.store.list().length,
    presets: await (await presets()).count(),
    drafts: await filesIn("drafts"),
    forms: await filesIn("kickoff"),
    localCrews: await locals.count(),
    crews: crews.list().filter(({ local }) => local === undefined).length,
  };
}

/** Deletes what the extension keeps on this machine, in all open windows; it works on as if it had just been installed. @returns what could not be deleted */
export async function deleteLocalData(
  parts: LocalDataParts,
  scope: ClearScope,
): Promise<readonly Unremoved[]> {
  const { context, crews, executions, locals } = parts;
  const storage = context.globalStorageUri.fsPath;
  const left: Unremoved[] = [];
  // Read first: another window that notices the deletion empties the state that the notes of tokens are in, which windows share.
  const idsWithTokens = scope === "everything" ? await crews.idsWithTokens() : [];
  // What belongs to the crews goes with them, below.
  await forgetHere(parts, "data", executions.store.list());
  left.push(...(await executions.clear(scope)));
  const localsLeft = await locals.removeAll();
  left.push(...localsLeft.map(({ dataFolder, error }) => ({ path: dataFolder, error })));
  if (scope === "everything") {
    const crewsLeft = await crews.clear(idsWithTokens);
    left.push(...crewsLeft.map((error) => ({ path: "crewdeck.crews", error })));
    // Without its note, a token that could not be deleted may never be found again.
    const keys = context.globalState
      .keys()
      .filter((key) => key !== tokenNotesKey || crewsLeft.length === 0);
    for (const key of keys) await context.globalState.update(key, undefined);
  }
  // What could not be deleted above is told already. Executions are watched by other windows, and so is their folder.
  const stays = [path.join(storage, "executions"), ...left.map((each) => each.path)];
  return [...left, ...(await emptyFolder(storage, stays))];
}
