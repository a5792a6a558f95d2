import { defined } from "../base/json.ts";
import * as vscode from "vscode";
import type { TokenType } from "../api/types.ts";
import type { ErrorAction } from "../editor/errors.ts";
import { tokenTypeName } from "./token-words.ts";

/** A button that asks for a crew's token, of one kind where that is known. */
export function setTokenAction(
  { id }: { readonly id: string },
  tokenType?: TokenType,
): ErrorAction {
  const title =
    tokenType === undefined
      ? vscode.l10n.t("Set Token")
      : vscode.l10n.t("Set {0}", tokenTypeName(tokenType));
  return {
    title,
    command: "crewdeck.setToken",
    arguments: [{ crew: id, ...defined({ tokenType }) }],
  };
}

/** A button that puts the crew's other stored token in use. */
export function switchTokenAction(
  { id }: { readonly id: string },
  tokenType: TokenType,
): ErrorAction {
  return {
    title: vscode.l10n.t("Use {0}", tokenTypeName(tokenType)),
    command: "crewdeck.switchToken",
    arguments: [{ crew: id, tokenType }],
  };
}

/** A button that changes a crew's name or addresses. */
export function editCrewAction({ id }: { readonly id: string }): ErrorAction {
  return {
    title: vscode.l10n.t("Edit Crew"),
    command: "crewdeck.editCrew",
    arguments: [{ crew: id }],
  };
}

/** A button that connects a crew. */
export function addCrewAction(): ErrorAction {
  return { title: vscode.l10n.t("Connect a Crew"), command: "crewdeck.addCrew" };
}

/** A button that shows the log. */
export function showLogAction(): ErrorAction {
  return { title: vscode.l10n.t("Show Log"), command: "crewdeck.showLog" };
}
