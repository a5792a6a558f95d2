import * as vscode from "vscode";
import { plainLabel } from "../editor/messages.ts";
import { cannedAnswers } from "./canned.ts";
import type { Draft } from "./drafts.ts";

/** The setting that holds canned answers. */
const setting = "crewdeck.feedback.cannedAnswers";

/** Offers what may be put into a thread: canned answers, and words that were kept for other attempts of the same task. Nothing when the person cancels, or goes to write some answers. */
export async function askInsertion(
  isApprove: boolean,
  drafts: readonly Draft[],
): Promise<string | undefined> {
  const canned = cannedAnswers(isApprove).map(({ label, text }) => ({
    ...labelled(label, text),
    text,
  }));
  const kept = drafts.map(({ attempt, text }) => ({
    ...labelled(vscode.l10n.t("Draft for attempt {0}", attempt), text),
    text,
  }));
  const write = {
    label:
      canned.length === 0
        ? vscode.l10n.t("Write canned answers in the settings…")
        : vscode.l10n.t("Change canned answers in the settings…"),
    iconPath: new vscode.ThemeIcon("gear"),
    text: undefined,
  };
  const separator = { label: "", kind: vscode.QuickPickItemKind.Separator, text: undefined };
  const title = isApprove
    ? vscode.l10n.t("Insert into your note")
    : vscode.l10n.t("Insert into your feedback");
  const chosen = await vscode.window.showQuickPick([...canned, ...kept, separator, write], {
    title,
    placeHolder: vscode.l10n.t("It is put below what you have written; nothing is sent yet"),
    matchOnDetail: true,
    ignoreFocusOut: true,
  });
  if (chosen === write)
    await vscode.commands.executeCommand("workbench.action.openSettings", `@id:${setting}`);
  return chosen?.text;
}

/** An answer in a list: its label with the text below it, or the text alone. */
export function labelled(
  label: string | undefined,
  text: string,
): { readonly label: string; readonly detail?: string } {
  const line = plainLabel(text.trim().replace(/\s+/g, " "));
  return label === undefined ? { label: line } : { label: plainLabel(label), detail: line };
}
