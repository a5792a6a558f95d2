import * as vscode from "vscode";
import { logProblem } from "../../editor/log.ts";
import type { CrewFileProblem } from "../crew-files.ts";
import { Presets } from "./presets.ts";

/** The presets of this machine. What goes wrong with their files is told: somebody made them and would miss them. */
export function openPresets(storage: vscode.Uri): Presets {
  return new Presets({
    folder: vscode.Uri.joinPath(storage, "presets").fsPath,
    onProblem: (problem, error) => {
      logProblem("Presets", error);
      void vscode.window.showWarningMessage(inWords(problem));
    },
  });
}

function inWords(problem: CrewFileProblem): string {
  switch (problem.kind) {
    case "notKept":
      return vscode.l10n.t("The presets could not be kept. The log says why.");
    case "setAside":
      return vscode.l10n.t(
        "A crew's presets could not be understood. Their file is kept as {0}.",
        problem.path,
      );
  }
}
