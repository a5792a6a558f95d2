import * as vscode from "vscode";
import type { Clock } from "../../base/clock.ts";
import { Disposables } from "../../base/events.ts";
import { shortName } from "../../base/text.ts";
import { log, logProblem } from "../../editor/log.ts";
import { showError } from "../../editor/messages.ts";
import { showPage } from "../../editor/webview-page.ts";
import { type Execution, keyOf } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import { activityIn } from "../activities.ts";
import { uriOf } from "../document/output-editors.ts";
import type { Output } from "../document/outputs.ts";
import { webAddress } from "../page/parse.ts";
import { pageTexts } from "../page/texts.ts";
import type { Prices } from "../prices.ts";
import { Sent, timelineContent } from "../timeline/content.ts";
import { timelineTexts } from "../timeline/texts.ts";
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
import { comparisonTexts } from "./texts.ts";

/** The page is updated at most this often (ms). */
const pace = 250;

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
  readonly #panel: vscode.WebviewPanel;
  readonly #parts: ComparisonParts;
  readonly #onPair: () => void;
  readonly #owned = new Disposables();
  /** What the page has of the timelines. */
  readonly #timelines: Sides<Sent> = { left: new Sent(), right: new Sent() };
  /** Local IDs. */
  #pair: Sides<string>;
  #shownAt = -Infinity;
  #cancelShow: (() => void) | undefined;
  #isReady = false;
  #isClosed = false;

  /** @param onPair called when it compares other executions */
  constructor(
    panel: vscode.WebviewPanel,
    pair: Sides<string>,
    parts: ComparisonParts,
    onPair: () => void,
  ) {
    this.#panel = panel;
    this.#pair = pair;
    this.#parts = parts;
    this.#onPair = onPair;
    this.#owned.add(
      parts.store.onDidChange(({ added, changed, removed }) => {
        const isShown = ({ localId }: { readonly localId: string }) =>
          localId === this.#pair.left || localId === this.#pair.right;
        if ([...added, ...changed, ...removed].some(isShown)) this.#changed();
      }),
    );
    this.#owned.add(parts.prices.onDidChange(() => this.#changed()));
    this.#owned.add(panel.webview.onDidReceiveMessage((message) => this.#receive(message)));
    // A hidden page gets no messages; it asks for everything when it is shown again.
    this.#owned.add(panel.onDidChangeViewState(() => (this.#isReady &&= panel.visible)));
    panel.onDidDispose(() => {
      this.#isClosed = true;
      this.#cancelShow?.();
      this.#owned.dispose();
    });
    showPage(panel.webview, parts.extension, "comparison", panel.title);
  }

  get pair(): Sides<string> {
    return this.#pair;
  }

  get isVisible(): boolean {
    return this.#panel.visible;
  }

  /** Does nothing once its tab is closed, which a person can do while choosing another execution. */
  show(pair: Sides<string>): void {
    if (this.#isClosed) return;
    this.#pair = pair;
    this.#onPair();
    this.#panel.reveal();
    for (const side of sides) this.#timelines[side].clear();
    this.#show();
  }

  #post(message: ToComparison): void {
    if (this.#isReady) void this.#panel.webview.postMessage(message);
  }

  /** Shows a change at once, several in a row together. */
  #changed(): void {
    if (!this.#isReady || this.#cancelShow !== undefined) return;
    const { clock } = this.#parts;
    const wait = Math.max(0, this.#shownAt + pace - clock.now());
    this.#cancelShow = clock.after(wait, () => this.#show());
  }

  #show(): void {
    this.#cancelShow?.();
    this.#cancelShow = undefined;
    this.#shownAt = this.#parts.clock.now();
    try {
      this.#post(this.#view());
    } catch (error) {
      logProblem("Showing a comparison", error);
    }
  }

  #view(): ToComparison {
    const { store, clock, prices } = this.#parts;
    const executions = this.#executions();
    if (executions === undefined)
      return {
        type: "missing",
        text: vscode.l10n.t("One of these executions is no longer tracked here."),
      };
    this.#panel.title = comparisonTitle(executions);
    const model = comparisonModel(executions, prices.list());
    const viewOf = (side: Side) => ({
      ...this.#timelines[side].changesIn(
        timelineContent(executions[side], activityIn(store, executions[side]), clock.now()),
      ),
      title: model.executions[side].name,
    });
    this.#post({ type: "timelines", views: { left: viewOf("left"), right: viewOf("right") } });
    return { type: "show", model, pair: this.#pair };
  }

  #executions(): Sides<Execution> | undefined {
    const { left, right } = onSides(this.#pair, (localId) => this.#parts.store.find(localId));
    return left && right && { left, right };
  }

  #receive(raw: unknown): void {
    const message = parseFromComparison(raw);
    if (message === undefined) {
      log.warn("The page of a comparison sent an invalid message; it was ignored.");
      return;
    }
    this.#act(message).catch((error: unknown) => {
      logProblem("The page of a comparison", error);
      void showError(error);
    });
  }

  async #act(message: FromComparison): Promise<void> {
    await this.#parts.ready;
    if (this.#isClosed) return;
    if (message.type === "ready") {
      this.#isReady = true;
      for (const side of sides) this.#timelines[side].clear();
      this.#post({
        type: "texts",
        texts: comparisonTexts(),
        page: pageTexts(),
        timeline: timelineTexts(),
      });
      this.#show();
      return;
    }
    if (message.type === "openLink") {
      const address = webAddress(message.href);
      // VS Code asks before it opens an address that the person doesn't trust yet.
      if (address !== undefined) await vscode.env.openExternal(vscode.Uri.parse(address, true));
      return;
    }
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
        await run("openExecution", executions[message.side]);
        return;
      case "openOutput": {
        const output = pair?.[message.side];
        if (output === undefined) return;
        const { taskId, attempt } = output;
        const part = taskId === "" ? { result: true } : { taskId, attempt };
        await run("openOutput", executions[message.side], part);
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

/** As a lens does. */
async function run(command: string, execution: Execution, more = {}): Promise<void> {
  const target = { crew: execution.crew.id, kickoffId: keyOf(execution), fromLens: true };
  await vscode.commands.executeCommand(`crewdeck.${command}`, { ...target, ...more });
}
