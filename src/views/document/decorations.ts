import * as vscode from "vscode";
import type { Clock } from "../../base/clock.ts";
import { type Disposable, Disposables, type Event } from "../../base/events.ts";
import { untilElapsedChanges } from "../../view/words.ts";
import type { CurrentCircumstances } from "../circumstances.ts";
import type { ExecutionDocuments } from "./documents.ts";
import { type Note, notesOf, placeOfWaiting } from "../../view/text.ts";

/** What a visible document shows beside its text: the draft that waits, times, tokens and cost. */
export function decorate(options: {
  readonly documents: Pick<ExecutionDocuments, "summary" | "rendered" | "view">;
  readonly circumstances: Pick<CurrentCircumstances, "onDidChange">;
  readonly store: { readonly onDidChange: Event<unknown> };
  readonly clock: Clock;
}): Disposable {
  const { documents, circumstances, store, clock } = options;
  const { window } = vscode;
  const owned = new Disposables();
  const type = (render: vscode.DecorationRenderOptions) =>
    owned.add(window.createTextEditorDecorationType(render));
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
    },
  });
  let cancelTimes: (() => void) | undefined;
  /** @returns when to show it again (ms) */
  const show = (editor: vscode.TextEditor): number => {
    const { document } = editor;
    const execution = documents.summary(document.uri);
    const [view, rendered] = [documents.view(document.uri), documents.rendered(document)];
    if (execution === undefined || view === undefined || rendered === undefined) return Infinity;
    const now = clock.now();
    const place = placeOfWaiting(execution, rendered);
    editor.setDecorations(
      draft,
      place?.taskId ? [new vscode.Range(place.first, 0, place.last, 0)] : [],
    );
    editor.setDecorations(
      note,
      notesOf(view, rendered, now).map((each) => noteIn(document, each)),
    );
    return typeof view.elapsed === "number" ? untilElapsedChanges(view.elapsed, now) : Infinity;
  };
  const showAll = () => {
    cancelTimes?.();
    const next = Math.min(...window.visibleTextEditors.map(show));
    cancelTimes = next === Infinity ? undefined : clock.after(next, showAll);
  };
  owned.add(window.onDidChangeVisibleTextEditors(showAll));
  owned.add(
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (documents.summary(document.uri) !== undefined) showAll();
    }),
  );
  owned.add(store.onDidChange(showAll));
  owned.add(circumstances.onDidChange(showAll));
  owned.add({ dispose: () => cancelTimes?.() });
  showAll();
  return owned;
}

/** On the empty line below it: VS Code doesn't wrap it, and would cut it off at the end of a long line. */
function noteIn(document: vscode.TextDocument, { line, text }: Note): vscode.DecorationOptions {
  const below = document.lineAt(Math.min(line + 1, document.lineCount - 1));
  const isFree = below.isEmptyOrWhitespace;
  return {
    range: (isFree ? below : document.lineAt(line)).range,
    renderOptions: { after: { contentText: text, margin: isFree ? "0" : "0 0 0 2em" } },
  };
}

/** At the right edge, as high as its line; VS Code takes no theme colour for it. */
function bar(color: string): vscode.Uri {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10" preserveAspectRatio="none"><rect x="7" width="2" height="10" fill="${color}"/></svg>`;
  return vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`);
}
