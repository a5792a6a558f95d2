import path from "node:path";
import * as vscode from "vscode";
import type { CrewApiError } from "../api/errors.ts";
import type { ErrorAction } from "../base/errors.ts";
import { setTokenAction, switchTokenAction } from "./actions.ts";
import { otherType } from "./token-entry.ts";
import type { Crew, TokenState } from "./types.ts";

/** What can be done about a refused token: 401 asks for another one of its kind, 403 of a user's token for the organisation's. Nothing for other errors. */
export function actionsForRefusal(
  { kind, tokenType }: CrewApiError,
  crew: Pick<Crew, "id" | "local">,
  state: TokenState,
): readonly ErrorAction[] {
  if (kind !== "unauthorized" && kind !== "forbidden") return [];
  const other = tokenType === undefined ? undefined : otherType(tokenType);
  const switchToOther =
    other !== undefined && state.kind === "stored" && state.types.includes(other)
      ? [switchTokenAction(crew, other)]
      : [];
  if (kind === "forbidden") {
    // The organisation's token has every right that there is: the user's would help no further.
    if (tokenType !== "userBearer") return crew.local === undefined ? [setTokenAction(crew)] : [];
    return switchToOther.length > 0 || crew.local !== undefined
      ? switchToOther
      : [setTokenAction(crew, "bearer")];
  }
  if (crew.local === undefined) return [setTokenAction(crew, tokenType), ...switchToOther];
  return [
    {
      title: vscode.l10n.t("Start Local Crew"),
      command: "crewdeck.startLocalCrew",
      arguments: [{ folder: crew.local.folder }],
    },
    ...switchToOther,
  ];
}

/** What can be done about a file of a local crew that can't be read: to open it at the place, and to see the log. What a deployed crew names is no file here. */
export function actionsForPlace(
  { place }: CrewApiError,
  { local }: Pick<Crew, "local">,
): readonly ErrorAction[] {
  if (place === undefined || local === undefined) return [];
  const log: ErrorAction = { title: vscode.l10n.t("Show Log"), command: "crewdeck.showLocalLog" };
  const folder = vscode.Uri.parse(local.folder).fsPath;
  const file = path.resolve(folder, place.file);
  // What listens at the address names the file: nothing outside the project is opened by it.
  if (!file.startsWith(folder + path.sep)) return [log];
  const at = new vscode.Position(Math.max(0, place.line - 1), Math.max(0, place.column - 1));
  return [
    {
      title: vscode.l10n.t("Open the File"),
      command: "vscode.open",
      arguments: [vscode.Uri.file(file), { selection: new vscode.Range(at, at) }],
    },
    log,
  ];
}
