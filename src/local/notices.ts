import * as vscode from "vscode";
import { showLocalLogAction } from "../crews/errors.ts";
import { confirm, plainMessage, runAction } from "../editor/messages.ts";
import { idOf, type KnownCrew } from "./known-crews.ts";
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

/** A restart interrupted executions that cost money. @param held their IDs. @param titleOf undefined for unknown ones */
export async function reportInterrupted(
  { folder, name }: Pick<KnownCrew, "folder" | "name">,
  held: readonly string[],
  titleOf: (kickoffId: string) => string | undefined,
): Promise<void> {
  const count = held.length;
  const title = count === 1 ? held.map(titleOf)[0] : undefined;
  const [proceed, discard] = [vscode.l10n.t("Continue"), vscode.l10n.t("Discard")];
  const many =
    count === 1
      ? vscode.l10n.t("1 unfinished execution of “{0}” was interrupted.", name)
      : vscode.l10n.t("{0} unfinished executions of “{1}” were interrupted.", count, name);
  const text =
    title === undefined ? many : vscode.l10n.t("“{0}” of “{1}” was interrupted.", title, name);
  const cost = vscode.l10n.t("Continuing repeats what was interrupted, which can cost money.");
  const chosen = await vscode.window.showWarningMessage(
    plainMessage(`${text} ${cost}`),
    proceed,
    discard,
    vscode.l10n.t("Decide Later"),
  );
  // VS Code can't withdraw the message: others may have been interrupted when it is answered.
  const given = { crew: idOf(folder), by: "person", kickoffIds: held };
  if (chosen === proceed) await vscode.commands.executeCommand("crewdeck.continueExecution", given);
  if (chosen === discard) await vscode.commands.executeCommand("crewdeck.discardExecution", given);
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
