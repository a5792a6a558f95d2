import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { logProblem } from "../editor/log.ts";
import { plainMessage, runAction } from "../editor/messages.ts";
import { notAList, readEntries, withCrew, withoutCrew } from "./entries.ts";
import type { Crew } from "./types.ts";

const section = "crewdeck";
const key = "crews";

/** The user's `crewdeck.crews`: a workspace must not add a host. Keeps malformed entries. */
export class CrewSettings implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscription: vscode.Disposable;
  /** One at a time, because each write replaces the whole list. */
  #lastWrite: Promise<void> = Promise.resolve();
  #crews: readonly Crew[] = [];
  #reported = "";

  constructor() {
    this.#read();
    this.#subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${section}.${key}`)) this.#read();
    });
  }

  readonly onDidChange = this.#changed.event;

  list(): readonly Crew[] {
    return this.#crews;
  }

  save(id: string, crew: Crew): Promise<void> {
    return this.#write((entries) => withCrew(entries, id, crew));
  }

  delete(id: string): Promise<void> {
    return this.#write((entries) => withoutCrew(entries, id));
  }

  /** Includes malformed entries. @throws UserError if the settings can't be written */
  clear(): Promise<void> {
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

  #read(): void {
    const before = JSON.stringify(this.#crews);
    const { crews, problems } = readEntries(currentValue());
    this.#crews = crews;
    this.#report(problems.join(" "));
    if (JSON.stringify(crews) !== before) this.#changed.fire();
  }

  #report(text: string): void {
    if (text === this.#reported) return;
    this.#reported = text;
    if (text === "") return;
    const action = openSettings();
    void vscode.window
      .showWarningMessage(plainMessage(text), action.title)
      .then((chosen) => (chosen === undefined ? undefined : runAction(action)));
  }
}

function currentValue(): unknown {
  return vscode.workspace.getConfiguration(section).inspect(key)?.globalValue;
}

function openSettings() {
  return {
    title: vscode.l10n.t("Open Settings"),
    command: "workbench.action.openSettingsJson",
    arguments: [{ revealSetting: { key: `${section}.${key}` } }],
  };
}
