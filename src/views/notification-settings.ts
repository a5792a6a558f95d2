import * as vscode from "vscode";
import type { EventKind } from "./events.ts";

const section = "crewdeck.notifications";

/** Whether a person wants to be told of this, read now: `crewdeck.notifications.<kind>`. */
export function wantsToHear(kind: EventKind): boolean {
  return vscode.workspace.getConfiguration(section).get(kind) === true;
}

/** Tells no more of this, and says where that is turned on again. Where the workspace has a value of its own, it is that which counts and changes. */
export async function hearNoMore(kind: EventKind): Promise<void> {
  const configuration = vscode.workspace.getConfiguration(section);
  const isOfWorkspace = configuration.inspect(kind)?.workspaceValue !== undefined;
  await configuration.update(
    kind,
    false,
    isOfWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global,
  );
  const settings = vscode.l10n.t("Open Settings");
  const chosen = await vscode.window.showInformationMessage(
    vscode.l10n.t("{0} The setting {1} turns this on again.", inWords(kind), `${section}.${kind}`),
    settings,
  );
  if (chosen === settings)
    await vscode.commands.executeCommand("workbench.action.openSettings", `${section}.${kind}`);
}

function inWords(kind: EventKind): string {
  switch (kind) {
    case "waiting":
      return vscode.l10n.t(
        "You are no longer told when an execution waits for you; the status bar and the view still show it.",
      );
    case "failed":
      return vscode.l10n.t(
        "You are no longer told when an execution fails; the view still shows it.",
      );
    case "completed":
      return vscode.l10n.t(
        "You are no longer told when an execution is completed; the view still shows it.",
      );
  }
}
