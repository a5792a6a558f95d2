import * as v from "valibot";
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
      deserializeWebviewPanel: async (panel, state) => {
        const { OpenComparison, savedPair } = await import("./open-comparison.ts");
        const saved = v.safeParse(savedPair, state);
        if (saved.success) this.#add(OpenComparison, panel, saved.output.pair);
        else panel.dispose();
      },
    });
  }

  /** Local IDs of the executions in view. */
  get shown(): readonly string[] {
    const visible = [...this.#open].filter(({ isVisible }) => isVisible);
    return visible.flatMap(({ pair }) => [pair.left, pair.right]);
  }

  /** In the tab that compares them already, in either order, or in a new one. */
  async open(executions: Sides<ExecutionSummary>): Promise<void> {
    const { comparisonTitle, OpenComparison } = await import("./open-comparison.ts");
    const pair = { left: executions.left.localId, right: executions.right.localId };
    const both = Object.values(pair);
    const known = [...this.#open].find(({ pair: { left, right } }) =>
      both.every((each) => each === left || each === right),
    );
    if (known !== undefined) {
      known.show(pair);
      return;
    }
    const { Active } = vscode.ViewColumn;
    const title = comparisonTitle(executions);
    const options = { enableFindWidget: true };
    const panel = vscode.window.createWebviewPanel(comparisonType, title, Active, options);
    this.#add(OpenComparison, panel, pair);
  }

  #add(Opened: typeof OpenComparison, panel: vscode.WebviewPanel, pair: Sides<string>): void {
    const changed = () => this.#changed.fire();
    const comparison = new Opened(panel, pair, this.#parts, changed);
    this.#open.add(comparison);
    panel.onDidChangeViewState(changed);
    panel.onDidDispose(() => {
      this.#open.delete(comparison);
      changed();
    });
    changed();
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}
