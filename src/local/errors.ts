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
