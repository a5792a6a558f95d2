import * as vscode from "vscode";

/** Text that was selected in an editor, and the name of its document. */
export interface Selected {
  readonly text: string;
  readonly name: string;
}

/** The text editor that was in front last: a form takes the focus from it, and may take its place. Made with the window, long before a form asks. */
export class LastEditor implements vscode.Disposable {
  #last: vscode.TextEditor | undefined;
  #isInFront: boolean;
  /** What was selected when it was left: saving it afterwards may change it. */
  #left: Selected | undefined;
  readonly #subscription: vscode.Disposable;

  constructor() {
    this.#last = selectable(vscode.window.activeTextEditor);
    this.#isInFront = this.#last !== undefined;
    this.#subscription = vscode.window.onDidChangeActiveTextEditor((editor) => {
      this.#left = this.selection;
      const next = selectable(editor);
      this.#isInFront = next !== undefined;
      this.#last = next ?? this.#last;
    });
  }

  /** What is selected there, several selections one below the other; nothing where nothing is, or the document was closed. */
  get selection(): Selected | undefined {
    if (this.#last === undefined || this.#last.document.isClosed) return undefined;
    return this.#isInFront ? selectedIn(this.#last) : this.#left;
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}

/** Logs are not what a person selects in to fill in a form. */
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
