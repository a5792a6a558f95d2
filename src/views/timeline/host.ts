import * as vscode from "vscode";
import type { MessageOf } from "../../base/protocol.ts";
import { isInterrupted } from "../../crews/types.ts";
import { documentIn } from "../../editor/execution-uri.ts";
import { executionScheme, viewId } from "../../editor/manifest.ts";
import { Panel } from "../../editor/panel.ts";
import { type ExecutionSummary, hasEnded, waitsForPerson } from "../../executions/model.ts";
import { activityIn } from "../../executions/activity.ts";
import { openDefinition } from "../from-page.ts";
import { timelineContent } from "./content.ts";
import { fromTimeline, type FromTimeline, type ToTimeline } from "./messages.ts";
import type { TimelineParts } from "./register.ts";

type Place = MessageOf<FromTimeline, "reveal" | "define">;

/** The extension's side of the view. It follows the active editor and the selected row. */
export class TimelineHost {
  readonly #view: vscode.WebviewView;
  readonly #parts: TimelineParts;
  readonly #changed: vscode.EventEmitter<void>;
  readonly #panel: Panel<FromTimeline, ToTimeline>;
  #localId: string | undefined;
  /** What a person does is done in order: a double click is also a click. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param changed fires when it shows another execution, or none */
  constructor(
    view: vscode.WebviewView,
    parts: TimelineParts,
    changed: vscode.EventEmitter<void>,
    localId: string | undefined,
  ) {
    this.#view = view;
    this.#parts = parts;
    this.#changed = changed;
    this.#localId = localId;
    const { clock, ready, extensionUri: extension, store, tree, prices } = parts;
    const go = (to: Place) =>
      (this.#last = this.#last.catch(() => undefined).then(() => this.#go(to)));
    this.#panel = new Panel(view, {
      ...{ part: "timeline", name: "The timeline", title: vscode.l10n.t("Timeline"), pace: 100 },
      ...{ clock, extension, ready },
      messages: fromTimeline,
      on: {
        ready: () => {
          this.#localId ??= this.#choose();
          this.#panel.begin();
          changed.fire();
        },
        list: async () => {
          await vscode.commands.executeCommand(`${viewId}.focus`);
        },
        reveal: go,
        define: go,
      },
      view: () => this.#shown(),
    });
    const { onDidChangeTabs, onDidChangeTabGroups } = vscode.window.tabGroups;
    for (const disposable of [
      view.onDidChangeVisibility(() => changed.fire()),
      store.onDidChange(({ added, changed, removed }) => {
        const isShown = ({ localId }: ExecutionSummary) => localId === this.#localId;
        if (this.#localId === undefined || removed.some(isShown)) this.follow(this.#choose());
        else if ([...added, ...changed].some(isShown)) this.#panel.changed();
      }),
      tree.view.onDidChangeSelection(() => this.follow(this.#selected() ?? this.#localId)),
      ...[onDidChangeTabs, onDidChangeTabGroups].map((event) =>
        event(() => this.follow(this.#inActiveTab() ?? this.#localId)),
      ),
      prices.onDidChange(() => this.#panel.changed()),
    ])
      this.#panel.own(disposable);
  }

  get shown(): string | undefined {
    return this.#view.visible ? this.#localId : undefined;
  }

  follow(localId: string | undefined): void {
    if (localId === this.#localId) return;
    this.#localId = localId;
    this.#panel.show();
    this.#changed.fire();
  }

  /** In the active editor, selected, or what a person most likely wants to see. */
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
    return uri?.scheme === executionScheme
      ? this.#parts.documents.summary(uri)?.localId
      : undefined;
  }

  async #go(to: Place): Promise<void> {
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
    if (page.isPreferred()) await page.reveal(execution, { spanId, takesFocus });
    else await documents.show(execution, taskId, { attempt, keepsFocus: !takesFocus });
  }

  #shown(): ToTimeline {
    const { store, crews, clock, prices } = this.#parts;
    const execution = this.#localId === undefined ? undefined : store.summary(this.#localId);
    if (execution === undefined)
      return {
        type: "empty",
        text: vscode.l10n.t(
          "Kick off a crew, or select an execution, to see here what happens in it.",
        ),
      };
    const isHeld = isInterrupted(crews.find(execution.crew.id), execution.kickoffIds);
    const activity = activityIn(store, execution);
    const view = timelineContent(execution, activity, clock.now(), prices.list(), isHeld);
    return { type: "show", view };
  }
}
