import path from "node:path";
import * as vscode from "vscode";
import type { CrewApiError } from "../api/errors.ts";
import type { TokenType } from "../api/types.ts";
import { defined } from "../base/json.ts";
import type { ErrorAction } from "../base/errors.ts";
import { otherType, tokenTypeName } from "./token-format.ts";
import type { Crew, TokenState } from "./types.ts";

export function setTokenAction({ id }: Pick<Crew, "id">, tokenType?: TokenType): ErrorAction {
  return {
    title:
      tokenType === undefined
        ? vscode.l10n.t("Set Token")
        : vscode.l10n.t("Set {0}", tokenTypeName(tokenType)),
    command: "crewdeck.setToken",
    arguments: [{ crew: id, ...defined({ tokenType }) }],
  };
}

export function editCrewAction({ id }: Pick<Crew, "id">): ErrorAction {
  return {
    title: vscode.l10n.t("Edit Crew"),
    command: "crewdeck.editCrew",
    arguments: [{ crew: id }],
  };
}

export function addCrewAction(): ErrorAction {
  return { title: vscode.l10n.t("Connect a Crew"), command: "crewdeck.addCrew" };
}

export function startLocalAction(title: string, folder: string): ErrorAction {
  return { title, command: "crewdeck.startLocalCrew", arguments: [{ folder }] };
}

export function showLogAction(): ErrorAction {
  return { title: vscode.l10n.t("Show Log"), command: "crewdeck.showLog" };
}

/** The actions for a refused token: after 401 set one of the same type, after 403 use the organisation's. None for other errors. */
export function actionsForRefusal(
  { kind, tokenType }: CrewApiError,
  crew: Pick<Crew, "id" | "local">,
  state: TokenState,
): readonly ErrorAction[] {
  if (kind !== "unauthorized" && kind !== "forbidden") return [];
  const other = tokenType === undefined ? undefined : otherType(tokenType);
  const switchToOther: readonly ErrorAction[] =
    other !== undefined && state.kind === "stored" && state.types.includes(other)
      ? [
          {
            title: vscode.l10n.t("Use {0}", tokenTypeName(other)),
            command: "crewdeck.switchToken",
            arguments: [{ crew: crew.id, tokenType: other }],
          },
        ]
      : [];
  if (kind === "forbidden") {
    // The organisation's token has all rights, so the user's token can't help.
    if (tokenType !== "userBearer") return crew.local === undefined ? [setTokenAction(crew)] : [];
    return switchToOther.length > 0 || crew.local !== undefined
      ? switchToOther
      : [setTokenAction(crew, "bearer")];
  }
  const first =
    crew.local === undefined
      ? setTokenAction(crew, tokenType)
      : startLocalAction(vscode.l10n.t("Start Local Crew"), crew.local.folder);
  return [first, ...switchToOther];
}

/** The actions for an unreadable file of a local crew. The file of a deployed crew isn't on this machine. */
export function actionsForPlace(
  { place }: CrewApiError,
  { local }: Pick<Crew, "local">,
): readonly ErrorAction[] {
  if (place === undefined || local === undefined) return [];
  const log: ErrorAction = { title: vscode.l10n.t("Show Log"), command: "crewdeck.showLocalLog" };
  const folder = vscode.Uri.parse(local.folder).fsPath;
  const file = path.resolve(folder, place.file);
  // The file's name is remote text: open nothing outside the project.
  if (!file.startsWith(folder + path.sep)) return [log];
  const at = new vscode.Position(Math.max(0, place.line - 1), Math.max(0, place.column - 1));
  const open: ErrorAction = {
    title: vscode.l10n.t("Open the File"),
    command: "vscode.open",
    arguments: [vscode.Uri.file(file), { selection: new vscode.Range(at, at) }],
  };
  return [open, log];
}
