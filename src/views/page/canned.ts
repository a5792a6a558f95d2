import * as vscode from "vscode";
import { plainLabel } from "../../editor/messages.ts";

interface CannedAnswer {
  readonly label?: string;
  readonly text: string;
  readonly kind: "approve" | "reject" | "both";
}

function cannedAnswers(): readonly CannedAnswer[] {
  const set: unknown = vscode.workspace.getConfiguration("crewdeck").get("feedback.cannedAnswers");
  return Array.isArray(set) ? set.flatMap(readAnswer) : [];
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

/** Lets the person choose a text for the feedback box. Undefined if cancelled, or to edit the answers. */
export async function askInsertion(): Promise<string | undefined> {
  const kinds = {
    approve: vscode.l10n.t("approve with note"),
    reject: vscode.l10n.t("reject"),
    both: "",
  };
  const canned = cannedAnswers().map(({ label, text, kind }) => ({
    ...labelled(label, text),
    description: kinds[kind],
    text,
  }));
  const edit = {
    label:
      canned.length === 0
        ? vscode.l10n.t("Write canned answers in the settings…")
        : vscode.l10n.t("Change canned answers in the settings…"),
    iconPath: new vscode.ThemeIcon("gear"),
    text: undefined,
  };
  const separator = { label: "", kind: vscode.QuickPickItemKind.Separator, text: undefined };
  const chosen = await vscode.window.showQuickPick([...canned, separator, edit], {
    title: vscode.l10n.t("Insert into your feedback"),
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

function labelled(label: string | undefined, text: string): vscode.QuickPickItem {
  const line = plainLabel(text.trim().replace(/\s+/g, " "));
  return label === undefined ? { label: line } : { label: plainLabel(label), detail: line };
}
