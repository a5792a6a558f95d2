import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { plainMessage } from "../editor/messages.ts";
import { documentOf, type Confirmation } from "./confirmation.ts";
import { unlessAborted } from "./unless-aborted.ts";

/** Scheme of the documents that show all that would be sent. */
const scheme = "crewdeck-confirmation";

/**
 * Shows all of a confirmation as a read-only document, which is in no file, and asks by a notification, beside which it can be read.
 * A notification that is closed allows nothing. The document goes with the answer. @throws the signal's reason
 */
export async function askBesideDocument(
  confirmation: Confirmation,
  signal: AbortSignal,
): Promise<boolean> {
  const { title, allow } = confirmation;
  const name = vscode.l10n.t("What Would Be Sent");
  const uri = vscode.Uri.from({ scheme, path: `/${randomUUID()}/${name}.txt` });
  const text = documentOf(confirmation);
  const provider = vscode.workspace.registerTextDocumentContentProvider(scheme, {
    provideTextDocumentContent: (wanted) =>
      wanted.toString() === uri.toString() ? text : undefined,
  });
  try {
    const { document } = await vscode.window.showTextDocument(uri, { preview: false });
    await wrapLines(document);
    const question = vscode.l10n.t(
      "{0} Read in “{1}” all that would be sent. Closing this message sends nothing.",
      title,
      name,
    );
    return (
      (await unlessAborted(signal, () =>
        vscode.window.showWarningMessage(plainMessage(question), allow),
      )) === allow
    );
  } finally {
    await close(uri);
    provider.dispose();
  }
}

/** What is to be read must not lie beyond the editor's edge. An extension can't set this for one document, so that VS Code's own command does it where the person's settings don't. */
async function wrapLines(document: vscode.TextDocument): Promise<void> {
  const isOff = vscode.workspace.getConfiguration("editor", document).get("wordWrap") === "off";
  if (isOff && vscode.window.activeTextEditor?.document === document)
    await vscode.commands.executeCommand("editor.action.toggleWordWrap");
}

async function close(uri: vscode.Uri): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  await vscode.window.tabGroups.close(
    tabs.filter(
      ({ input }) =>
        input instanceof vscode.TabInputText && input.uri.toString() === uri.toString(),
    ),
  );
}
