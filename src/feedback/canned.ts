import * as vscode from "vscode";
import { plainLabel } from "../editor/messages.ts";
import type { Draft } from "./drafts.ts";

interface CannedAnswer {
  readonly label?: string;
  readonly text: string;
  readonly kind: "approve" | "reject" | "both";
}

export function cannedAnswers(isApprove: boolean): readonly CannedAnswer[] {
  const set: unknown = vscode.workspace.getConfiguration("crewdeck").get("feedback.cannedAnswers");
  const answers = Array.isArray(set) ? set.flatMap(readAnswer) : [];
  return answers.filter(({ kind }) => kind === "both" || (kind === "approve") === isApprove);
}

function readAnswer(raw: unknown): CannedAnswer[] {
  if (typeof raw === "string") return readAnswer({ text: raw });
  if (typeof raw !== "object" || raw === null) return [];
  const { label, text, kind }: Partial<Record<keyof CannedAnswer, unknown>> = raw;
  if (typeof text !== "string" || text.trim() === "") return [];
  const isNamed = typeof label === "string" && label.trim() !== "";
  const isFor = kind === "approve" || kind === "reject" ? kind : "both";
  return [{ ...(isNamed && { label }), text, kind: isFor }];
}

/** Includes drafts for other attempts. Undefined when the person cancels or edits the answers. */
export async function askInsertion(
  isApprove: boolean,
  drafts: readonly Draft[],
): Promise<string | undefined> {
  const item = (label: string | undefined, text: string) => ({ ...labelled(label, text), text });
  const canned = cannedAnswers(isApprove).map(({ label, text }) => item(label, text));
  const kept = drafts.map(({ attempt, text }) =>
    item(vscode.l10n.t("Draft for attempt {0}", attempt), text),
  );
  const edit = {
    label:
      canned.length === 0
        ? vscode.l10n.t("Write canned answers in the settings…")
        : vscode.l10n.t("Change canned answers in the settings…"),
    iconPath: new vscode.ThemeIcon("gear"),
    text: undefined,
  };
  const separator = { label: "", kind: vscode.QuickPickItemKind.Separator, text: undefined };
  const chosen = await vscode.window.showQuickPick([...canned, ...kept, separator, edit], {
    title: isApprove
      ? vscode.l10n.t("Insert into your note")
      : vscode.l10n.t("Insert into your feedback"),
    placeHolder: vscode.l10n.t("Inserted below your text; nothing is sent yet"),
    matchOnDetail: true,
    ignoreFocusOut: true,
  });
  if (chosen === edit)
    await vscode.commands.executeCommand(
      "workbench.action.openSettings",
      "@id:crewdeck.feedback.cannedAnswers",
    );
  return chosen?.text;
}

export function labelled(label: string | undefined, text: string): vscode.QuickPickItem {
  const line = plainLabel(text.trim().replace(/\s+/g, " "));
  return label === undefined ? { label: line } : { label: plainLabel(label), detail: line };
}
