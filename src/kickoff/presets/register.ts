import * as vscode from "vscode";
import { logProblem } from "../../editor/log.ts";
import type { Database } from "../../store/database.ts";
import { Presets } from "./presets.ts";

/** The presets of this machine. Those that can't be understood are reported: somebody made them and would miss them. */
export function openPresets(database: Database): Presets {
  return new Presets({
    database,
    onUnreadable: (error, crewId) => {
      logProblem("Presets", error, crewId);
      void vscode.window.showWarningMessage(
        vscode.l10n.t(
          "A crew's presets could not be understood and were set aside. The log says why.",
        ),
      );
    },
  });
}
