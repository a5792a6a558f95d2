import path from "node:path";
import * as vscode from "vscode";
import type { CrewApiError } from "../api/errors.ts";
import { action, UserError, type ErrorAction } from "../base/errors.ts";
import { defined } from "../base/json.ts";
import { tokenTypeName } from "./token-format.ts";
import type { Crew, EngineObstacle } from "./types.ts";

export class MissingTokenError extends UserError {
  override readonly name = "MissingTokenError";

  constructor({ id, name, local }: Pick<Crew, "id" | "name" | "local">, isLocked = false) {
    const message = isLocked
      ? vscode.l10n.t(
          "The token of “{0}” can't be read from this machine's secret storage. It may be locked: unlock it and try again, or set the token again.",
          name,
        )
      : local === undefined
        ? vscode.l10n.t("There is no token for “{0}” on this machine. Set it to continue.", name)
        : vscode.l10n.t(
            "The token of the local crew “{0}” is missing. Serve the crew again: it creates a new one.",
            name,
          );
    const start = local === undefined || isLocked ? [] : [startLocalAction(local.folder)];
    super(message, local === undefined ? [setTokenAction({ id })] : start);
  }
}

export function setTokenAction({ id }: Pick<Crew, "id">): ErrorAction {
  return action(vscode.l10n.t("Set Token"), "crewdeck.setToken", { crew: id });
}

export function editCrewAction({ id }: Pick<Crew, "id">): ErrorAction {
  return action(vscode.l10n.t("Edit Crew"), "crewdeck.editCrew", { crew: id });
}

export function addCrewAction(): ErrorAction {
  return action(vscode.l10n.t("Connect a Crew"), "crewdeck.addCrew", { deployed: true });
}

export function showLocalLogAction(): ErrorAction {
  return action(vscode.l10n.t("Show Local Crew's Log"), "crewdeck.showLog", { local: true });
}

export function trustAction(): ErrorAction {
  return action(vscode.l10n.t("Manage Workspace Trust"), "workbench.trust.manage");
}

/** Leads to a run with crewAI, past what is in its way; without an obstacle, a person chooses. */
export function changeEngineAction(crew: string, obstacle?: EngineObstacle): ErrorAction {
  if (obstacle === "trust") return trustAction();
  if (obstacle === "model")
    return action(vscode.l10n.t("Choose Model…"), "crewdeck.chooseModel", { crew });
  return obstacle === "crewai"
    ? action(vscode.l10n.t("Set Up…"), "crewdeck.changeEngine", { crew, setUp: true })
    : action(vscode.l10n.t("Use crewAI or Rehearsal…"), "crewdeck.changeEngine", { crew });
}

export function startLocalAction(folder: string, crewClass?: string): ErrorAction {
  const crew = { folder, ...defined({ class: crewClass }) };
  return action(vscode.l10n.t("Serve This Crew"), "crewdeck.startLocalCrew", crew);
}

/** Another token: one that is stored already can be chosen there, too. */
export function actionsForRefusal(
  { kind, tokenType }: CrewApiError,
  crew: Pick<Crew, "id" | "local">,
): readonly ErrorAction[] {
  const isUnauthorized = kind === "unauthorized";
  if (crew.local === undefined)
    return isUnauthorized || kind === "forbidden" ? [setTokenAction(crew)] : [];
  if (isUnauthorized) return [startLocalAction(crew.local.folder)];
  // The organisation's token has all rights.
  if (kind !== "forbidden" || tokenType !== "userBearer") return [];
  const title = vscode.l10n.t("Use {0}", tokenTypeName("bearer"));
  return [action(title, "crewdeck.setToken", { crew: crew.id, use: "bearer" })];
}

export function actionsForPlace({ place }: CrewApiError, { local }: Pick<Crew, "local">) {
  if (place === undefined || local === undefined) return [];
  const folder = vscode.Uri.parse(local.folder).fsPath;
  const file = path.resolve(folder, place.file);
  // The file name is remote text: open nothing outside the project.
  if (!file.startsWith(folder + path.sep)) return [showLocalLogAction()];
  return [openFileAction(file, place), showLocalLogAction()];
}

export function openFileAction(
  file: string,
  { line, column }: { readonly line: number; readonly column: number },
): ErrorAction {
  const at = new vscode.Position(Math.max(0, line - 1), Math.max(0, column - 1));
  const options = { selection: new vscode.Range(at, at) };
  return action(vscode.l10n.t("Open the File"), "vscode.open", vscode.Uri.file(file), options);
}
