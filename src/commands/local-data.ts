import type * as vscode from "vscode";
import type { Crews } from "../crews/crews.ts";
import { tokenNotesKey } from "../crews/crew-values.ts";
import type { ClearScope } from "../executions/store.ts";
import type { Executions } from "../executions/executions.ts";
import { emptyFolder, type Unremoved } from "./remove-whole.ts";
import type { Sending } from "../sending/sending.ts";
import type { LocalCrews } from "../local/local-crews.ts";
import type { Database } from "../store/database.ts";
import { integer } from "../store/row.ts";
import { forgetHere, type ForgettingParts } from "./forget-here.ts";

/** What deleting works with. */
export interface LocalDataParts extends ForgettingParts {
  readonly context: Pick<vscode.ExtensionContext, "globalState" | "globalStorageUri">;
  readonly crews: Pick<Crews, "list" | "idsWithTokens" | "clear">;
  readonly executions: Pick<Executions, "store" | "clear">;
  readonly sending: Pick<Sending, "secrets" | "sends">;
  readonly locals: Pick<LocalCrews, "count" | "removeAll">;
  readonly database: Database;
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
export function countLocalData({
  crews,
  executions,
  locals,
  database,
}: LocalDataParts): LocalDataCounts {
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

/** Deletes what the extension keeps on this machine, in all open windows; it works on as if it had just been installed. @returns what could not be deleted */
export async function deleteLocalData(
  parts: LocalDataParts,
  scope: ClearScope,
): Promise<readonly Unremoved[]> {
  const { context, crews, executions, sending, locals, database } = parts;
  const storage = context.globalStorageUri.fsPath;
  const left: Unremoved[] = [];
  // Read first: another window that notices the deletion empties the state that the notes of tokens are in, which windows share.
  const idsWithTokens = scope === "everything" ? await crews.idsWithTokens() : [];
  // What belongs to the crews goes with them, below.
  await forgetHere(parts, "data", executions.store.list());
  const secretsLeft = await sending.secrets.forgetAll();
  left.push(...secretsLeft.map((error) => ({ path: database.files[0], error })));
  executions.clear(scope, () => {
    sending.sends.clear();
    for (const table of ["notified", "token_prompts", "drafts", "crew_values"])
      database.run(`DELETE FROM ${table}`);
  });
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
  try {
    database.vacuum();
  } catch (error) {
    left.push({ path: database.files[0], error });
  }
  // What could not be deleted above is reported already.
  const stays = [...database.files, ...left.map((each) => each.path)];
  return [...left, ...(await emptyFolder(storage, stays))];
}
