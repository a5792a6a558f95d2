import * as vscode from "vscode";
import { UserError } from "../editor/errors.ts";
import type { Crew } from "./types.ts";

/** This machine has no token for a crew: it was never set here, or the settings came from another machine by sync. */
export class NoTokenError extends UserError {
  constructor(crew: Pick<Crew, "id" | "name" | "local">) {
    if (crew.local === undefined) {
      super(vscode.l10n.t("There is no token for {0} on this machine. Set the token to go on.", crew.name), [
        { title: vscode.l10n.t("Set Token"), command: "crewdeck.setToken", arguments: [{ crew: crew.id }] },
      ]);
    } else {
      super(vscode.l10n.t("The token of the local crew {0} is gone. Start the local crew again: it makes a new one.", crew.name), [
        { title: vscode.l10n.t("Start Local Crew"), command: "crewdeck.startLocalCrew", arguments: [{ folder: crew.local.folder }] },
      ]);
    }
    this.name = "NoTokenError";
  }
}
