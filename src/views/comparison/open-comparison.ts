import * as vscode from "vscode";
import type { Clock } from "../../base/clock.ts";
import { Panel } from "../../editor/panel.ts";
import { type Execution, targetOf } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import type { Act } from "../../view/actions.ts";
import { activityIn } from "../../executions/activity.ts";
import { outputUri } from "../document/output-editors.ts";
import type { CurrentCircumstances } from "../circumstances.ts";
import { timelineContent } from "../timeline/content.ts";
import {
  fromComparison,
  type FromComparison,
  onSides,
  sides,
  type Sides,
  type ToComparison,
} from "./messages.ts";
import { comparisonModel, comparisonTitle, type OutputPair, outputPairs } from "./model.ts";

export { comparisonTitle } from "./model.ts";
export { savedPair } from "./messages.ts";

export interface ComparisonParts {
  readonly store: ExecutionStore;
  readonly circumstances: Pick<CurrentCircumstances, "of" | "onDidChange">;
  readonly clock: Clock;
  readonly act: Act;
  readonly extension: vscode.Uri;
  readonly ready: Promise<unknown>;
}

export class OpenComparison {
  readonly tab: vscode.WebviewPanel;
  readonly #panel: Panel<FromComparison, ToComparison>;
  readonly #parts: ComparisonParts;
  #pair: Sides<string>;

  constructor(tab: vscode.WebviewPanel, pair: Sides<string>, parts: ComparisonParts) {
    this.tab = tab;
    this.#pair = pair;
    this.#parts = parts;
    const { clock, extension, ready, store, circumstances, act } = parts;
    this.#panel = new Panel(tab, {
      ...{ part: "comparison", title: tab.title, clock, extension, ready },
      messages: fromComparison,
      on: {
        ready: () => this.#panel.begin(),
        open: async ({ side }) => {
          const executions = this.#executions();
          if (executions !== undefined) await act("openExecution", targetOf(executions[side]));
        },
        openOutput: async ({ id }) => {
          const executions = this.#executions();
          const pair = executions && outputPairs(executions).find((each) => each.id === id);
          if (executions && pair) await openOutputs(executions, pair);
        },
      },
      view: () => this.#view(),
    });
    this.#panel.own(store.onDidChange(() => this.#panel.changed()));
    this.#panel.own(circumstances.onDidChange(() => this.#panel.changed()));
  }

  get localIds(): readonly string[] {
    return [this.#pair.left, this.#pair.right];
  }

  show(pair: Sides<string>): void {
    this.#pair = pair;
    this.tab.reveal();
    this.#panel.show();
  }

  #view(): ToComparison {
    const { store, clock, circumstances } = this.#parts;
    const executions = this.#executions();
    if (executions === undefined)
      return {
        type: "missing",
        text: vscode.l10n.t("One of these executions is no longer tracked here."),
      };
    this.tab.title = comparisonTitle(executions);
    const known = onSides(executions, (execution) => circumstances.of(execution));
    const model = comparisonModel(executions, known);
    const timelines = onSides(executions, (each, side) =>
      timelineContent(each, activityIn(store, each), clock.now(), known[side]),
    );
    return { type: "show", model, timelines };
  }

  #executions(): Sides<Execution> | undefined {
    const { left, right } = onSides(this.#pair, (localId) => this.#parts.store.find(localId));
    return left && right && { left, right };
  }
}

async function openOutputs(executions: Sides<Execution>, pair: OutputPair): Promise<void> {
  const [left, right] = sides.map((side) => {
    const output = pair[side]?.output;
    return output && outputUri(executions[side], output.part);
  });
  if (left === undefined || right === undefined) {
    await vscode.commands.executeCommand("vscode.open", left ?? right);
    return;
  }
  const title = `${pair.left?.name ?? ""}: ${comparisonTitle(executions)}`;
  await vscode.commands.executeCommand("vscode.diff", left, right, title);
}
