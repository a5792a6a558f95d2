import * as vscode from "vscode";
import type { CallRules } from "../api/types.ts";
import { action, UserError } from "../base/errors.ts";
import { asArray, asObject, defined, numberAt } from "../base/json.ts";
import { logged, logProblem } from "../editor/log.ts";
import { showActions } from "../editor/messages.ts";
import { readPrices } from "../executions/tokens.ts";
import {
  isOverwritten,
  notAList,
  readEntries,
  withCrew,
  withoutCrew,
  type AddedCrew,
} from "./entries.ts";
import type { Crew } from "./types.ts";

const section = "crewdeck";
const key = "crews";
/** When other windows have read an added crew (ms). */
const settled = 20_000;

/** Which calls of local crews wait for the person, by their settings, and what models cost. */
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
export class CrewSettings implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscription: vscode.Disposable;
  /** One at a time, because each write replaces the whole list. */
  #lastWrite: Promise<void> = Promise.resolve();
  #crews: readonly Crew[] = [];
  #added: (AddedCrew & { readonly until: number })[] = [];
  #reported = "";

  constructor() {
    this.#read();
    this.#subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration(`${section}.${key}`)) return;
      this.#read();
      this.#putBack();
    });
  }

  readonly onDidChange = this.#changed.event;

  list(): readonly Crew[] {
    return this.#crews;
  }

  async save(id: string, crew: Crew): Promise<void> {
    const isNew = !this.#crews.some((known) => known.id === id);
    // A new id doesn't mean that another window overwrote it.
    this.#added = this.#added.filter((added) => added.crew.id !== id);
    await this.#write((entries) => withCrew(entries, id, crew));
    if (isNew) this.#added.push({ crew, ids: this.#ids(), until: Date.now() + settled });
  }

  delete(id: string): Promise<void> {
    this.#added = this.#added.filter(({ crew }) => crew.id !== id);
    return this.#write((entries) => withoutCrew(entries, id));
  }

  /** Includes malformed entries. @throws UserError if the settings can't be written */
  clear(): Promise<void> {
    this.#added = [];
    return this.#inTurn(() => this.#put(undefined));
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  #write(change: (entries: readonly unknown[]) => readonly unknown[]): Promise<void> {
    return this.#inTurn(() => {
      const entries = currentValue() ?? [];
      if (!Array.isArray(entries)) throw new UserError(notAList(), [openSettings()]);
      return this.#put(change(entries));
    });
  }

  #inTurn(action: () => Promise<void>): Promise<void> {
    const write = this.#lastWrite.then(action);
    // Only the caller gets the error.
    this.#lastWrite = write.catch(() => undefined);
    return write;
  }

  async #put(entries: readonly unknown[] | undefined): Promise<void> {
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
    this.#read();
  }

  #ids(): readonly string[] {
    return this.#crews.map(({ id }) => id);
  }

  #putBack(): void {
    const there = this.#ids();
    const recent = this.#added.filter(({ until }) => until > Date.now());
    const lost = recent.filter((added) => isOverwritten(added, there));
    this.#added = recent.filter(({ crew }) => there.includes(crew.id));
    for (const { crew } of lost) {
      this.save(crew.id, crew).catch(logged("Restoring a crew in the settings", crew.name));
    }
  }

  #read(): void {
    const before = JSON.stringify(this.#crews);
    const { crews, problems } = readEntries(currentValue());
    this.#crews = crews;
    const text = problems.join(" ");
    if (text !== "" && text !== this.#reported) void showActions("Warning", text, [openSettings()]);
    this.#reported = text;
    if (JSON.stringify(crews) !== before) this.#changed.fire();
  }
}

function currentValue(): unknown {
  return vscode.workspace.getConfiguration(section).inspect(key)?.globalValue;
}

function openSettings() {
  const revealSetting = { key: `${section}.${key}` };
  const command = "workbench.action.openSettingsJson";
  return action(vscode.l10n.t("Open Settings"), command, { revealSetting });
}
