import * as vscode from "vscode";
import { plainMessage, runAction } from "../editor/messages.ts";
import { type Price, readPrices } from "../executions/prices.ts";

/** The setting `crewdeck.prices`. A bad entry is named in a warning, once. */
export class Prices implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #subscription: vscode.Disposable;
  #prices: readonly Price[] = [];
  #reported = "";

  constructor() {
    this.#read();
    this.#subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration("crewdeck.prices")) return;
      this.#read();
      this.#changed.fire();
    });
  }

  list(): readonly Price[] {
    return this.#prices;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  #read(): void {
    const { prices, problems } = readPrices(
      vscode.workspace.getConfiguration("crewdeck").get("prices"),
    );
    this.#prices = prices;
    const text = problems.join(" ");
    if (text !== this.#reported && text !== "") void warn(text);
    this.#reported = text;
  }
}

async function warn(text: string): Promise<void> {
  const action = {
    title: vscode.l10n.t("Open Settings"),
    command: "workbench.action.openSettings",
    arguments: ["@id:crewdeck.prices"],
  };
  const chosen = await vscode.window.showWarningMessage(plainMessage(text), action.title);
  if (chosen !== undefined) await runAction(action);
}
