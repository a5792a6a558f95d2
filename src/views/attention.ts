import * as vscode from "vscode";
import { activeDocument, documentIn } from "../editor/execution-uri.ts";
import {
  batchType,
  comparisonType,
  executionScheme,
  formType,
  setContext,
} from "../editor/manifest.ts";
import { type ExecutionSummary, waitsForPerson } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Poller } from "../executions/poller.ts";
import type { Database } from "../store/database.ts";
import { answersTo, canAnswer } from "../view/actions.ts";
import type { CurrentCircumstances } from "./circumstances.ts";
import type { PageTabs } from "../editor/page-tabs.ts";
import type { ExecutionDocuments } from "./document/documents.ts";
import type { Pages } from "./page/register.ts";
import type { Timeline } from "./timeline/timeline.ts";
import type { ExecutionTree } from "./tree/tree.ts";

export function watchAttention(
  poller: Pick<Poller, "attend">,
  database: Pick<Database, "look" | "setVisible">,
  { view }: { readonly view: Pick<ExecutionTree["view"], "visible" | "onDidChangeVisibility"> },
  documents: Pick<ExecutionDocuments, "summary">,
  timeline: Pick<Timeline, "shown" | "onDidChangeShown">,
  ...pages: readonly Pick<PageTabs<never>, "shown" | "onDidChangeShown">[]
): vscode.Disposable {
  const { tabGroups } = vscode.window;
  const update = () => {
    const open = new Set([
      ...visibleDocuments().flatMap((uri) => documents.summary(uri)?.localId ?? []),
      ...pages.flatMap(({ shown }) => shown),
      ...(timeline.shown === undefined ? [] : [timeline.shown]),
    ]);
    poller.attend({ isListVisible: view.visible, isFocused: vscode.window.state.focused, open });
    const isOneShown = tabGroups.all.some(
      ({ activeTab: tab }) => documentIn(tab)?.scheme === executionScheme || isOurPanel(tab?.input),
    );
    database.setVisible(view.visible || timeline.shown !== undefined || isOneShown);
  };
  update();
  return vscode.Disposable.from(
    view.onDidChangeVisibility(update),
    timeline.onDidChangeShown(update),
    ...pages.map(({ onDidChangeShown }) => onDidChangeShown(update)),
    tabGroups.onDidChangeTabs(update),
    tabGroups.onDidChangeTabGroups(update),
    vscode.window.onDidChangeWindowState(({ focused }) => {
      update();
      if (focused) database.look();
    }),
    vscode.window.onDidChangeVisibleTextEditors(update),
  );
}

/** VS Code adds a prefix to a panel's type (observed). */
export function isOurPanel(input: unknown): boolean {
  return (
    input instanceof vscode.TabInputWebview &&
    [formType, comparisonType, batchType].some((type) => input.viewType.endsWith(type))
  );
}

export function watchWaitingHere(
  documents: Pick<ExecutionDocuments, "summary" | "showsWaiting">,
  circumstances: Pick<CurrentCircumstances, "of" | "onDidChange">,
  store: Pick<ExecutionStore, "list" | "onDidChange">,
): vscode.Disposable {
  const look = () => {
    const uri = activeDocument();
    const here = uri && documents.summary(uri);
    const waits =
      uri !== undefined &&
      here?.waiting !== undefined &&
      documents.showsWaiting(uri, here) &&
      canAnswer(answersTo(here, circumstances.of(here)));
    setContext("crewdeck.waitingHere", waits);
    setContext(
      "crewdeck.othersWait",
      store.list().some((each) => waitsForPerson(each) && each.localId !== here?.localId),
    );
    setContext("crewdeck.asksHere", waits && here.waiting.options !== undefined);
  };
  look();
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveTextEditor(look),
    vscode.window.tabGroups.onDidChangeTabs(look),
    vscode.window.tabGroups.onDidChangeTabGroups(look),
    store.onDidChange(look),
    circumstances.onDidChange(look),
  );
}

export function isInFront(
  documents: Pick<ExecutionDocuments, "summary">,
  { opening }: Pick<Pages, "opening">,
  { localId }: ExecutionSummary,
): boolean {
  const isIts = (uri: vscode.Uri) => documents.summary(uri)?.localId === localId;
  return vscode.window.state.focused && (opening.has(localId) || visibleDocuments().some(isIts));
}

export function visibleDocuments(): readonly vscode.Uri[] {
  const texts = vscode.window.visibleTextEditors.map(({ document }) => document.uri);
  // Of a tab that has just been opened, the editor isn't visible yet.
  const tabs = vscode.window.tabGroups.all.flatMap(({ activeTab }) => documentIn(activeTab) ?? []);
  return [...texts, ...tabs];
}
