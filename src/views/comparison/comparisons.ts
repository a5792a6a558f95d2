import * as vscode from "vscode";
import { comparisonType } from "../../editor/manifest.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import { onSides, type Sides } from "./messages.ts";
import { comparisonTitle } from "./model.ts";
import { type ComparisonParts, OpenComparison } from "./open-comparison.ts";
import { parseSavedPair } from "./parse.ts";

export type ComparisonsOptions = ComparisonParts;

/** All open comparisons. */
export class Comparisons {
  readonly #options: ComparisonsOptions;
  readonly #onShown: (localIds: readonly string[]) => void;
  readonly #open = new Set<OpenComparison>();

  constructor(options: ComparisonsOptions, onShown: (localIds: readonly string[]) => void) {
    this.#options = options;
    this.#onShown = onShown;
  }

  /** In the tab that compares them already, or in a new one. */
  open(executions: Sides<ExecutionSummary>): void {
    const pair = onSides(executions, ({ localId }) => localId);
    const known = [...this.#open].find((each) => isSame(each.pair, pair));
    if (known === undefined) {
      const { Active } = vscode.ViewColumn;
      const title = comparisonTitle(executions);
      const options = { enableFindWidget: true };
      this.#add(vscode.window.createWebviewPanel(comparisonType, title, Active, options), pair);
    } else known.show(pair);
  }

  /** After a reload of the window. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const pair = parseSavedPair(state);
    if (pair === undefined) panel.dispose();
    else this.#add(panel, pair);
  }

  #add(panel: vscode.WebviewPanel, pair: Sides<string>): void {
    const report = () => this.#report();
    const comparison = new OpenComparison(panel, pair, this.#options, report);
    this.#open.add(comparison);
    panel.onDidChangeViewState(report);
    panel.onDidDispose(() => {
      this.#open.delete(comparison);
      report();
    });
    report();
  }

  #report(): void {
    const visible = [...this.#open].filter(({ isVisible }) => isVisible);
    this.#onShown(visible.flatMap(({ pair }) => [pair.left, pair.right]));
  }
}

/** In either order. */
function isSame(one: Sides<string>, other: Sides<string>): boolean {
  return (
    (one.left === other.left && one.right === other.right) ||
    (one.left === other.right && one.right === other.left)
  );
}
