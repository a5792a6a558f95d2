import * as vscode from "vscode";
import { actionsOf, isUnforeseen, messageOf, type ErrorAction } from "../base/errors.ts";
import { plainMessage } from "./plain.ts";

/** Shows an error to a person, with the buttons it brings; one that nobody foresaw can be reported. */
export async function tell(error: unknown): Promise<void> {
  const actions = [...actionsOf(error), ...(isUnforeseen(error) ? [reportAction()] : [])];
  const title = await vscode.window.showErrorMessage(
    plainMessage(messageOf(error)),
    ...actions.map((action) => action.title),
  );
  const chosen = actions.find((action) => action.title === title);
  if (chosen) await runAction(chosen);
}

function reportAction(): ErrorAction {
  return { title: vscode.l10n.t("Report a Problem…"), command: "crewdeck.reportProblem" };
}

/** Does what a button stands for. A command called with an argument rejects instead of telling, so it is told here. */
export async function runAction(action: ErrorAction): Promise<void> {
  try {
    await vscode.commands.executeCommand(action.command, ...(action.arguments ?? []));
  } catch (error) {
    await tell(error);
  }
}
