import * as vscode from "vscode";
import { showLocalLogAction } from "../crews/errors.ts";
import { confirm, plainMessage, runAction } from "../editor/messages.ts";
import type { Interpreter } from "../projects/python.ts";

/** @returns whether to start it again */
export async function reportEnd(name: string): Promise<boolean> {
  const again = vscode.l10n.t("Start Again");
  const log = showLocalLogAction();
  const message = vscode.l10n.t(
    "The local crew “{0}” ended unexpectedly. Its executions are kept.",
    name,
  );
  const chosen = await vscode.window.showErrorMessage(plainMessage(message), again, log.title);
  if (chosen === log.title) await runAction(log);
  return chosen === again;
}

/** A restart interrupted executions that cost money. */
export async function reportInterrupted(crew: string, name: string, count: number): Promise<void> {
  const [proceed, discard] = [vscode.l10n.t("Continue"), vscode.l10n.t("Discard")];
  const text =
    count === 1
      ? vscode.l10n.t("1 unfinished execution of “{0}” was interrupted.", name)
      : vscode.l10n.t("{0} unfinished executions of “{1}” were interrupted.", count, name);
  const cost = vscode.l10n.t("Continuing repeats what was interrupted, which can cost money.");
  const chosen = await vscode.window.showWarningMessage(
    plainMessage(`${text} ${cost}`),
    proceed,
    discard,
    vscode.l10n.t("Decide Later"),
  );
  const given = { crew, kind: "notification" };
  if (chosen === proceed)
    await vscode.commands.executeCommand("crewdeck.continueInterrupted", given);
  if (chosen === discard)
    await vscode.commands.executeCommand("crewdeck.discardInterrupted", given);
}

/** @returns whether to run the crew with the crewAI that is there now */
export async function offerCrewai(name: string, { crewai = "" }: Interpreter): Promise<boolean> {
  const use = vscode.l10n.t("Use crewAI");
  const text = vscode.l10n.t(
    "“{0}” can run with crewAI {1}: its tools and its model, which can cost money.",
    name,
    crewai,
  );
  return (await vscode.window.showInformationMessage(plainMessage(text), use)) === use;
}

export async function confirmEngineChange(name: string): Promise<boolean> {
  return await confirm(
    vscode.l10n.t("Change the engine of “{0}”?", name),
    vscode.l10n.t(
      "Executions that have not ended continue with the other engine. What runs now is interrupted.",
    ),
    vscode.l10n.t("Change Engine"),
  );
}
