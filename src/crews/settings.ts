import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { logProblem } from "../editor/log.ts";
import { plainMessage } from "../editor/messages.ts";
import {
  idsOf,
  isOverwritten,
  readEntries,
  withCrew,
  withoutCrew,
  type AddedCrew,
  type EntryProblem,
} from "./entries.ts";
import type { Crew } from "./types.ts";

const section = "crewdeck";
const key = "crews";
/** Milliseconds after which other windows have read an added crew. */
const settled = 20_000;

/**
 * The crews of the setting `crewdeck.crews`. Only the user's settings count: a workspace must not be able to add a host.
 * A malformed entry is ignored, reported once, and kept in the settings.
 */
export class CrewSettings implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscription: vscode.Disposable;
  /** Writes run one after another, because each writes the whole list. */
  #lastWrite: Promise<void> = Promise.resolve();
  #crews: readonly Crew[] = [];
  /** Recently added crews, which a window that adds one at the same time would overwrite. */
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

  /** Replaces the crew with this id, or adds it. @throws UserError if the settings can't be written */
  async save(id: string, crew: Crew): Promise<void> {
    const isNew = !this.#crews.some((known) => known.id === id);
    // A changed crew isn't lost, even if its id is.
    this.#added = this.#added.filter((added) => added.crew.id !== id);
    await this.#write((entries) => withCrew(entries, id, crew));
    if (isNew) this.#added.push({ crew, ids: idsOf(currentValue()), until: Date.now() + settled });
  }

  /** @throws UserError if the settings can't be written */
  delete(id: string): Promise<void> {
    this.#added = this.#added.filter(({ crew }) => crew.id !== id);
    return this.#write((entries) => withoutCrew(entries, id));
  }

  /** Deletes the whole list, including malformed entries. @throws UserError if the settings can't be written */
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
    // The caller gets the error; the next write must not.
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

  /** Adds crews again that another window overwrote. */
  #putBack(): void {
    const value = currentValue();
    const there = idsOf(value);
    const lost = this.#added.filter(
      (added) => added.until > Date.now() && isOverwritten(added, value),
    );
    // Otherwise the crew was removed.
    this.#added = this.#added.filter(
      ({ crew, until }) => until > Date.now() && there.includes(crew.id),
    );
    for (const { crew } of lost) {
      this.save(crew.id, crew).catch((error: unknown) =>
        logProblem("Restoring a crew in the settings", error, crew.name),
      );
    }
  }

  #read(): void {
    const before = JSON.stringify(this.#crews);
    const { crews, problems } = readEntries(currentValue());
    this.#crews = crews;
    this.#report(problems);
    if (JSON.stringify(crews) !== before) this.#changed.fire();
  }

  #report(problems: readonly EntryProblem[]): void {
    const text = problems.map(describeProblem).join(" ");
    if (text === this.#reported) return;
    this.#reported = text;
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
  const entry = vscode.l10n.t("Entry {0} of the setting crewdeck.crews", problem.index + 1);
  switch (problem.kind) {
    case "notAnObject":
      return vscode.l10n.t("{0} must be an object with a name and a url. It was ignored.", entry);
    case "noName":
      return vscode.l10n.t("{0} has no name. It was ignored.", entry);
    case "noUrl":
      return vscode.l10n.t("{0} has no url. It was ignored.", entry);
    case "badUrl":
      return vscode.l10n.t("{0} was ignored: {1}", entry, problem.detail);
    case "badDashboardUrl":
      return vscode.l10n.t(
        "{0} has an invalid dashboardUrl. The crew is connected without it.",
        entry,
      );
    case "sameAddress": {
      const { name } = problem;
      return vscode.l10n.t("{0} has the same address as “{1}”. It was ignored.", entry, name);
    }
  }
}
