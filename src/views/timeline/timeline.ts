import * as vscode from "vscode";
import type { Clock } from "../../base/clock.ts";
import type { MessageOf } from "../../base/protocol.ts";
import type { Crews } from "../../crews/crews.ts";
import { documentIn } from "../../editor/execution-uri.ts";
import { executionScheme, timelineId } from "../../editor/manifest.ts";
import { Panel } from "../../editor/panel.ts";
import { type ExecutionSummary, hasEnded, waitsForPerson } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import type { ExecutionDocuments } from "../document/documents.ts";
import type { Pages } from "../page/register.ts";
import type { CurrentCircumstances } from "../circumstances.ts";
import type { ExecutionTree } from "../tree/tree.ts";
import type { FromTimeline, ToTimeline } from "./messages.ts";

interface TimelineParts {
  readonly extension: vscode.Uri;
  readonly store: ExecutionStore;
  readonly crews: Crews;
  readonly documents: ExecutionDocuments;
  readonly page: Pages;
  readonly circumstances: CurrentCircumstances;
  readonly tree: ExecutionTree;
  readonly clock: Clock;
  readonly ready: Promise<unknown>;
}

type Place = MessageOf<FromTimeline, "reveal" | "define">;

const load = async () => ({
  ...(await import("../../executions/activity.ts")),
  ...(await import("../from-page.ts")),
  ...(await import("./content.ts")),
  ...(await import("./messages.ts")),
});
type Loaded = Awaited<ReturnType<typeof load>>;

export class Timeline implements vscode.Disposable {
  readonly #parts: TimelineParts;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #registration: vscode.Disposable;
  readonly onDidChangeShown = this.#changed.event;
  #view: vscode.WebviewView | undefined;
  #panel: Panel<FromTimeline, ToTimeline> | undefined;
  #localId: string | undefined;
  /** What a person does is done in order: a double click is also a click. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: TimelineParts) {
    this.#parts = parts;
    this.#registration = vscode.window.registerWebviewViewProvider(timelineId, {
      resolveWebviewView: (view) => this.#open(view),
    });
  }

  get shown(): string | undefined {
    return this.#view?.visible === true ? this.#localId : undefined;
  }

  async show({ localId }: ExecutionSummary): Promise<void> {
    this.#follow(localId);
    await vscode.commands.executeCommand(`${timelineId}.focus`);
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }

  async #open(view: vscode.WebviewView): Promise<void> {
    const loaded = await load();
    const { clock, ready, extension, store, tree, circumstances } = this.#parts;
    const go = (to: Place) =>
      (this.#last = this.#last.catch(() => undefined).then(() => this.#go(to, loaded)));
    const panel = new Panel<FromTimeline, ToTimeline>(view, {
      ...{ part: "timeline", title: vscode.l10n.t("Timeline"), clock, extension, ready },
      messages: loaded.fromTimeline,
      on: {
        ready: () => {
          if (store.summary(this.#localId ?? "") === undefined) this.#localId = this.#choose();
          panel.begin();
          this.#changed.fire();
        },
        reveal: go,
        define: go,
      },
      view: () => this.#shown(loaded),
    });
    [this.#view, this.#panel] = [view, panel];
    const { onDidChangeTabs, onDidChangeTabGroups } = vscode.window.tabGroups;
    for (const disposable of [
      view.onDidChangeVisibility(() => this.#changed.fire()),
      store.onDidChange(({ added, changed, removed }) => {
        const isShown = ({ localId }: ExecutionSummary) => localId === this.#localId;
        if (this.#localId === undefined || removed.some(isShown)) this.#follow(this.#choose());
        else if ([...added, ...changed].some(isShown)) panel.changed();
      }),
      tree.view.onDidChangeSelection(() => this.#follow(this.#selected() ?? this.#localId)),
      ...[onDidChangeTabs, onDidChangeTabGroups].map((event) =>
        event(() => this.#follow(this.#inActiveTab() ?? this.#localId)),
      ),
      circumstances.onDidChange(() => panel.changed()),
    ])
      panel.own(disposable);
    view.onDidDispose(() => {
      // There may be another already.
      if (this.#view === view) this.#view = undefined;
      this.#changed.fire();
    });
    this.#changed.fire();
  }

  #follow(localId: string | undefined): void {
    if (localId === this.#localId) return;
    this.#localId = localId;
    this.#panel?.show();
    this.#changed.fire();
  }

  #choose(): string | undefined {
    const { store } = this.#parts;
    const all = store.list();
    const likely = all.find(waitsForPerson) ?? all.find((each) => !hasEnded(each)) ?? all[0];
    return [this.#inActiveTab(), this.#selected(), likely?.localId].find(
      (id) => id !== undefined && store.summary(id) !== undefined,
    );
  }

  #selected(): string | undefined {
    const [node] = this.#parts.tree.view.selection;
    return node !== undefined && "localId" in node ? node.localId : undefined;
  }

  #inActiveTab(): string | undefined {
    const uri = documentIn(vscode.window.tabGroups.activeTabGroup.activeTab);
    const isOurs = uri?.scheme === executionScheme;
    return isOurs ? this.#parts.documents.summary(uri)?.localId : undefined;
  }

  async #go(to: Place, { activityIn, openDefinition }: Loaded): Promise<void> {
    const { documents, page, store, crews } = this.#parts;
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
    // Only the page shows what a call said.
    const isCall = kind === "model" || kind === "tool";
    if (isCall || page.isPreferred()) await page.reveal(execution, { spanId, takesFocus });
    else await documents.show(execution, taskId, { attempt, keepsFocus: !takesFocus });
  }

  #shown({ activityIn, timelineContent }: Loaded): ToTimeline {
    const { store, clock, circumstances } = this.#parts;
    const execution = this.#localId === undefined ? undefined : store.summary(this.#localId);
    if (execution === undefined)
      return {
        type: "empty",
        text: vscode.l10n.t(
          "Kick off a crew, or select an execution, to see here what happens in it.",
        ),
      };
    const activity = activityIn(store, execution);
    const view = timelineContent(execution, activity, clock.now(), circumstances.of(execution));
    return { type: "show", view };
  }
}
