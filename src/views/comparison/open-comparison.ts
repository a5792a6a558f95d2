import * as vscode from "vscode";
import type { Clock } from "../../base/clock.ts";
import type { Handlers } from "../../base/protocol.ts";
import { Panel } from "../../editor/panel.ts";
import { type Execution, targetOf } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import type { Act } from "../../view/actions.ts";
import type { Output } from "../../view/outputs.ts";
import { present } from "../../view/words.ts";
import { activityIn } from "../activities.ts";
import { uriOf } from "../document/output-editors.ts";
import { askForOther } from "../pick-execution.ts";
import type { Prices } from "../prices.ts";
import { timelineContent } from "../timeline/content.ts";
import {
  fromComparison,
  type FromComparison,
  onSides,
  type Side,
  type Sides,
  sides,
  type ToComparison,
} from "./messages.ts";
import {
  comparisonModel,
  comparisonTitle,
  isDiff,
  outputName,
  type OutputPair,
  outputPairs,
} from "./model.ts";

export { comparisonTitle } from "./model.ts";
export { savedPair } from "./messages.ts";

export interface ComparisonParts {
  readonly store: Pick<ExecutionStore, "events" | "find" | "list" | "summary" | "onDidChange">;
  readonly prices: Pick<Prices, "list" | "onDidChange">;
  readonly clock: Clock;
  readonly act: Act;
  readonly extension: vscode.Uri;
  /** Resolves when the executions are read. */
  readonly ready: Promise<unknown>;
}

/** Two executions in one tab. */
export class OpenComparison {
  readonly #tab: vscode.WebviewPanel;
  readonly #panel: Panel<FromComparison, ToComparison>;
  readonly #parts: ComparisonParts;
  readonly #onPair: () => void;
  /** Local IDs. */
  #pair: Sides<string>;

  /** @param onPair called when it compares other executions */
  constructor(
    panel: vscode.WebviewPanel,
    pair: Sides<string>,
    parts: ComparisonParts,
    onPair: () => void,
  ) {
    this.#tab = panel;
    this.#pair = pair;
    this.#parts = parts;
    this.#onPair = onPair;
    const { clock, extension, ready } = parts;
    this.#panel = new Panel(panel, {
      ...{ part: "comparison", name: "The page of a comparison", title: panel.title, pace: 250 },
      ...{ clock, extension, ready },
      messages: fromComparison,
      on: this.#handlers(),
      view: () => this.#view(),
    });
    this.#panel.own(
      parts.store.onDidChange(({ added, changed, removed }) => {
        const shown = Object.values(this.#pair);
        if ([...added, ...changed, ...removed].some(({ localId }) => shown.includes(localId)))
          this.#panel.changed();
      }),
    );
    this.#panel.own(parts.prices.onDidChange(() => this.#panel.changed()));
  }

  get pair(): Sides<string> {
    return this.#pair;
  }

  get isVisible(): boolean {
    return this.#tab.visible;
  }

  /** Does nothing once its tab is closed, which a person can do while choosing another execution. */
  show(pair: Sides<string>): void {
    if (this.#panel.isClosed) return;
    this.#pair = pair;
    this.#onPair();
    this.#tab.reveal();
    this.#panel.show();
  }

  #view(): ToComparison {
    const { store, clock, prices } = this.#parts;
    const executions = this.#executions();
    if (executions === undefined)
      return {
        type: "missing",
        text: vscode.l10n.t("One of these executions is no longer tracked here."),
      };
    this.#tab.title = comparisonTitle(executions);
    const known = prices.list();
    const model = comparisonModel(executions, known);
    const timelines = onSides(executions, (execution) =>
      timelineContent(execution, activityIn(store, execution), clock.now(), known),
    );
    return { type: "show", model, timelines, pair: this.#pair };
  }

  #executions(): Sides<Execution> | undefined {
    const { left, right } = onSides(this.#pair, (localId) => this.#parts.store.find(localId));
    return left && right && { left, right };
  }

  #handlers(): Handlers<FromComparison> {
    /** Nothing is done for an execution that is no longer tracked. */
    const on =
      <Sent>(act: (executions: Sides<Execution>, sent: Sent) => unknown) =>
      async (sent: Sent) => {
        const executions = this.#executions();
        if (executions !== undefined) await act(executions, sent);
      };
    return {
      ready: () => this.#panel.begin(),
      swap: on(() => this.show({ left: this.#pair.right, right: this.#pair.left })),
      choose: on(async ({ left, right }, { side }) => {
        const chosen = await askForOther(this.#parts.store, side === "left" ? right : left);
        if (chosen !== undefined) this.show({ ...this.#pair, [side]: chosen.localId });
      }),
      open: on((executions, { side }) =>
        this.#parts.act("openExecution", targetOf(executions[side])),
      ),
      openOutput: on(async (executions, { id }) => {
        const pair = outputPairs(executions).find((each) => each.id === id);
        if (pair !== undefined) await openOutput(executions, pair, this.#parts.act);
      }),
    };
  }
}

async function openOutput(executions: Sides<Execution>, pair: OutputPair, act: Act): Promise<void> {
  if (isDiff(pair)) {
    const [left, right] = sides.map((side) => uriIn(executions[side], pair[side]));
    const names = [...new Set(present(pair.left, pair.right).map(outputName))];
    const title = vscode.l10n.t("{0}: {1}", names.join(" ↔ "), comparisonTitle(executions));
    await vscode.commands.executeCommand("vscode.diff", left, right, title);
    return;
  }
  const side: Side = pair.left?.output === undefined ? "right" : "left";
  const { taskId, attempt } = pair[side] ?? {};
  const part = taskId === "" ? { result: true } : { taskId, attempt };
  await act("openOutput", { ...targetOf(executions[side]), ...part });
}

function uriIn(execution: Execution, side: OutputPair[Side]) {
  const { taskId = "", attempt, output = "" } = side ?? {};
  const part: Output["part"] =
    attempt === undefined ? { kind: "result" } : { kind: "attempt", taskId, attempt };
  return uriOf(execution, part, output);
}
