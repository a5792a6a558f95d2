import * as vscode from "vscode";
import { comparisonType } from "../../editor/manifest.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import type { Comparisons, ComparisonsOptions } from "./comparisons.ts";
import type { Sides } from "./messages.ts";

export type ComparisonRoom = ReturnType<typeof registerComparisons>;

/** Two executions side by side. The code is loaded when it is first used. */
export function registerComparisons(options: ComparisonsOptions) {
  let loading: Promise<Comparisons> | undefined;
  const load = () =>
    (loading ??= import("./comparisons.ts").then((module) => new module.Comparisons(options)));
  const registration = vscode.window.registerWebviewPanelSerializer(comparisonType, {
    deserializeWebviewPanel: async (panel, state) => (await load()).restore(panel, state),
  });
  return {
    open: async (pair: Sides<ExecutionSummary>): Promise<void> => (await load()).open(pair),
    dispose: () => void registration.dispose(),
  };
}
