import * as vscode from "vscode";
import { UserError } from "../editor/errors.ts";
import { logProblem } from "../editor/log.ts";
import { plainMessage } from "../editor/plain.ts";
import { readEntries, withCrew, withoutCrew, type EntryProblem } from "./entries.ts";
import { idsOf, isOverwritten, type AddedCrew } from "./overwritten.ts";
import type { Crew } from "./types.ts";

const section = "crewdeck";
const key = "crews";
/** Milliseconds after which a crew that was added here is no longer looked after: another window has this setting by then. */
const settled = 20_000;

/**
 * The connected crews as the setting `crewdeck.crews` keeps them. Only the person's own settings count, whatever a
 * workspace says: a workspace must not be able to add a host. An entry that cannot be read is ignored, reported once,
 * and stays in the settings when others are written.
 */
export class CrewSettings implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscription: vscode.Disposable;
  /** Writes follow each other, because each is made from the whole list. */
  #lastWrite: Promise<void> = Promise.resolve();
  #crews: readonly Crew[] = [];
  /** Crews added here a moment ago: a window that adds one at the same time writes a list without them. */
  #added: (AddedCrew & { readonly until: number })[] = [];
  #told = "";

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

  /** Puts a crew in the place of the one with this id, or at the end. Throws {@link UserError} when the settings cannot be written. */
  async save(id: string, crew: Crew): Promise<void> {
    const isNew = !this.#crews.some((known) => known.id === id);
    // A crew that is changed here is not lost, though its id may go.
    this.#added = this.#added.filter((added) => added.crew.id !== id);
    await this.#write((entries) => withCrew(entries, id, crew));
    if (isNew) this.#added.push({ crew, ids: idsOf(currentValue()), until: Date.now() + settled });
  }

  /** Takes a crew out. Throws {@link UserError} when the settings cannot be written. */
  delete(id: string): Promise<void> {
    this.#added = this.#added.filter(({ crew }) => crew.id !== id);
    return this.#write((entries) => withoutCrew(entries, id));
  }

  /** Takes the whole list out of the settings, with what cannot be read in it. Throws {@link UserError} when the settings cannot be written. */
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
      if (!Array.isArray(entries))
        throw new UserError(describeProblem({ kind: "notAList" }), [openSettings()]);
      return this.#put(change(entries));
    });
  }

  #inTurn(action: () => Promise<void>): Promise<void> {
    const write = this.#lastWrite.then(action);
    // The caller hears of a failure; the next write must not.
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
          "The crews could not be saved in your settings. Is there an error in the file settings.json, or is it write-protected?",
        ),
        [openSettings()],
      );
    }
    this.#read();
  }

  /** Adds once more what another window has overwritten. */
  #putBack(): void {
    const value = currentValue();
    const there = idsOf(value);
    const lost = this.#added.filter(
      (added) => added.until > Date.now() && isOverwritten(added, value),
    );
    // What is gone for another reason was removed, and stays so.
    this.#added = this.#added.filter(
      ({ crew, until }) => until > Date.now() && there.includes(crew.id),
    );
    for (const { crew } of lost) {
      this.save(crew.id, crew).catch((error: unknown) =>
        logProblem("Putting a crew back into the settings", error, crew.name),
      );
    }
  }

  #read(): void {
    const before = JSON.stringify(this.#crews);
    const { crews, problems } = readEntries(currentValue());
    this.#crews = crews;
    this.#tell(problems);
    if (JSON.stringify(crews) !== before) this.#changed.fire();
  }

  #tell(problems: readonly EntryProblem[]): void {
    const text = problems.map(describeProblem).join(" ");
    if (text === this.#told) return;
    this.#told = text;
    if (text === "") return;
    const { title, command, arguments: values } = openSettings();
    void vscode.window.showWarningMessage(plainMessage(text), title).then((chosen) => {
      if (chosen === title) return vscode.commands.executeCommand(command, ...values);
      return undefined;
    });
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

function describeProblem(problem: EntryProblem): string {
  if (problem.kind === "notAList") {
    return vscode.l10n.t(
      "The setting crewdeck.crews must be a list of crews, each with a name and a url. It was ignored.",
    );
  }
  const position = problem.index + 1;
  switch (problem.kind) {
    case "notAnObject":
      return vscode.l10n.t(
        "Entry {0} of the setting crewdeck.crews must be an object with a name and a url. It was ignored.",
        position,
      );
    case "noName":
      return vscode.l10n.t(
        "Entry {0} of the setting crewdeck.crews has no name. It was ignored.",
        position,
      );
    case "noUrl":
      return vscode.l10n.t(
        "Entry {0} of the setting crewdeck.crews has no url. It was ignored.",
        position,
      );
    case "badUrl":
      return vscode.l10n.t(
        "Entry {0} of the setting crewdeck.crews was ignored: {1}",
        position,
        problem.detail,
      );
    case "badDashboardUrl":
      return vscode.l10n.t(
        "Entry {0} of the setting crewdeck.crews has a dashboardUrl that is no web address. The crew is connected without it.",
        position,
      );
    case "sameAddress":
      return vscode.l10n.t(
        "Entry {0} of the setting crewdeck.crews has the same address as “{1}”. It was ignored.",
        position,
        problem.name,
      );
  }
}
