import * as v from "valibot";
import * as vscode from "vscode";
import { plainLabel } from "../../editor/messages.ts";

const text = v.pipe(
  v.string(),
  v.check((text) => text.trim() !== ""),
);
const toText = v.transform((text: string) => ({ text, label: undefined, kind: "both" as const }));
const answer = v.object({
  label: v.fallback(v.optional(text), undefined),
  text,
  kind: v.fallback(v.picklist(["approve", "reject", "both"]), "both"),
});
/** As a person writes it into the settings. */
const cannedAnswer = v.union([v.pipe(text, toText), answer]);

/** Lets the person choose a text for the feedback box. Undefined if cancelled, or to edit the answers. */
export async function askInsertion(): Promise<string | undefined> {
  const kinds = {
    approve: vscode.l10n.t("approve with note"),
    reject: vscode.l10n.t("reject"),
    both: "",
  };
  const set: unknown = vscode.workspace.getConfiguration("crewdeck").get("feedback.cannedAnswers");
  const canned = (Array.isArray(set) ? set : []).flatMap((each) => {
    const read = v.safeParse(cannedAnswer, each);
    if (!read.success) return [];
    const { label, text, kind } = read.output;
    const line = plainLabel(text.trim().replace(/\s+/g, " "));
    const labels =
      label === undefined ? { label: line } : { label: plainLabel(label), detail: line };
    return [{ ...labels, description: kinds[kind], text }];
  });
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
