import * as vscode from "vscode";
import { NothingToDo, UserError } from "../base/errors.ts";

export function nothingInterrupted(crew: string): NothingToDo {
  return new NothingToDo(vscode.l10n.t("No execution of “{0}” was interrupted.", crew));
}

export function neverStarted(folder: string): UserError {
  return new UserError(vscode.l10n.t("No local crew was started in {0}.", folder));
}

export function removedError(): UserError {
  return new UserError(vscode.l10n.t("This local crew was already removed."));
}

export function notStopped(crew: string): UserError {
  return new UserError(
    vscode.l10n.t(
      "The local crew “{0}” does not stop: another process uses its data and does not respond.",
      crew,
    ),
  );
}

/** @param classes those that the project has now; empty for one crew */
export function noClass(
  crew: string,
  crewClass: string | undefined,
  classes: readonly string[],
): UserError {
  const all = classes.join(", ");
  if (all === "")
    return new UserError(vscode.l10n.t("The project of “{0}” has only one crew.", crew));
  return new UserError(
    crewClass === undefined
      ? vscode.l10n.t("The project of “{0}” has several crews: {1}.", crew, all)
      : vscode.l10n.t("The project of “{0}” has no crew “{1}”. It has {2}.", crew, crewClass, all),
  );
}

export function folderGone(): UserError {
  return new UserError(
    vscode.l10n.t("This local crew's folder is gone. Start the crew from where it is now."),
  );
}
