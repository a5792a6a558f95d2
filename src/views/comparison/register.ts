import * as vscode from "vscode";
import { comparisonType } from "../../editor/manifest.ts";
import type { ExecutionSummary } from "../../executions/model.ts";

import type { Sides } from "./messages.ts";
import type { ComparisonParts, Comparisons } from "./open-comparison.ts";

export type ComparisonRoom = ReturnType<typeof registerComparisons>;

/** Two executions side by side. The code is loaded when it is first used. */
export function registerComparisons(options: ComparisonParts) {
  const changed = new vscode.EventEmitter<void>();
  let shown: readonly string[] = [];
  let loading: Promise<Comparisons> | undefined;
  const load = () =>
    (loading ??= import("./open-comparison.ts").then(
      (module) =>
        new module.Comparisons(options, (localIds) => {
          shown = localIds;
          changed.fire();
        }),
    ));
  const registration = vscode.window.registerWebviewPanelSerializer(comparisonType, {
    deserializeWebviewPanel: async (panel, state) => (await load()).restore(panel, state),
  });
  return {
    /** Local IDs of the executions in view. */
    get shown() {
      return shown;
    },
    onDidChangeShown: changed.event,
    open: async (pair: Sides<ExecutionSummary>): Promise<void> => (await load()).open(pair),
    dispose: () => {
      registration.dispose();
      changed.dispose();
    },
  };
}
