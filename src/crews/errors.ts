import * as vscode from "vscode";
import { UserError, type ErrorAction } from "../base/errors.ts";
import { setTokenAction, startLocalAction } from "./actions.ts";
import type { Crew, TokenLoss, TokenState } from "./types.ts";

/** This machine never had a token for the crew; settings sync may have brought the crew. */
export class NoTokenError extends UserError {
  constructor(crew: Pick<Crew, "id" | "name" | "local">) {
    if (crew.local === undefined)
      super(
        vscode.l10n.t(
          "There is no token for “{0}” on this machine. Set the token to continue.",
          crew.name,
        ),
        [setTokenAction(crew)],
      );
    else super(...restartLocal(crew.name, crew.local.folder));
    this.name = "NoTokenError";
  }
}

/** The secret storage doesn't return the crew's token. Thrown before any request, so it isn't mistaken for a refused token. */
export class LostTokenError extends UserError {
  readonly why: TokenLoss;

  constructor(crew: Pick<Crew, "id" | "name" | "local">, why: TokenLoss) {
    if (crew.local !== undefined && why !== "locked")
      super(...restartLocal(crew.name, crew.local.folder));
    else
      super(describeLoss(crew.name, why), crew.local === undefined ? [setTokenAction(crew)] : []);
    this.name = "LostTokenError";
    this.why = why;
  }
}

export function missingToken(
  crew: Crew,
  state: Exclude<TokenState, { kind: "stored" }>,
): UserError {
  return state.kind === "none" ? new NoTokenError(crew) : new LostTokenError(crew, state.why);
}

/** A local crew isn't running; nothing was sent. */
export class StoppedCrewError extends UserError {
  constructor(name: string, folder: string) {
    super(vscode.l10n.t("The local crew “{0}” is stopped. Start it to continue.", name), [
      startLocalAction(vscode.l10n.t("Start {0}", name), folder),
    ]);
    this.name = "StoppedCrewError";
  }
}

export function notConnected(id: string, name: string): UserError {
  return new UserError(
    id.startsWith("url:")
      ? vscode.l10n.t(
          "“{0}” ({1}) is not connected. Connect it to continue.",
          name,
          id.slice("url:".length),
        )
      : vscode.l10n.t(
          "The local crew “{0}” has not been started in this window. Start it to continue.",
          name,
        ),
  );
}

function describeLoss(name: string, why: TokenLoss): string {
  return why === "locked"
    ? vscode.l10n.t(
        "The token of “{0}” can't be read from this machine's secret storage. It may be locked: unlock it and try again, or set the token again.",
        name,
      )
    : vscode.l10n.t(
        "The token of “{0}” is no longer in this machine's secret storage. Set it again.",
        name,
      );
}

function restartLocal(name: string, folder: string): [string, readonly ErrorAction[]] {
  return [
    vscode.l10n.t(
      "The token of the local crew “{0}” is missing. Start the local crew again: it creates a new one.",
      name,
    ),
    [startLocalAction(vscode.l10n.t("Start Local Crew"), folder)],
  ];
}
