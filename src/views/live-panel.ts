import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import { type Disposable, Disposables } from "../base/events.ts";
import { log, logProblem } from "../editor/log.ts";
import { showError } from "../editor/messages.ts";
import { showPage } from "../editor/webview-page.ts";
import { type ExecutionSummary, keyOf } from "../executions/model.ts";
import { webAddress } from "./page/parse.ts";

interface LivePanelOptions<From, To> {
  readonly page: "page" | "comparison";
  /** For the log. */
  readonly name: string;
  /** The page is updated at most this often (ms). */
  readonly pace: number;
  readonly clock: Clock;
  readonly extension: vscode.Uri;
  /** Resolves when the executions are read. */
  readonly ready: Promise<unknown>;
  /** Undefined for an invalid message. */
  readonly parse: (raw: unknown) => From | undefined;
  /** What the page shows now. */
  readonly view: () => To;
  /** Its errors are shown. */
  readonly act: (message: From) => Promise<void> | void;
}

/** A tab whose page shows what changes, in place. */
export class LivePanel<From, To> {
  readonly #panel: vscode.WebviewPanel;
  readonly #options: LivePanelOptions<From, To>;
  readonly #owned = new Disposables();
  #shownAt = -Infinity;
  #cancelShow: (() => void) | undefined;
  #isReady = false;
  #isClosed = false;

  constructor(panel: vscode.WebviewPanel, options: LivePanelOptions<From, To>) {
    this.#panel = panel;
    this.#options = options;
    this.own(panel.webview.onDidReceiveMessage((message) => this.#receive(message)));
    // A hidden page gets no messages; it asks for everything when it is shown again.
    this.own(panel.onDidChangeViewState(() => (this.#isReady &&= panel.visible)));
    panel.onDidDispose(() => {
      this.#isClosed = true;
      this.#isReady = false;
      this.#cancelShow?.();
      this.#owned.dispose();
    });
    showPage(panel.webview, options.extension, options.page, panel.title);
  }

  /** Whether the page gets messages. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** A person can close the tab while something is awaited. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Disposes it with the tab. */
  own(disposable: Disposable): void {
    this.#owned.add(disposable);
  }

  /** The page's script runs. */
  begin(): void {
    if (this.#isClosed) return;
    this.#isReady = true;
    this.show();
  }

  post(message: To): void {
    if (this.#isReady) void this.#panel.webview.postMessage(message);
  }

  /** Shows a change at once, several in a row together. */
  changed(): void {
    if (!this.#isReady || this.#cancelShow !== undefined) return;
    const { clock, pace } = this.#options;
    const wait = Math.max(0, this.#shownAt + pace - clock.now());
    this.#cancelShow = clock.after(wait, () => this.show());
  }

  show(): void {
    const { clock, view, name } = this.#options;
    this.#cancelShow?.();
    this.#cancelShow = undefined;
    this.#shownAt = clock.now();
    try {
      this.post(view());
    } catch (error) {
      logProblem(name, error);
    }
  }

  #receive(raw: unknown): void {
    const { parse, name } = this.#options;
    const message = parse(raw);
    if (message === undefined) {
      log.warn(`${name} sent an invalid message; it was ignored.`);
      return;
    }
    this.#act(message).catch((error: unknown) => {
      logProblem(name, error);
      void showError(error);
    });
  }

  async #act(message: From): Promise<void> {
    await this.#options.ready;
    await this.#options.act(message);
  }
}

/** A link of an output. Nothing but a web or mail address is opened, such as a command. */
export async function openLink(href: string): Promise<void> {
  const address = webAddress(href);
  // VS Code asks before it opens an address that the person doesn't trust yet.
  if (address !== undefined) await vscode.env.openExternal(vscode.Uri.parse(address, true));
}

/** Runs a command of an execution as a lens does. */
export async function runCommand(
  command: string,
  execution: ExecutionSummary,
  more = {},
): Promise<void> {
  const target = { crew: execution.crew.id, kickoffId: keyOf(execution), fromLens: true };
  await vscode.commands.executeCommand(`crewdeck.${command}`, { ...target, ...more });
}
