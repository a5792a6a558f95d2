import * as vscode from "vscode";
import type { Clock } from "../../base/clock.ts";
import { type Disposable, Disposables, type Event } from "../../base/events.ts";
import { hasEnded } from "../../executions/model.ts";
import type { Prices } from "../prices.ts";
import type { ExecutionDocuments } from "./documents.ts";
import { notesOf, waitingLines } from "./notes.ts";

/** How often elapsed times are updated (ms). */
const timesInterval = 10_000;

/** What a visible document shows beside its text: the draft that waits, times, tokens and cost. */
export function decorate(options: {
  readonly documents: Pick<ExecutionDocuments, "execution" | "findExecution" | "rendered">;
  readonly prices: Pick<Prices, "list" | "onDidChange">;
  readonly store: { readonly onDidChange: Event<unknown> };
  readonly clock: Clock;
}): Disposable {
  const { documents, prices, store, clock } = options;
  const { window } = vscode;
  const owned = new Disposables();
  const type = (render: vscode.DecorationRenderOptions) =>
    owned.add(window.createTextEditorDecorationType(render));
  const strong = type({ fontWeight: "bold" });
  const draft = type({
    isWholeLine: true,
    // A border of the lines would cross their first letters.
    light: { gutterIconPath: bar("#855f00") },
    dark: { gutterIconPath: bar("#cca700") },
    gutterIconSize: "100% 100%",
    overviewRulerColor: new vscode.ThemeColor("list.warningForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  const note = type({
    after: {
      color: new vscode.ThemeColor("descriptionForeground"),
      fontStyle: "normal",
      fontWeight: "normal",
      margin: "0 0 0 2em",
    },
  });
  let cancelTimes: (() => void) | undefined;
  const show = (editor: vscode.TextEditor): boolean => {
    const { document } = editor;
    if (documents.findExecution(document) === undefined) return false;
    const [execution, rendered] = [documents.execution(document.uri), documents.rendered(document)];
    if (execution === undefined || rendered === undefined) return false;
    const draftLines = waitingLines(execution, rendered);
    editor.setDecorations(
      draft,
      draftLines ? [new vscode.Range(draftLines[0], 0, draftLines[1], 0)] : [],
    );
    editor.setDecorations(
      strong,
      rendered.strong.map(({ line, from, to }) => new vscode.Range(line, from, line, to)),
    );
    editor.setDecorations(
      note,
      notesOf(execution, rendered, prices.list(), clock.now()).map(({ line, text }) => ({
        range: document.lineAt(line).range,
        renderOptions: { after: { contentText: text } },
      })),
    );
    return !hasEnded(execution);
  };
  const showAll = () => {
    cancelTimes?.();
    const isRunning = window.visibleTextEditors.map(show).includes(true);
    cancelTimes = isRunning ? clock.after(timesInterval, showAll) : undefined;
  };
  owned.add(window.onDidChangeVisibleTextEditors(showAll));
  owned.add(
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (documents.findExecution(document) !== undefined) showAll();
    }),
  );
  owned.add(store.onDidChange(showAll));
  owned.add(prices.onDidChange(showAll));
  owned.add({ dispose: () => cancelTimes?.() });
  showAll();
  return owned;
}

/** At the right edge, as high as its line; VS Code takes no theme colour for it. */
function bar(color: string): vscode.Uri {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10" preserveAspectRatio="none"><rect x="7" width="2" height="10" fill="${color}"/></svg>`;
  return vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`);
}
