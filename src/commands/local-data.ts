import path from "node:path";
import type * as vscode from "vscode";
import type { Crews } from "../crews/crews.ts";
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
  readonly crews: Pick<Crews, "list" | "clear">;
  readonly executions: Pick<Executions, "store" | "clear">;
  readonly locals: Pick<LocalCrews, "list" | "removeAll">;
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
export async function countLocalData({ context, crews, executions, locals, presets }: LocalDataParts): Promise<LocalDataCounts> {
  const filesIn = async (name: string) => (await jsonFilesIn(path.join(context.globalStorageUri.fsPath, name))).length;
  return {
    executions: executions.store.list().length,
    presets: await (await presets()).count(),
    drafts: await filesIn("drafts"),
    forms: await filesIn("kickoff"),
    localCrews: locals.list().length,
    crews: crews.list().filter(({ local }) => local === undefined).length,
  };
}

/** Deletes what the extension keeps on this machine, in all windows; it works on as if it had just been installed. @returns what could not be deleted */
export async function deleteLocalData(parts: LocalDataParts, scope: ClearScope): Promise<readonly Unremoved[]> {
  const { context, crews, executions, locals } = parts;
  const storage = context.globalStorageUri.fsPath;
  const left: Unremoved[] = [];
  await forgetHere(parts, scope);
  left.push(...(await executions.clear(scope)));
  const localsLeft = await locals.removeAll();
  left.push(...localsLeft.map(({ dataFolder, error }) => ({ path: dataFolder, error })));
  if (scope === "everything") {
    left.push(...(await crews.clear()).map((error) => ({ path: "crewdeck.crews", error })));
    // The crews' paths and notes went one by one; nothing else may be left of them.
    for (const key of context.globalState.keys()) await context.globalState.update(key, undefined);
  }
  // What could not be deleted above is told already. Executions are watched by other windows, and so is their folder.
  const stays = [path.join(storage, "executions"), ...left.map((each) => each.path)];
  return [...left, ...(await emptyFolder(storage, stays))];
}
