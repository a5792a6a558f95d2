import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { codeOf, messageOf, UserError } from "../base/errors.ts";
import { asObject } from "../base/json.ts";
import type { FlowWebhooks } from "../callbacks/flow-webhooks.ts";
import type { Crews } from "../crews/crews.ts";
import { stopRoutesKey, tokenNotesKey } from "../crews/state-by-crew.ts";
import { choice, read } from "../editor/arguments.ts";
import { logProblem } from "../editor/log.ts";
import { executionScheme } from "../editor/manifest.ts";
import { plainMessage, showStatus } from "../editor/messages.ts";
import type { Executions } from "../executions/executions.ts";
import { pendingResume } from "../executions/resumes.ts";
import type { ClearScope } from "../executions/store.ts";
import { titleOf } from "../executions/title.ts";
import type { KickoffRoom } from "../kickoff/register.ts";
import type { LocalCrews } from "../local/local-crews.ts";
import type { Senders } from "../sending/senders.ts";
import type { Database } from "../store/database.ts";
import { isOurPanel } from "../views/attention.ts";
import { forgetHeaders, headersKey } from "../views/export/endpoint.ts";
import { present } from "../view/words.ts";
import type { ExecutionTree } from "../views/tree/tree.ts";
import type { Asker } from "./asker.ts";

export interface DeleteParts {
  readonly database: Pick<Database, "files" | "run" | "vacuum">;
  readonly callbacks: () => Promise<{
    readonly flows: Pick<FlowWebhooks, "crewIds" | "forget">;
    forgetRoutes(): Promise<void>;
  }>;
  readonly context: Pick<vscode.ExtensionContext, "globalState" | "globalStorageUri" | "secrets">;
  readonly crews: Pick<Crews, "list" | "clear">;
  readonly executions: Pick<Executions, "store" | "clear">;
  readonly sending: Pick<Senders, "now" | "secrets" | "outbox">;
  readonly locals: Pick<LocalCrews, "count" | "removeAll">;
  readonly forms: Pick<KickoffRoom["forms"], "closeAll">;
  readonly tree: { readonly arrangement: Pick<ExecutionTree["arrangement"], "reset"> };
}

type Unremoved = { readonly path: string; readonly error: unknown };

/** Asks a person. A program passes `{what}`: `data`, or `everything` with crews and tokens. */
export async function deleteLocalData(parts: DeleteParts, argument: unknown, { isPerson }: Asker) {
  const { crews, executions, locals, sending } = parts;
  const counts = {
    executions: executions.store.list().length,
    localCrews: locals.count(),
    crews: crews.list().filter(({ local }) => local === undefined).length,
  };
  const scope = isPerson
    ? await ask(counts, parts)
    : read({ what: choice(["data", "everything"]) }, argument).what;
  if (scope === undefined) return undefined;
  // A request in progress must store its outcome.
  const [sent] = sending.now();
  if (sent !== undefined)
    throw new UserError(
      vscode.l10n.t(
        "“{0}” is being sent to “{1}”, and the outcome must be stored. Nothing was deleted; try again later.",
        titleOf(sent),
        sent.crew.name,
      ),
    );
  const left = await clearLocalData(parts, scope);
  if (isPerson) report(left);
  return {
    ...counts,
    crews: scope === "everything" ? counts.crews : 0,
    notDeleted: left.map(({ path, error }) => ({ path, reason: messageOf(error) })),
  };
}

async function ask(
  { executions, localCrews, crews }: Record<"executions" | "localCrews" | "crews", number>,
  parts: DeleteParts,
): Promise<ClearScope | undefined> {
  const keep = vscode.l10n.t("Delete, Keep Connected Crews");
  const everything = vscode.l10n.t("Delete Everything");
  const mayHaveBeenSent = parts.executions.store
    .list()
    .some((each) => each.state === "unconfirmed" || pendingResume(each) !== undefined);
  const detail = present(
    vscode.l10n.t(
      "For all windows, this deletes executions with their inputs and outputs ({0}), saved values, drafts of feedback, and all files in {1}. Local crews ({2}) are stopped, and their executions end; the projects stay. Executions at deployed crews continue there. This can't be undone.",
      executions,
      parts.context.globalStorageUri.fsPath,
      localCrews,
    ),
    crews > 0 &&
      vscode.l10n.t(
        "“{0}” also removes the connected crews ({1}) from your settings and deletes their tokens.",
        everything,
        crews,
      ),
    mayHaveBeenSent &&
      vscode.l10n.t(
        "A kickoff or feedback may have been sent without a response: the record that prevents sending it a second time is deleted, too.",
      ),
  );
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t("Delete Crewdeck's data from this machine?"),
    { modal: true, detail: detail.join("\n\n") },
    ...(crews === 0 ? [] : [keep]),
    everything,
  );
  return chosen === keep ? "data" : chosen === everything ? "everything" : undefined;
}

function report(left: readonly Unremoved[]): void {
  for (const { path, error } of left) logProblem("Deleting local data", error, path);
  if (left.length === 0) showStatus(vscode.l10n.t("Crewdeck's data on this machine is deleted."));
  else {
    const lines = left.map(({ path, error }) => `${path}: ${messageOf(error)}`);
    const text = vscode.l10n.t(
      "Not everything could be deleted; the rest is gone. {0}",
      lines.join(" "),
    );
    void vscode.window.showWarningMessage(plainMessage(text));
  }
}

async function clearLocalData(parts: DeleteParts, scope: ClearScope) {
  const { context, crews, executions, sending, locals, database } = parts;
  const left: Unremoved[] = [];
  const [stored] = database.files;
  const tryTo = async (path: string, action: () => unknown) => {
    try {
      await action();
    } catch (error) {
      left.push({ path, error });
    }
  };
  const callbacks = await parts.callbacks();
  const { flows } = callbacks;
  const idsWithFlows = flows.crewIds();
  await forgetHere(parts, "data");
  executions.clear(scope, () => {
    sending.outbox.clear();
    const tables = ["notified", "token_prompts", "drafts", "crew_values"];
    for (const table of [...tables, "receiver", "callback_probes", "relay_channels"])
      database.run(`DELETE FROM ${table}`);
  });
  for (const error of await sending.secrets.forgetAll()) left.push({ path: stored, error });
  for (const id of idsWithFlows) await tryTo(stored, () => flows.forget(id));
  await tryTo(stored, () => callbacks.forgetRoutes());
  for (const { dataFolder, error } of await locals.removeAll())
    left.push({ path: dataFolder, error });
  if (scope === "everything") {
    const crewsLeft = await crews.clear();
    left.push(...crewsLeft.map((error) => ({ path: "crewdeck.crews", error })));
    await tryTo(headersKey, () => forgetHeaders(context.secrets));
    // Without its note, a token that could not be deleted may never be found again.
    for (const key of context.globalState.keys())
      if (key !== tokenNotesKey || crewsLeft.length === 0)
        await context.globalState.update(key, undefined);
  }
  await tryTo(stored, () => database.vacuum());
  // What could not be deleted above is reported already. The folder stays: other windows may watch it.
  const kept = [...database.files, ...left.map(({ path }) => path)];
  const folder = context.globalStorageUri.fsPath;
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") left.push({ path: folder, error });
    return [];
  });
  for (const path of names.map((name) => join(folder, name)))
    if (!kept.some((each) => each === path || each.startsWith(join(path, "/"))))
      await tryTo(path, () => rm(path, { recursive: true, force: true }));
  return left;
}

export async function forgetHere(
  { context, forms, tree }: Pick<DeleteParts, "context" | "forms" | "tree">,
  scope: ClearScope,
): Promise<void> {
  const { globalState, globalStorageUri } = context;
  await forms.closeAll();
  const { tabGroups } = vscode.window;
  const tabs = tabGroups.all.flatMap((group) => group.tabs);
  // A form that wasn't shown since the window opened is only a tab.
  await tabGroups.close(tabs.filter(({ input }) => isOurs(input, globalStorageUri)));
  await tree.arrangement.reset();
  // Windows share the token notes, and only the deleting window knows which tokens are left.
  const stays = [tokenNotesKey, ...(scope === "data" ? [stopRoutesKey] : [])];
  for (const key of globalState.keys())
    if (!stays.includes(key)) await globalState.update(key, undefined);
}

function isOurs(input: unknown, storage: vscode.Uri): boolean {
  const { uri, original, modified } = asObject(input);
  const isOfOurs = (each: unknown) =>
    each instanceof vscode.Uri &&
    (each.scheme === executionScheme || each.path.startsWith(`${storage.path}/`));
  return isOurPanel(input) || [uri, original, modified].some(isOfOurs);
}
