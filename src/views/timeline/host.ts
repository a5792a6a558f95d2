import * as vscode from "vscode";
import { Disposables } from "../../base/events.ts";
import type { Handlers, MessageOf } from "../../base/protocol.ts";
import { isInterrupted } from "../../crews/types.ts";
import { documentIn } from "../../editor/execution-uri.ts";
import { executionScheme, viewId } from "../../editor/manifest.ts";
import { Panel } from "../../editor/panel.ts";
import { type ExecutionSummary, hasEnded, waitsForPerson } from "../../executions/model.ts";
import { activityIn } from "../activities.ts";
import { openDefinition } from "../from-page.ts";
import { timelineContent } from "./content.ts";
import {
  fromTimeline,
  type FromTimeline,
  type Look,
  type ToTimeline,
  type TimelineView,
} from "./messages.ts";
import type { TimelineOptions } from "./register.ts";

/** The extension's side of the timeline. */
export class TimelineHost implements vscode.Disposable {
  readonly #options: TimelineOptions;
  readonly #changed: vscode.EventEmitter<void>;
  readonly #owned = new Disposables();
  #view: vscode.WebviewView | undefined;
  #panel: Panel<FromTimeline, ToTimeline> | undefined;
  #localId: string | undefined;
  #look: Look | undefined;
  /** What a person does is done in order: a double click is also a click. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param changed fires when it shows another execution, or none */
  constructor(options: TimelineOptions, changed: vscode.EventEmitter<void>) {
    this.#options = options;
    this.#changed = changed;
    const { store, tree, prices } = options;
    this.#owned.add(
      store.onDidChange(({ added, changed, removed }) => {
        const isShown = ({ localId }: ExecutionSummary) => localId === this.#localId;
        if (removed.some(isShown)) this.follow(this.#choose());
        else if (this.#localId === undefined) this.follow(this.#choose());
        else if ([...added, ...changed].some(isShown)) this.#panel?.changed();
      }),
    );
    this.#owned.add(
      tree.view.onDidChangeSelection(({ selection: [node] }) => {
        if (node !== undefined && "localId" in node) this.follow(node.localId);
      }),
    );
    const { onDidChangeTabs, onDidChangeTabGroups } = vscode.window.tabGroups;
    for (const event of [onDidChangeTabs, onDidChangeTabGroups])
      this.#owned.add(event(() => this.follow(this.#inActiveTab() ?? this.#localId)));
    this.#owned.add(prices.onDidChange(() => this.#panel?.changed()));
    this.#localId = this.#choose();
  }

  open(view: vscode.WebviewView): void {
    const { clock, ready, extensionUri: extension } = this.#options;
    this.#view = view;
    this.#panel = new Panel(view, {
      ...{ part: "timeline", name: "The timeline", title: vscode.l10n.t("Timeline"), pace: 100 },
      ...{ clock, extension, ready },
      messages: fromTimeline,
      on: this.#handlers(),
      view: () => this.#shown(),
    });
    this.#panel.own(view.onDidChangeVisibility(() => this.#changed.fire()));
    view.onDidDispose(() => {
      // There may be another already.
      if (this.#view !== view) return;
      this.#view = undefined;
      this.#changed.fire();
    });
    this.#changed.fire();
  }

  get shown(): string | undefined {
    return this.#view?.visible === true ? this.#localId : undefined;
  }

  follow(localId: string | undefined): void {
    if (localId === this.#localId) return;
    this.#localId = localId;
    this.#panel?.show();
    this.#changed.fire();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /** In the active editor, selected, seen before, or what a person most likely wants to see. */
  #choose(): string | undefined {
    const { store, tree } = this.#options;
    const [node] = tree.view.selection;
    const selected = node !== undefined && "localId" in node ? node.localId : undefined;
    const all = store.list();
    const candidates = [
      this.#inActiveTab(),
      selected,
      this.#look?.localId,
      all.find(waitsForPerson)?.localId,
      all.find((execution) => !hasEnded(execution))?.localId,
      all[0]?.localId,
    ];
    return candidates.find((id) => id !== undefined && store.summary(id) !== undefined);
  }

  #inActiveTab(): string | undefined {
    const uri = documentIn(vscode.window.tabGroups.activeTabGroup.activeTab);
    return uri?.scheme === executionScheme
      ? this.#options.documents.summary(uri)?.localId
      : undefined;
  }

  #handlers(): Handlers<FromTimeline> {
    const go = (to: MessageOf<FromTimeline, "reveal" | "define">) =>
      (this.#last = this.#last.catch(() => undefined).then(() => this.#go(to)));
    return {
      ready: () => {
        this.#localId ??= this.#choose();
        this.#panel?.begin();
        this.#changed.fire();
      },
      look: ({ look }) => {
        this.#look = look;
      },
      list: async () => {
        await vscode.commands.executeCommand(`${viewId}.focus`);
      },
      reveal: go,
      define: go,
    };
  }

  async #go(to: MessageOf<FromTimeline, "reveal" | "define">): Promise<void> {
    const { documents, page, store, crews } = this.#options;
    const execution = store.summary(to.localId);
    if (execution === undefined) return;
    const { spans } = activityIn(store, execution);
    const span = spans.find(({ id }) => id === to.spanId);
    if (span === undefined) return;
    const { id: spanId, kind, taskId } = span;
    if (to.type === "define") {
      await openDefinition(crews.find(execution.crew.id)?.local?.folder, taskId);
      return;
    }
    const { takesFocus } = to;
    const attempt = kind === "task" ? undefined : span.attempt;
    if (page.isPreferred()) await page.reveal(execution, { spanId, takesFocus });
    else await documents.show(execution, taskId, { attempt, keepsFocus: !takesFocus });
  }

  #shown(): ToTimeline {
    const { store } = this.#options;
    const execution = this.#localId === undefined ? undefined : store.summary(this.#localId);
    if (execution !== undefined) return { type: "show", view: this.#content(execution) };
    const text = vscode.l10n.t(
      "Kick off a crew, or select an execution, to see here what happens in it.",
    );
    return { type: "empty", text };
  }

  #content(execution: ExecutionSummary): TimelineView {
    const { store, crews, clock, prices } = this.#options;
    const isHeld = isInterrupted(crews.find(execution.crew.id), execution.kickoffIds);
    const activity = activityIn(store, execution);
    return timelineContent(execution, activity, clock.now(), prices.list(), isHeld);
  }
}
