import * as vscode from "vscode";
import type { Crews } from "../crews/crews.ts";
import type { Crew } from "../crews/types.ts";
import type { Execution, ExecutionSummary } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { activeDocument } from "../editor/environment.ts";
import { UserError } from "../base/errors.ts";
import { plainLabel } from "../editor/messages.ts";
import { targetOf, type Target } from "./arguments.ts";
import { executionItem } from "./execution-item.ts";

/** The crew an argument names; without one the person chooses. Nothing when the person cancels. @throws UserError for an unknown crew, or when there is none at all. */
export async function chooseCrew(
  crews: Crews,
  argument: unknown,
  fits: (crew: Crew) => boolean = () => true,
): Promise<Crew | undefined> {
  const { crew } = targetOf(argument);
  if (crew !== undefined) return crews.get(crew);
  const candidates = crews.list().filter(fits);
  if (candidates.length === 0) {
    throw new UserError(
      vscode.l10n.t("There is no such crew yet. Connect a deployed crew, or start a local one."),
      [
        { title: vscode.l10n.t("Connect a Crew"), command: "crewdeck.addCrew" },
        { title: vscode.l10n.t("Start a Local Crew"), command: "crewdeck.startLocalCrew" },
      ],
    );
  }
  if (candidates.length === 1) return candidates[0];
  const items = candidates.map((candidate) => ({
    label: plainLabel(candidate.name),
    description: plainLabel(candidate.url),
    crew: candidate,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t("Which crew?"),
    matchOnDescription: true,
  });
  return chosen?.crew;
}

/** Finds a tracked execution by its target, whether its crew is still connected or not. */
export function findExecution(
  store: ExecutionStore,
  crews: Crews,
  target: Target,
): Execution | undefined {
  if (target.kickoffId === undefined) return undefined;
  const crewId = target.crew === undefined ? undefined : crews.find(target.crew)?.id;
  // A crew may have been renamed since the document was opened; the id still leads to its execution.
  if (target.isDocument === true)
    return (
      (crewId === undefined ? undefined : store.find(target.kickoffId, crewId)) ??
      store.find(target.kickoffId)
    );
  const found = store.find(target.kickoffId, crewId);
  if (found === undefined || target.crew === undefined || crewId !== undefined) return found;
  // The crew is no longer connected: the execution remembers what it was called.
  return [found.crew.id, found.crew.name, found.crew.url].includes(target.crew) ? found : undefined;
}

/** The execution an argument names, else the one in front, else one the person chooses among those that fit. @throws UserError where none fits, which `none` says, or none is known by that id. */
export async function chooseExecution(
  store: ExecutionStore,
  crews: Crews,
  argument: unknown,
  fits: (execution: ExecutionSummary) => boolean = () => true,
  none = vscode.l10n.t("No tracked execution is in a state where this can be done."),
): Promise<Execution | undefined> {
  const target = targetOf(argument);
  if (target.kickoffId !== undefined) {
    const found = findExecution(store, crews, target);
    if (found) return found;
    throw new UserError(
      vscode.l10n.t(
        "No execution with the ID “{0}” is tracked here. Track it by its ID first.",
        target.kickoffId,
      ),
      [{ title: vscode.l10n.t("Track an Execution"), command: "crewdeck.trackExecution" }],
    );
  }
  const active = findExecution(store, crews, targetOf(activeDocument()));
  if (active && fits(active)) return active;
  const candidates = store.list().filter(fits);
  if (candidates.length === 0) throw new UserError(none);
  const items = candidates.map(executionItem);
  const chosen = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t("Which execution?"),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen && store.find(chosen.execution.localId);
}
