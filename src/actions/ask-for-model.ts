import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { plainMessage } from "../editor/messages.ts";
import { dialogOf, documentOf, type Question } from "./question.ts";

const scheme = "crewdeck-confirmation";

/**
 * Always asks in Crewdeck's own dialog: VS Code's can be skipped ("Always allow", a session without
 * approvals, a hook, a setting), and the tool can't know.
 * @throws the signal's reason; a later answer to the dialog is ignored
 */
export async function askForModel(question: Question, signal: AbortSignal): Promise<boolean> {
  const { title, allow } = question;
  const { text, isWhole } = dialogOf(question);
  const showAll = vscode.l10n.t("Show All");
  const detail = `${vscode.l10n.t("A language model requests this.")}\n\n${text}`;
  const buttons = isWhole ? [allow] : [allow, showAll];
  signal.throwIfAborted();
  const answer = await unlessAborted(
    signal,
    vscode.window.showWarningMessage(title, { modal: true, detail }, ...buttons),
  );
  return answer === allow || (answer === showAll && (await askBesideDocument(question, signal)));
}

async function askBesideDocument(question: Question, signal: AbortSignal) {
  const { title, allow } = question;
  const name = vscode.l10n.t("Request to Send");
  const uri = vscode.Uri.from({ scheme, path: `/${randomUUID()}/${name}.txt` });
  const text = documentOf(question);
  const provider = vscode.workspace.registerTextDocumentContentProvider(scheme, {
    provideTextDocumentContent: (wanted) =>
      wanted.toString() === uri.toString() ? text : undefined,
  });
  try {
    const { document } = await vscode.window.showTextDocument(uri, { preview: false });
    await wrapLines(document);
    const shown = vscode.l10n.t(
      "{0} “{1}” shows the whole request. Closing this message sends nothing.",
      title,
      name,
    );
    const asked = vscode.window.showWarningMessage(plainMessage(shown), allow);
    return (await unlessAborted(signal, asked)) === allow;
  } finally {
    await close(uri);
    provider.dispose();
  }
}

/** Nothing may be hidden beyond the editor's edge. Only a command can wrap a single document. */
async function wrapLines(document: vscode.TextDocument): Promise<void> {
  const isOff = vscode.workspace.getConfiguration("editor", document).get("wordWrap") === "off";
  if (isOff && vscode.window.activeTextEditor?.document === document)
    await vscode.commands.executeCommand("editor.action.toggleWordWrap");
}

async function close(uri: vscode.Uri): Promise<void> {
  const { tabGroups } = vscode.window;
  const isShown = ({ input }: vscode.Tab) =>
    input instanceof vscode.TabInputText && input.uri.toString() === uri.toString();
  await tabGroups.close(tabGroups.all.flatMap(({ tabs }) => tabs).filter(isShown));
}

/** @throws the signal's reason */
function unlessAborted<Answer>(signal: AbortSignal, asked: PromiseLike<Answer>): Promise<Answer> {
  const aborted = new Promise<never>((_resolve, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason as Error)),
  );
  return Promise.race([asked, aborted]);
}
