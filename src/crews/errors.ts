import * as vscode from "vscode";
import { UserError } from "../editor/errors.ts";
import type { Crew } from "./types.ts";

/** This machine has no token for a crew: it was never set here, or the settings came from another machine by sync. */
export class NoTokenError extends UserError {
  constructor(crew: Pick<Crew, "id" | "name">) {
    super(vscode.l10n.t("There is no token for {0} on this machine. Set the token to go on.", crew.name), [
      { title: vscode.l10n.t("Set Token"), command: "crewdeck.setToken", arguments: [{ crew: crew.id }] },
    ]);
    this.name = "NoTokenError";
  }
}
