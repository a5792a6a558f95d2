import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { assemble, type Rendered } from "./sections.ts";

/** Answers of crews as they came, kept as long as somebody looks at them. They are in no file: a window that is loaded anew has none. */
export class RawAnswers implements vscode.Disposable {
  readonly #answers = new Map<string, Rendered>();
  readonly #subscription = vscode.Disposable.from(
    vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#answers.delete(uri.toString())),
  );

  /** Keeps an answer under an address that no other has. */
  keep(uri: vscode.Uri, answer: Rendered): void {
    this.#answers.set(uri.toString(), answer);
  }

  /** What is shown at an address. */
  at(uri: vscode.Uri): Rendered {
    return (
      this.#answers.get(uri.toString()) ??
      assemble([
        {
          id: "answer",
          lines: [
            l10n.t("This answer is not kept. “Crewdeck: Open Raw Answer” asks the crew again."),
          ],
        },
      ])
    );
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}
