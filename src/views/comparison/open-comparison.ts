import * as vscode from "vscode";
import type { Clock } from "../../base/clock.ts";
import { shortName } from "../../base/text.ts";
import type { Execution } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import { activityIn } from "../activities.ts";
import { uriOf } from "../document/output-editors.ts";
import type { Output } from "../../view/outputs.ts";
import { LivePanel, openLink, runCommand } from "../live-panel.ts";
import type { Prices } from "../prices.ts";
import { Sent, timelineContent } from "../timeline/content.ts";
import { askForOther } from "./ask.ts";
import {
  type FromComparison,
  onSides,
  type Side,
  type Sides,
  sides,
  type ToComparison,
} from "./messages.ts";
import { comparisonModel, comparisonTitle, type OutputPair, outputPairs } from "./model.ts";
import { parseFromComparison } from "./parse.ts";

export interface ComparisonParts {
  readonly store: Pick<ExecutionStore, "events" | "find" | "list" | "summary" | "onDidChange">;
  readonly prices: Pick<Prices, "list" | "onDidChange">;
  readonly clock: Clock;
  readonly extension: vscode.Uri;
  /** Resolves when the executions are read. */
  readonly ready: Promise<unknown>;
}

/** Two executions in one tab. */
export class OpenComparison {
  readonly #tab: vscode.WebviewPanel;
  readonly #panel: LivePanel<FromComparison, ToComparison>;
  readonly #parts: ComparisonParts;
  readonly #onPair: () => void;
  /** What the page has of the timelines. */
  readonly #timelines: Sides<Sent> = { left: new Sent(), right: new Sent() };
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
    this.#panel = new LivePanel(panel, {
      ...{ page: "comparison", name: "The page of a comparison", pace: 250 },
      ...{ clock, extension, ready },
      parse: parseFromComparison,
      view: () => this.#view(),
      act: (message) => this.#act(message),
    });
    this.#panel.own(
      parts.store.onDidChange(({ added, changed, removed }) => {
        const isShown = ({ localId }: { readonly localId: string }) =>
          localId === this.#pair.left || localId === this.#pair.right;
        if ([...added, ...changed, ...removed].some(isShown)) this.#panel.changed();
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
    for (const side of sides) this.#timelines[side].clear();
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
    const viewOf = (side: Side) => {
      const activity = activityIn(store, executions[side]);
      const content = timelineContent(executions[side], activity, clock.now(), known);
      return { ...this.#timelines[side].changesIn(content), title: model.executions[side].name };
    };
    this.#panel.post({
      type: "timelines",
      views: { left: viewOf("left"), right: viewOf("right") },
    });
    return { type: "show", model, pair: this.#pair };
  }

  #executions(): Sides<Execution> | undefined {
    const { left, right } = onSides(this.#pair, (localId) => this.#parts.store.find(localId));
    return left && right && { left, right };
  }

  async #act(message: FromComparison): Promise<void> {
    if (message.type === "ready") {
      for (const side of sides) this.#timelines[side].clear();
      this.#panel.begin();
      return;
    }
    if (message.type === "openLink") return openLink(message.href);
    const executions = this.#executions();
    if (executions === undefined) return;
    const pair =
      "id" in message ? outputPairs(executions).find(({ id }) => id === message.id) : undefined;
    switch (message.type) {
      case "swap":
        this.show({ left: this.#pair.right, right: this.#pair.left });
        return;
      case "choose":
        await this.#choose(executions, message.side);
        return;
      case "open":
        await runCommand("openExecution", executions[message.side]);
        return;
      case "openOutput": {
        const output = pair?.[message.side];
        if (output === undefined) return;
        const { taskId, attempt } = output;
        const part = taskId === "" ? { result: true } : { taskId, attempt };
        await runCommand("openOutput", executions[message.side], part);
        return;
      }
      case "openDiff":
        if (pair !== undefined) await openDiff(executions, pair);
    }
  }

  async #choose(executions: Sides<Execution>, side: Side): Promise<void> {
    const kept = side === "left" ? executions.right : executions.left;
    const chosen = await askForOther(this.#parts.store, kept);
    if (chosen !== undefined) this.show({ ...this.#pair, [side]: chosen.localId });
  }
}

async function openDiff(executions: Sides<Execution>, pair: OutputPair): Promise<void> {
  const uriIn = (side: Side) => {
    const { taskId, attempt, output } = pair[side] ?? {};
    if (taskId === undefined || output === undefined) return undefined;
    const part: Output["part"] =
      attempt === undefined ? { kind: "result" } : { kind: "attempt", taskId, attempt };
    return uriOf(executions[side], part, output);
  };
  const [left, right] = [uriIn("left"), uriIn("right")];
  if (left === undefined || right === undefined) return;
  await vscode.commands.executeCommand("vscode.diff", left, right, diffTitle(executions, pair));
}

function diffTitle(executions: Sides<Execution>, { left, right }: OutputPair): string {
  const title = comparisonTitle(executions);
  const names = [...new Set([left?.task?.taskId, right?.task?.taskId])];
  const name = names.map((each) =>
    each === undefined ? vscode.l10n.t("Result") : shortName(each),
  );
  return vscode.l10n.t("{0}: {1}", name.join(" ↔ "), title);
}
