import * as vscode from "vscode";
import type { CallRules } from "../api/types.ts";
import { action, UserError } from "../base/errors.ts";
import { asArray, asObject, defined, numberAt } from "../base/json.ts";
import { logged, logProblem } from "../editor/log.ts";
import { showActions } from "../editor/messages.ts";
import { readPrices } from "../executions/tokens.ts";
import { notAList, readEntries, withCrew, withoutCrew } from "./identity.ts";
import type { Crew } from "./types.ts";

const section = "crewdeck";
const key = "crews";
/** When other windows have read an added crew (ms). */
const settled = 20_000;

export function callRules(): CallRules {
  const settings = vscode.workspace.getConfiguration(section);
  const tools = asArray(settings.get(`local.${approveTools}`));
  const budget = asObject(settings.get("local.budget"));
  const [tokens, dollars] = [numberAt(budget, "tokens"), numberAt(budget, "dollars")];
  const prices = readPrices(settings.get("prices")).map(
    ({ pattern, ...price }) => [pattern, price] as const,
  );
  return {
    approveTools: tools.flatMap((name) =>
      typeof name === "string" && name.trim() !== "" ? [name] : [],
    ),
    limits: defined({ tokens, dollars }),
    prices: Object.fromEntries(prices),
  };
}

/** Adds a tool to those whose calls wait: of the workspace, if one is open. */
export async function askBeforeTool(tool: string): Promise<void> {
  const { approveTools: known = [] } = callRules();
  const hasWorkspace = vscode.workspace.workspaceFolders !== undefined;
  await vscode.workspace
    .getConfiguration(section)
    .update(`local.${approveTools}`, [...new Set([...known, tool])], !hasWorkspace);
}

const approveTools = "approveTools";

/** The user's `crewdeck.crews`: a workspace must not add a host. Keeps malformed entries. */
export function crewSettings() {
  const changed = new vscode.EventEmitter<void>();
  /** One at a time, because each write replaces the whole list. */
  let lastWrite: Promise<void> = Promise.resolve();
  let crews: readonly Crew[] = [];
  /** With all IDs in the setting after each was added. */
  let added: { readonly crew: Crew; readonly ids: readonly string[]; readonly until: number }[] =
    [];
  let reported = "";
  const ids = () => crews.map(({ id }) => id);
  const readThem = (): void => {
    const before = JSON.stringify(crews);
    const { crews: now, problems } = readEntries(currentValue());
    crews = now;
    const text = problems.join(" ");
    if (text !== "" && text !== reported) void showActions("Warning", text, [openSettings()]);
    reported = text;
    if (JSON.stringify(crews) !== before) changed.fire();
  };
  const put = async (entries: readonly unknown[] | undefined): Promise<void> => {
    try {
      await vscode.workspace
        .getConfiguration(section)
        .update(key, entries, vscode.ConfigurationTarget.Global);
    } catch (error) {
      logProblem("Writing the setting crewdeck.crews", error);
      throw new UserError(
        vscode.l10n.t(
          "The crews could not be saved in your settings. Check that the file settings.json has no errors and is not read-only.",
        ),
        [openSettings()],
      );
    }
    readThem();
  };
  const inTurn = (action: () => Promise<void>): Promise<void> => {
    const write = lastWrite.then(action);
    // Only the caller gets the error.
    lastWrite = write.catch(() => undefined);
    return write;
  };
  const write = (change: (entries: readonly unknown[]) => readonly unknown[]): Promise<void> =>
    inTurn(() => {
      const entries = currentValue() ?? [];
      if (!Array.isArray(entries)) throw new UserError(notAList(), [openSettings()]);
      return put(change(entries));
    });
  const save = async (id: string, crew: Crew): Promise<void> => {
    const isNew = !crews.some((known) => known.id === id);
    // A new id doesn't mean that another window overwrote it.
    added = added.filter((each) => each.crew.id !== id);
    await write((entries) => withCrew(entries, id, crew));
    if (isNew) added.push({ crew, ids: ids(), until: Date.now() + settled });
  };
  const putBack = (): void => {
    const recent = added.filter(({ until }) => until > Date.now());
    const isThere = ({ crew }: { readonly crew: Crew }) => ids().includes(crew.id);
    // Another window has written a new one in its place; without a new one, a person removed it.
    const lost = recent.filter(
      (each) => !isThere(each) && ids().some((id) => !each.ids.includes(id)),
    );
    added = recent.filter(isThere);
    for (const { crew } of lost)
      save(crew.id, crew).catch(logged("Restoring a crew in the settings", crew.name));
  };
  readThem();
  const subscription = vscode.workspace.onDidChangeConfiguration((event) => {
    if (!event.affectsConfiguration(`${section}.${key}`)) return;
    readThem();
    putBack();
  });
  return {
    onDidChange: changed.event,
    list: () => crews,
    save,
    delete(id: string): Promise<void> {
      added = added.filter(({ crew }) => crew.id !== id);
      return write((entries) => withoutCrew(entries, id));
    },
    /** Includes malformed entries. @throws UserError if the settings can't be written */
    clear(): Promise<void> {
      added = [];
      return inTurn(() => put(undefined));
    },
    dispose(): void {
      subscription.dispose();
      changed.dispose();
    },
  };
}

function currentValue(): unknown {
  return vscode.workspace.getConfiguration(section).inspect(key)?.globalValue;
}

function openSettings() {
  const revealSetting = { key: `${section}.${key}` };
  const command = "workbench.action.openSettingsJson";
  return action(vscode.l10n.t("Open Settings"), command, { revealSetting });
}
