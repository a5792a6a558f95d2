import * as vscode from "vscode";
import { type Price, readPrices } from "../executions/tokens.ts";

export class Prices implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #subscription: vscode.Disposable;
  #prices: readonly Price[] | undefined;

  constructor() {
    this.#subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration("crewdeck.prices")) return;
      this.#prices = undefined;
      this.#changed.fire();
    });
  }

  list(): readonly Price[] {
    const setting = vscode.workspace.getConfiguration("crewdeck");
    return (this.#prices ??= readPrices(setting.get("prices")));
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }
}
