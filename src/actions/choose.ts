import * as vscode from "vscode";
import type { Crews } from "../crews/crews.ts";
import { addCrewAction } from "../crews/errors.ts";
import type { Crew } from "../crews/types.ts";
import { readTarget, type Target } from "../editor/arguments.ts";
import { activeDocument } from "../editor/execution-uri.ts";
import { NothingToDo, UserError } from "../base/errors.ts";
import { plainLabel } from "../editor/messages.ts";
import { type Execution, type ExecutionSummary, keyOf } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { executionItem, pickExecution } from "../views/pick-execution.ts";
import type { Asker } from "./asker.ts";
import type { Run } from "./commands.ts";

/** Named, else chosen. @throws UserError for an unknown crew, NothingToDo if there is none */
export async function chooseCrew(
  crews: Pick<Crews, "get" | "list">,
  argument: unknown,
  fits: (crew: Crew) => boolean = () => true,
): Promise<Crew | undefined> {
  const { crew } = readTarget(argument);
  if (crew !== undefined) return crews.get(crew);
  const candidates = crews.list().filter(fits);
  if (candidates.length === 0)
    throw new NothingToDo(
      crews.list().length === 0
        ? vscode.l10n.t("No crew is connected yet. Connect a deployed crew, or start a local one.")
        : vscode.l10n.t(
            "There is no such crew yet. Connect a deployed crew, or start a local one.",
          ),
      [
        addCrewAction(),
        { title: vscode.l10n.t("Start Local Crew"), command: "crewdeck.startLocalCrew" },
      ],
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

export function onCrew(
  { crews }: { readonly crews: Pick<Crews, "get" | "list"> },
  action: (crew: Crew, argument: unknown, by: Asker) => unknown,
  fits?: (crew: Crew) => boolean,
): Run {
  return async (argument, by) => {
    const crew = await chooseCrew(crews, argument, fits);
    return crew && action(crew, argument, by);
  };
}

/** Its crew may no longer be connected. */
export function findExecution(
  store: Pick<ExecutionStore, "find" | "refresh">,
  crews: Pick<Crews, "find">,
  { crew, kickoffId, isDocument = false }: Target,
): Execution | undefined {
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

export interface NamedParts {
  readonly store: Pick<ExecutionStore, "find" | "refresh">;
  readonly crews: Pick<Crews, "find">;
}

/** @throws UserError if it isn't tracked */
export function namedExecution({ store, crews }: NamedParts, target: Target): Execution {
  const found = findExecution(store, crews, target);
  if (found !== undefined) return found;
  throw new UserError(
    vscode.l10n.t(
      "No execution with the ID “{0}” is tracked here. Track it by its ID first.",
      target.kickoffId ?? "",
    ),
    [{ title: vscode.l10n.t("Track an Execution"), command: "crewdeck.trackExecution" }],
  );
}

/** Named, else active, else chosen. @throws UserError if unknown, NothingToDo if none fits */
export async function chooseExecution(
  store: Pick<ExecutionStore, "find" | "list" | "refresh">,
  crews: Pick<Crews, "find">,
  argument: unknown,
  fits: (execution: ExecutionSummary) => boolean = () => true,
  none?: string,
): Promise<Execution | undefined> {
  const target = readTarget(argument);
  if (target.kickoffId !== undefined) return namedExecution({ store, crews }, target);
  const active = findExecution(store, crews, readTarget(activeDocument()));
  if (active && fits(active)) return active;
  const tracked = store.list();
  const candidates = tracked.filter(fits);
  if (candidates.length === 0)
    throw new NothingToDo(
      none ??
        (tracked.length === 0
          ? vscode.l10n.t("Nothing is tracked yet.")
          : vscode.l10n.t("No tracked execution is in a state where this can be done.")),
    );
  const question = vscode.l10n.t("Which execution?");
  const chosen = await pickExecution(candidates.map(executionItem), question);
  return chosen && store.find(chosen.localId);
}

export function onExecution(
  parts: {
    readonly store: Pick<ExecutionStore, "find" | "list" | "refresh">;
    readonly crews: Pick<Crews, "find">;
  },
  action: (execution: Execution, argument: unknown, by: Asker) => unknown,
  fits?: (execution: ExecutionSummary) => boolean,
  none?: string,
): Run {
  return async (argument, by) => {
    const execution = await chooseExecution(parts.store, parts.crews, argument, fits, none);
    return execution && action(execution, argument, by);
  };
}

/** How an action returns an execution. */
export function namesOf(execution: ExecutionSummary): { crew: string; kickoffId: string } {
  return { crew: execution.crew.name, kickoffId: keyOf(execution) };
}
