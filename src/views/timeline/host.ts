import * as vscode from "vscode";
import { Disposables } from "../../base/events.ts";
import { isInterrupted } from "../../crews/types.ts";
import { documentIn } from "../../editor/execution-uri.ts";
import { log, logProblem } from "../../editor/log.ts";
import { executionScheme, viewId } from "../../editor/manifest.ts";
import { showError } from "../../editor/messages.ts";
import { showPage } from "../../editor/webview-page.ts";
import type { Execution, ExecutionSummary } from "../../executions/model.ts";
import { activityIn } from "../activities.ts";
import { activeOf } from "../waiting.ts";
import { timelineContent, Sent, type TimelineContent } from "./content.ts";
import { openDefinition } from "./definition.ts";
import { timelineMarkdown } from "./markdown.ts";
import { type FromTimeline, type Look, lookAt, type ToTimeline } from "./messages.ts";
import { parseFromTimeline } from "./parse.ts";
import { timelinePicture } from "./picture.ts";
import type { TimelineOptions } from "./register.ts";
import { rowsOf } from "./rows.ts";

/** The extension's side of the timeline. */
export class TimelineHost implements vscode.Disposable {
  readonly #options: TimelineOptions;
  readonly #onShown: (localId: string | undefined) => void;
  readonly #owned = new Disposables();
  readonly #sent = new Sent();
  #view: vscode.WebviewView | undefined;
  #isReady = false;
  #localId: string | undefined;
  #look: Look | undefined;
  /** What a person does is done in order: a double click is also a click. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: TimelineOptions, onShown: (localId: string | undefined) => void) {
    this.#options = options;
    this.#onShown = onShown;
    const { store, tree, prices } = options;
    this.#owned.add(
      store.onDidChange(({ added, changed, removed }) => {
        const isShown = ({ localId }: ExecutionSummary) => localId === this.#localId;
        if (removed.some(isShown)) this.follow(this.#choose());
        else if (this.#localId === undefined) this.follow(this.#choose());
        else if ([...added, ...changed].some(isShown)) this.#show();
      }),
    );
    this.#owned.add(
      tree.view.onDidChangeSelection(({ selection: [node] }) => {
        if (node !== undefined && "localId" in node) this.follow(node.localId);
      }),
    );
    const followTab = () => this.follow(this.#inActiveTab() ?? this.#localId);
    this.#owned.add(vscode.window.tabGroups.onDidChangeTabs(followTab));
    this.#owned.add(vscode.window.tabGroups.onDidChangeTabGroups(followTab));
    this.#owned.add(prices.onDidChange(() => this.#show()));
    this.#localId = this.#choose();
  }

  open(view: vscode.WebviewView): void {
    this.#view = view;
    this.#isReady = false;
    // Each is gone with the view; an earlier view's events must not count.
    const isCurrent = () => this.#view === view;
    view.webview.onDidReceiveMessage((message) => {
      if (isCurrent()) this.#receive(message);
    });
    view.onDidChangeVisibility(() => {
      if (!isCurrent()) return;
      // A hidden page ends; a new one says when it is ready.
      if (!view.visible) this.#isReady = false;
      this.#report();
    });
    view.onDidDispose(() => {
      if (!isCurrent()) return;
      this.#view = undefined;
      this.#report();
    });
    showPage(view.webview, this.#options.extensionUri, "timeline", vscode.l10n.t("Timeline"));
    this.#report();
  }

  follow(localId: string | undefined): void {
    if (localId === this.#localId) return;
    this.#localId = localId;
    this.#sent.clear();
    this.#show();
    this.#report();
  }

  picture(execution: Execution): string {
    const { content, rows, look } = this.#inView(execution);
    return timelinePicture(rows, content, look, content.now);
  }

  markdown(execution: Execution): string {
    const { content, rows } = this.#inView(execution);
    return timelineMarkdown(rows, content, content.now);
  }

  dispose(): void {
    this.#view = undefined;
    this.#owned.dispose();
  }

  /** In the active editor, selected, seen before, or what a person most likely wants to see. */
  #choose(): string | undefined {
    const { store, tree, crews } = this.#options;
    const [node] = tree.view.selection;
    const selected = node !== undefined && "localId" in node ? node.localId : undefined;
    const all = store.list();
    const { waiting, running } = activeOf(all, crews.list());
    const candidates = [
      this.#inActiveTab(),
      selected,
      this.#look?.localId,
      ...[waiting[0], running[0], all[0]].map((execution) => execution?.localId),
    ];
    return candidates.find((id) => id !== undefined && store.summary(id) !== undefined);
  }

  #inActiveTab(): string | undefined {
    const uri = documentIn(vscode.window.tabGroups.activeTabGroup.activeTab);
    return uri?.scheme === executionScheme
      ? this.#options.documents.summary(uri)?.localId
      : undefined;
  }

  #receive(raw: unknown): void {
    const message = parseFromTimeline(raw);
    if (message === undefined) {
      log.warn("The timeline sent an invalid message; it was ignored.");
      return;
    }
    switch (message.type) {
      case "ready":
        void this.#start(message.look);
        break;
      case "look":
        this.#look = message.look;
        break;
      case "list":
        void vscode.commands.executeCommand(`${viewId}.focus`);
        break;
      default:
        this.#last = this.#last.then(() => this.#go(message)).catch(showError);
    }
  }

  async #start(look: Look | undefined): Promise<void> {
    await this.#options.ready;
    this.#look = look ?? this.#look;
    this.#isReady = true;
    this.#sent.clear();
    this.#localId ??= this.#choose();
    this.#show();
    this.#report();
  }

  async #go(message: Extract<FromTimeline, { spanId: string }>): Promise<void> {
    const { documents, page, store, crews } = this.#options;
    const execution = store.summary(message.localId);
    if (execution === undefined) return;
    const { spans } = activityIn(store, execution);
    const span = spans.find(({ id }) => id === message.spanId);
    if (span === undefined) return;
    const { id: spanId, kind, taskId } = span;
    if (message.type === "define") {
      await openDefinition(crews.find(execution.crew.id)?.local?.folder, taskId);
      return;
    }
    const { takesFocus } = message;
    const attempt = kind === "task" ? undefined : span.attempt;
    if (this.#isReadAsPage(execution)) await page.reveal(execution, { spanId, takesFocus });
    else {
      const place = { attempt, step: spanId, keepsFocus: !takesFocus };
      await documents.show(execution, taskId, place);
    }
  }

  /** In the editor in which it is visible, else open, else as the person reads executions. */
  #isReadAsPage(execution: ExecutionSummary): boolean {
    const { documents, page } = this.#options;
    const uri = documents.uriOf(execution).toString();
    const open = vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter((tab) => documentIn(tab)?.toString() === uri);
    const visible = open.filter(({ isActive }) => isActive);
    const kinds = new Set(
      (visible.length > 0 ? visible : open).map(
        (tab) => tab.input instanceof vscode.TabInputCustom,
      ),
    );
    return kinds.size === 1 ? kinds.has(true) : page.isPreferred();
  }

  #show(): void {
    if (!this.#isReady) return;
    try {
      const { store } = this.#options;
      const execution = this.#localId === undefined ? undefined : store.summary(this.#localId);
      this.#post(
        execution === undefined
          ? {
              type: "empty",
              text: vscode.l10n.t(
                "Kick off a crew, or select an execution, to see here what happens in it.",
              ),
            }
          : { type: "show", view: this.#sent.changesIn(this.#content(execution)) },
      );
    } catch (error) {
      logProblem("Showing the timeline", error);
    }
  }

  #content(execution: ExecutionSummary): TimelineContent {
    const { store, crews, clock, prices } = this.#options;
    const isHeld = isInterrupted(crews.find(execution.crew.id), execution.kickoffIds);
    const activity = activityIn(store, execution);
    return timelineContent(execution, activity, clock.now(), prices.list(), isHeld);
  }

  #inView(execution: Execution) {
    const content = this.#content(execution);
    const look = lookAt(execution.localId, this.#look);
    const { rows } = rowsOf(content.spans, look);
    return { content, rows, look };
  }

  #post(message: ToTimeline): void {
    void this.#view?.webview.postMessage(message);
  }

  #report(): void {
    this.#onShown(this.#view?.visible === true ? this.#localId : undefined);
  }
}
