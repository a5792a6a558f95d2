import * as vscode from "vscode";

export type Selected = { readonly text: string; readonly name: string };

/** The last active text editor, which a form may replace. */
export class LastEditor implements vscode.Disposable {
  #last = selectable(vscode.window.activeTextEditor);
  #isActive = this.#last !== undefined;
  /** The selection when it lost focus, since saving may change it. */
  #left: Selected | undefined;
  readonly #subscription = vscode.window.onDidChangeActiveTextEditor((editor) => {
    this.#left = this.selection;
    const next = selectable(editor);
    this.#isActive = next !== undefined;
    this.#last = next ?? this.#last;
  });

  /** Several selections on separate lines. Undefined if there is none or the document is closed. */
  get selection(): Selected | undefined {
    if (this.#last === undefined || this.#last.document.isClosed) return undefined;
    return this.#isActive ? selectedIn(this.#last) : this.#left;
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}

/** Logs are text editors, too. */
function selectable(editor: vscode.TextEditor | undefined): vscode.TextEditor | undefined {
  return editor?.document.uri.scheme === "output" ? undefined : editor;
}

function selectedIn({ document, selections }: vscode.TextEditor): Selected | undefined {
  const text = selections
    .map((selection) => document.getText(selection))
    .filter((part) => part !== "")
    .join("\n");
  return text === "" ? undefined : { text, name: document.uri.path.split("/").at(-1) ?? "" };
}
