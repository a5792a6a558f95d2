import path from "node:path";
import * as vscode from "vscode";
import { UserError, type ErrorAction } from "../base/errors.ts";
import { ProjectError } from "../projects/types.ts";
import { ServiceFailure, ServiceRefusal } from "./service-errors.ts";

/** A project's error with a button that opens the file at the place; anything else as it was. */
export function forPerson(error: unknown, folder: vscode.Uri, crewName: string): unknown {
  if (error instanceof ProjectError) return new UserError(error.message, openAction(error, folder));
  const isOurs = error instanceof ServiceRefusal || error instanceof ServiceFailure;
  return isOurs
    ? new UserError(
        vscode.l10n.t("The local crew “{0}” did not start. {1}", crewName, error.message),
        [showLogAction()],
      )
    : error;
}

/** The place a project's error names, for `vscode.open`; nothing where it names none. */
export function placeOf(
  { position }: ProjectError,
  folder: vscode.Uri,
): { readonly file: vscode.Uri; readonly options: vscode.TextDocumentShowOptions } | undefined {
  if (position === undefined) return undefined;
  const at = new vscode.Position(position.line - 1, position.column - 1);
  return {
    file: vscode.Uri.file(path.join(folder.fsPath, position.file)),
    options: { selection: new vscode.Range(at, at) },
  };
}

/** Shows the local crews' log. */
export function showLogAction(): ErrorAction {
  return { title: vscode.l10n.t("Show Log"), command: "crewdeck.showLocalLog" };
}

function openAction(error: ProjectError, folder: vscode.Uri): ErrorAction[] {
  const place = placeOf(error, folder);
  return place === undefined
    ? []
    : [
        {
          title: vscode.l10n.t("Open the File"),
          command: "vscode.open",
          arguments: [place.file, place.options],
        },
      ];
}
