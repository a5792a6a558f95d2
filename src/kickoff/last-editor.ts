import * as vscode from "vscode";
import type { Taken } from "./form-tools.ts";

/** The text editor that had the focus last: a form takes the focus from it, and may take its place. */
export class LastEditor implements vscode.Disposable {
  #document: vscode.TextDocument | undefined;
  #selections: readonly vscode.Selection[] = [];
  readonly #subscription: vscode.Disposable;

  constructor() {
    this.#look(vscode.window.activeTextEditor);
    this.#subscription = vscode.Disposable.from(
      vscode.window.onDidChangeActiveTextEditor((editor) => this.#look(editor)),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === vscode.window.activeTextEditor) this.#look(textEditor);
      }),
    );
  }

  /** What is selected in it, several selections one below the other; nothing where nothing is, or the editor was closed. */
  get selection(): (Taken & { readonly value: string; readonly name: string }) | undefined {
    const document = this.#document;
    if (document === undefined || document.isClosed) return undefined;
    const value = this.#selections.map((selection) => document.getText(selection)).filter((text) => text !== "").join("\n");
    const name = document.uri.path.split("/").at(-1) ?? "";
    return value === "" ? undefined : { value, name, from: vscode.l10n.t("the selection in {0}", name) };
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  /** No editor in front is no reason to forget the one before. Logs and other panels are not what a person selects in. */
  #look(editor: vscode.TextEditor | undefined): void {
    if (editor === undefined || editor.document.uri.scheme === "output") return;
    this.#document = editor.document;
    this.#selections = editor.selections;
  }
}
