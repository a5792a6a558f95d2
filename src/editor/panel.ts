import { randomBytes } from "node:crypto";
import type { GenericSchema } from "valibot";
import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import { NothingToDo } from "../base/errors.ts";
import { type Disposable, Disposables } from "../base/events.ts";
import { handle, type Handlers, type Message } from "../base/protocol.ts";
import { log, logProblem } from "./log.ts";
import { showError } from "./messages.ts";
import { webviewHtml } from "./webview-html.ts";

interface PanelOptions<From extends Message, To extends Message> {
  readonly part: "form" | "timeline" | "page" | "comparison" | "batch";
  readonly title: string;
  readonly clock: Clock;
  readonly extension: vscode.Uri;
  /** Resolves when the executions are read. */
  readonly ready: Promise<unknown>;
  /** What the page may send: it isn't trusted. */
  readonly messages: GenericSchema<unknown, From>;
  readonly on: Handlers<From>;
  /** What the page shows now; undefined if it is only posted. */
  readonly view?: () => To;
}

/** What a page shows is updated at most this often (ms), and less often if that is much. */
const pace = 100;

/** A page of the web application in a tab or in a view. It shows what changes, in place. */
export class Panel<From extends Message, To extends Message> {
  readonly #webview: vscode.Webview;
  readonly #options: PanelOptions<From, To>;
  readonly #owned = new Disposables();
  #nextAt = -Infinity;
  #cancelShow: (() => void) | undefined;
  #isReady = false;
  /** A person can close the tab while something is awaited. */
  #isClosed = false;

  constructor(place: vscode.WebviewPanel | vscode.WebviewView, options: PanelOptions<From, To>) {
    this.#webview = place.webview;
    this.#options = options;
    this.own(place.webview.onDidReceiveMessage((message) => this.#receive(message)));
    const onDidChangeVisible =
      "reveal" in place ? place.onDidChangeViewState : place.onDidChangeVisibility;
    // A hidden page gets no messages; it asks for everything when it is shown again.
    this.own(onDidChangeVisible(() => (this.#isReady &&= place.visible)));
    place.onDidDispose(() => {
      this.#isClosed = true;
      this.#isReady = false;
      this.#cancelShow?.();
      this.#owned.dispose();
    });
    const { extension, part, title } = options;
    const folder = vscode.Uri.joinPath(extension, "dist", "webview");
    const uriOf = (file: string) =>
      place.webview.asWebviewUri(vscode.Uri.joinPath(folder, file)).toString();
    // The page may read nothing but the web application's files.
    place.webview.options = { enableScripts: true, localResourceRoots: [folder] };
    place.webview.html = webviewHtml({
      ...{ language: vscode.env.language, title, cspSource: place.webview.cspSource },
      ...{ scriptUri: uriOf(`${part}.js`), styleUri: uriOf(`${part}.css`) },
      nonce: randomBytes(16).toString("base64url"),
      translations: vscode.l10n.bundle,
    });
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  own(disposable: Disposable): void {
    this.#owned.add(disposable);
  }

  begin(): void {
    if (this.#isClosed) return;
    this.#isReady = true;
    this.show();
  }

  post(message: To): void {
    if (this.#isReady) void this.#webview.postMessage(message);
  }

  /** Shows a change at once, several in a row together. */
  changed(): void {
    if (!this.#isReady || this.#cancelShow !== undefined) return;
    const { clock } = this.#options;
    const wait = Math.max(0, this.#nextAt - clock.now());
    this.#cancelShow = clock.after(wait, () => this.show());
  }

  show(): void {
    const { clock, view, part } = this.#options;
    this.#cancelShow?.();
    this.#cancelShow = undefined;
    if (!this.#isReady || view === undefined) return;
    const began = clock.now();
    try {
      this.post(view());
    } catch (error) {
      logProblem("Showing a page", error, part);
    }
    // The browser has as much to do with it, and a person wants to use it.
    this.#nextAt = began + Math.max(pace, 20 * (clock.now() - began));
  }

  async #receive(raw: unknown): Promise<void> {
    const { messages, part, ready, on } = this.#options;
    const { safeParse } = await import("./arguments.ts");
    const result = safeParse(messages, raw);
    if (!result.success) {
      log.warn(`The page “${part}” sent an invalid message; it was ignored.`);
      return;
    }
    try {
      await ready;
      await handle(on, result.output);
    } catch (error) {
      if (!(error instanceof NothingToDo)) logProblem("What a page asked for", error, part);
      void showError(error);
    }
  }
}
