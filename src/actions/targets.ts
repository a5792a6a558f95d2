import * as vscode from "vscode";
import { NothingToDo, UserError } from "../base/errors.ts";
import { firstOfEach } from "../base/json.ts";
import type { Crews } from "../crews/crews.ts";
import { addCrewAction } from "../crews/errors.ts";
import type { Crew } from "../crews/types.ts";
import { readTarget, type Target } from "../editor/arguments.ts";
import { activeDocument } from "../editor/execution-uri.ts";
import { plainLabel } from "../editor/messages.ts";
import { type Execution, type ExecutionSummary, keyOf } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { titleOf } from "../executions/title.ts";
import { type Circumstances, may, type Verb } from "../view/actions.ts";
import { startLabel, stateLabel } from "../view/words.ts";
import type { Asker } from "./asker.ts";

type Fits = readonly Verb[] | ((execution: ExecutionSummary) => boolean);

export interface TargetsOptions {
  readonly store: Pick<ExecutionStore, "find" | "list" | "refresh">;
  readonly crews: Pick<Crews, "find" | "get" | "list">;
  readonly circumstances: { of(execution: ExecutionSummary): Circumstances };
}

export class Targets {
  readonly #options: TargetsOptions;

  constructor(options: TargetsOptions) {
    this.#options = options;
  }

  async crew(argument: unknown, fits: (crew: Crew) => boolean = () => true, none?: string) {
    const { crews } = this.#options;
    const { crew } = readTarget(argument);
    if (crew !== undefined) return crews.get(crew);
    const candidates = crews.list().filter(fits);
    if (candidates.length === 0)
      throw new NothingToDo(
        none ??
          vscode.l10n.t(
            "There is no such crew yet. Connect a deployed crew, or serve one on this machine.",
          ),
        [addCrewAction(), { title: vscode.l10n.t("Serve…"), command: "crewdeck.startLocalCrew" }],
      );
    if (candidates.length === 1) return candidates[0];
    const items = candidates.map((candidate) => ({
      label: plainLabel(candidate.name),
      description: plainLabel(candidate.url),
      crew: candidate,
    }));
    const placeHolder = vscode.l10n.t("Which crew?");
    return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true }))
      ?.crew;
  }

  onCrew<Made>(
    run: (crew: Crew, argument: unknown, by: Asker) => Made,
    fits?: (crew: Crew) => boolean,
  ) {
    return async (argument: unknown, by: Asker) => {
      const crew = await this.crew(argument, fits);
      return crew && (await run(crew, argument, by));
    };
  }

  /** Its crew may no longer be connected. */
  find({ crew, kickoffId, isDocument = false }: Target): Execution | undefined {
    const { store, crews } = this.#options;
    if (kickoffId === undefined) return undefined;
    // Another window may have just received this ID.
    store.refresh();
    const crewId = crew === undefined ? undefined : crews.find(crew)?.id;
    const inCrew = crewId === undefined ? undefined : store.find(kickoffId, crewId);
    // The crew may have been renamed since the document was opened.
    if (inCrew !== undefined || (crewId !== undefined && !isDocument)) return inCrew;
    const found = store.find(kickoffId);
    if (found === undefined || crew === undefined || isDocument) return found;
    return [found.crew.id, found.crew.name, found.crew.url].includes(crew) ? found : undefined;
  }

  active(): Execution | undefined {
    return this.find(readTarget(activeDocument()));
  }

  selected(rows: readonly unknown[]): readonly Execution[] {
    const found = rows.flatMap((row) => this.find(readTarget(row)) ?? []);
    return firstOfEach(found, ({ localId }) => localId);
  }

  /** Named, else active, else chosen. @throws UserError if unknown, NothingToDo if none fits */
  async execution(argument: unknown, fits?: Fits, none?: string): Promise<Execution | undefined> {
    const { store } = this.#options;
    const target = readTarget(argument);
    if (target.kickoffId !== undefined) return this.find(target) ?? unknown(target.kickoffId);
    const active = this.active();
    if (active && this.#fits(active, fits)) return active;
    const candidates = store.list().filter((each) => this.#fits(each, fits));
    if (candidates.length === 0)
      throw new NothingToDo(
        none ?? vscode.l10n.t("No tracked execution is in a state where this can be done."),
      );
    const chosen = await pickExecution(candidates, vscode.l10n.t("Which execution?"));
    return chosen && store.find(chosen.localId);
  }

  onExecution<Made>(
    run: (execution: Execution, argument: unknown, by: Asker) => Made,
    fits?: Fits,
    none?: string,
  ) {
    return async (argument: unknown, by: Asker) => {
      const execution = await this.execution(argument, fits, none);
      return execution && (await run(execution, argument, by));
    };
  }

  #fits(execution: ExecutionSummary, fits: Fits | undefined): boolean {
    if (fits === undefined) return true;
    if (typeof fits === "function") return fits(execution);
    const circumstances = this.#options.circumstances.of(execution);
    return fits.some((verb) => may(execution, verb, circumstances));
  }
}

export async function pickExecution(executions: readonly ExecutionSummary[], placeHolder: string) {
  // The state may be remote text.
  const items = executions.map((execution) => ({
    label: plainLabel(titleOf(execution)),
    description: plainLabel(`${execution.crew.name} · ${stateLabel(execution)}`),
    detail: startLabel(execution),
    execution,
  }));
  const options = { placeHolder, matchOnDescription: true, matchOnDetail: true };
  return (await vscode.window.showQuickPick(items, options))?.execution;
}

function unknown(kickoffId: string): never {
  throw new UserError(
    vscode.l10n.t(
      "No execution with the ID “{0}” is tracked here. Track it by its ID first.",
      kickoffId,
    ),
    [{ title: vscode.l10n.t("Track an Execution"), command: "crewdeck.trackExecution" }],
  );
}

export function namesOf(execution: ExecutionSummary): { crew: string; kickoffId: string } {
  return { crew: execution.crew.name, kickoffId: keyOf(execution) };
}
