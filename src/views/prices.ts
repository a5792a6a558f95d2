import * as vscode from "vscode";
import { showActions } from "../editor/messages.ts";
import { type Price, readPrices } from "../executions/tokens.ts";

/** The setting `crewdeck.prices`. A bad entry is named in a warning, once. */
export class Prices implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #subscription: vscode.Disposable;
  /** Read when it is first used. */
  #prices: readonly Price[] | undefined;
  #reported = "";

  constructor() {
    this.#subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration("crewdeck.prices")) return;
      this.#prices = this.#read();
      this.#changed.fire();
    });
  }

  list(): readonly Price[] {
    return (this.#prices ??= this.#read());
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  #read(): readonly Price[] {
    const { prices, invalid } = readPrices(
      vscode.workspace.getConfiguration("crewdeck").get("prices"),
    );
    const text = vscode.l10n.t(
      "Ignored in the setting crewdeck.prices: {0}. Each price needs “input” and “output”, numbers of at least 0 (US dollars for a million tokens).",
      invalid.map((name) => `“${name}”`).join(", "),
    );
    if (text !== this.#reported && invalid.length > 0)
      void showActions("Warning", text, [
        {
          title: vscode.l10n.t("Open Settings"),
          command: "workbench.action.openSettings",
          arguments: ["@id:crewdeck.prices"],
        },
      ]);
    this.#reported = text;
    return prices;
  }
}
