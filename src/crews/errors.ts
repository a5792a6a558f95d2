import * as vscode from "vscode";
import { UserError, type ErrorAction } from "../base/errors.ts";
import { setTokenAction } from "./actions.ts";
import type { Crew, TokenLoss, TokenState } from "./types.ts";

/** This machine has no token for a crew: it was never set here, or the settings came from another machine by sync. */
export class NoTokenError extends UserError {
  constructor(crew: Pick<Crew, "id" | "name" | "local">) {
    if (crew.local === undefined)
      super(
        vscode.l10n.t(
          "There is no token for “{0}” on this machine. Set the token to go on.",
          crew.name,
        ),
        [setTokenAction(crew)],
      );
    else super(...restartLocal(crew.name, crew.local.folder));
    this.name = "NoTokenError";
  }
}

/** This machine had a token for a crew, and its store of secrets does not give it back. Comes before any request, so that it is never taken for a refused token. */
export class LostTokenError extends UserError {
  readonly why: TokenLoss;

  constructor(crew: Pick<Crew, "id" | "name" | "local">, why: TokenLoss) {
    if (crew.local !== undefined && why !== "locked")
      super(...restartLocal(crew.name, crew.local.folder));
    else super(lossInWords(crew.name, why), crew.local === undefined ? [setTokenAction(crew)] : []);
    this.name = "LostTokenError";
    this.why = why;
  }
}

/** The error that says why there is no token of a crew. */
export function missingToken(
  crew: Crew,
  state: Exclude<TokenState, { kind: "stored" }>,
): UserError {
  return state.kind === "none" ? new NoTokenError(crew) : new LostTokenError(crew, state.why);
}

/** A local crew does not run. Nothing was sent to it. */
export class StoppedCrewError extends UserError {
  constructor(name: string, folder: string) {
    super(vscode.l10n.t("The local crew “{0}” is stopped. Start it to go on.", name), [
      {
        title: vscode.l10n.t("Start {0}", name),
        command: "crewdeck.startLocalCrew",
        arguments: [{ folder }],
      },
    ]);
    this.name = "StoppedCrewError";
  }
}

function lossInWords(name: string, why: TokenLoss): string {
  return why === "locked"
    ? vscode.l10n.t(
        "This machine's store of secrets does not give the token of “{0}” back. It may be locked: unlock it and try again, or set the token again.",
        name,
      )
    : vscode.l10n.t(
        "This machine's store of secrets no longer gives the token of “{0}” back. Set it again.",
        name,
      );
}

function restartLocal(name: string, folder: string): [string, readonly ErrorAction[]] {
  return [
    vscode.l10n.t(
      "The token of the local crew “{0}” is gone. Start the local crew again: it makes a new one.",
      name,
    ),
    [
      {
        title: vscode.l10n.t("Start Local Crew"),
        command: "crewdeck.startLocalCrew",
        arguments: [{ folder }],
      },
    ],
  ];
}
