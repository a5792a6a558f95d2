import * as vscode from "vscode";
import { askBesideDocument } from "./ask-beside-document.ts";
import { dialogOf, type Confirmation } from "./confirmation.ts";
import { unlessAborted } from "./unless-aborted.ts";

/**
 * Whether the person allows one sending, asked by a dialog of Crewdeck's own. It is asked every time: VS Code asks before a tool,
 * too, but does not tell the tool whether it did. "Always allow", a session without approvals, a hook and a setting all skip that.
 * @throws the signal's reason, while the question may still stand: an answer to it then counts for nothing
 */
export async function isAllowed(confirmation: Confirmation, signal: AbortSignal): Promise<boolean> {
  const { title, allow } = confirmation;
  const { text, isWhole } = dialogOf(confirmation);
  const showAll = vscode.l10n.t("Show All");
  const detail = `${vscode.l10n.t("A language model asks for this.")}\n\n${text}`;
  const answer = await unlessAborted(signal, () =>
    vscode.window.showWarningMessage(
      title,
      { modal: true, detail },
      allow,
      ...(isWhole ? [] : [showAll]),
    ),
  );
  return (
    answer === allow || (answer === showAll && (await askBesideDocument(confirmation, signal)))
  );
}
