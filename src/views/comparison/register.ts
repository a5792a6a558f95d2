import * as vscode from "vscode";
import { comparisonType } from "../../editor/manifest.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import type { Sides } from "./messages.ts";
import type { ComparisonParts, OpenComparison } from "./open-comparison.ts";

/** All open comparisons. The code of one is loaded when it is first shown. */
export class Comparisons implements vscode.Disposable {
  readonly #parts: ComparisonParts;
  readonly #open = new Set<OpenComparison>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #registration: vscode.Disposable;
  readonly onDidChangeShown = this.#changed.event;

  constructor(parts: ComparisonParts) {
    this.#parts = parts;
    this.#registration = vscode.window.registerWebviewPanelSerializer(comparisonType, {
      deserializeWebviewPanel: async (tab, state) => {
        const { OpenComparison, savedPair } = await import("./open-comparison.ts");
        const pair = savedPair(state);
        if (pair === undefined) tab.dispose();
        else this.#add(new OpenComparison(tab, pair, this.#parts));
      },
    });
  }

  /** Local IDs of the executions in view. */
  get shown(): readonly string[] {
    const visible = [...this.#open].filter(({ tab }) => tab.visible);
    return visible.flatMap(({ pair }) => [pair.left, pair.right]);
  }

  /** In the tab that compares them already, in either order, or in a new one. */
  async open(executions: Sides<ExecutionSummary>): Promise<void> {
    const { comparisonTitle, OpenComparison } = await import("./open-comparison.ts");
    const pair = { left: executions.left.localId, right: executions.right.localId };
    const known = [...this.#open].find((comparison) => {
      const shown = Object.values(comparison.pair);
      return shown.includes(pair.left) && shown.includes(pair.right);
    });
    if (known !== undefined) {
      known.show(pair);
      return;
    }
    const title = comparisonTitle(executions);
    const options = { enableFindWidget: true };
    const { Active } = vscode.ViewColumn;
    const tab = vscode.window.createWebviewPanel(comparisonType, title, Active, options);
    this.#add(new OpenComparison(tab, pair, this.#parts));
  }

  #add(comparison: OpenComparison): void {
    this.#open.add(comparison);
    comparison.tab.onDidChangeViewState(() => this.#changed.fire());
    comparison.tab.onDidDispose(() => {
      this.#open.delete(comparison);
      this.#changed.fire();
    });
    this.#changed.fire();
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}
