import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { Disposables } from "../../base/events.ts";
import { messageOf } from "../../base/errors.ts";
import { log, logProblem } from "../../editor/log.ts";
import { plainMessage } from "../../editor/messages.ts";
import type { Execution } from "../../executions/model.ts";
import type { Laid, Seed } from "./content.ts";
import type { FormField } from "./fields.ts";
import type { FormCrew } from "./messages.ts";
import { furnishPanel } from "../panel.ts";
import { FormSession } from "./session.ts";
import type { LoadOptions, SessionOptions } from "../session-options.ts";
import { formTexts } from "../texts.ts";

/** One form in its panel, from opening to closing. */
export class OpenForm {
  readonly #panel: vscode.WebviewPanel;
  readonly #session: FormSession;
  /** The execution that it started, or nothing when it was closed without. */
  readonly started: Promise<Execution | undefined>;

  constructor(
    panel: vscode.WebviewPanel,
    crew: FormCrew,
    begin: {
      readonly seed: Seed;
      readonly takesFocus: boolean;
      readonly extensionUri: vscode.Uri;
      readonly onClosed: () => void;
    },
    options: Omit<SessionOptions, "post" | "newId" | "onToolProblem">,
  ) {
    const owned = new Disposables();
    this.#panel = panel;
    let execution: Execution | undefined;
    this.#session = new FormSession(crew, begin.seed, {
      ...options,
      takesFocus: begin.takesFocus,
      newId: randomUUID,
      onToolProblem: (error) => {
        logProblem("The kickoff form", error);
        void vscode.window.showErrorMessage(plainMessage(messageOf(error)));
      },
      // A hidden panel does not hear; it asks for everything when it shows again.
      post: (message) => void panel.webview.postMessage(message),
      onStarted: (made) => {
        execution = made;
        panel.dispose();
        options.onStarted(made);
      },
    });
    owned.add(panel.webview.onDidReceiveMessage((message: unknown) => this.#receive(message)));
    this.started = new Promise((resolve) => {
      owned.add(
        panel.onDidDispose(() => {
          owned.dispose();
          begin.onClosed();
          void this.#session.close().then(() => resolve(execution));
        }),
      );
    });
    furnishPanel(panel, begin.extensionUri);
  }

  /** Whether the crew's inputs could not be had. */
  get isUnavailable(): boolean {
    return this.#session.isUnavailable;
  }

  /** Shows fields that were known before the window was reloaded. */
  resume(fields: readonly FormField[]): void {
    this.#session.resume(fields);
  }

  /** Asks the crew for its inputs and shows them. */
  load(options: LoadOptions): void {
    void this.#session.load(options);
  }

  /** Brings the form to the front; with these values where some are given, laid over what is there or in its place. */
  show(values: Laid): void {
    if (values.given !== undefined || values.instead !== undefined) this.#session.lay(values);
    this.#panel.reveal();
  }

  /** The crew has another name or address. */
  rename(crew: FormCrew): void {
    this.#panel.title = titleFor(crew);
    this.#session.rename(crew);
  }

  close(): void {
    this.#panel.dispose();
  }

  #receive(message: unknown): void {
    if (isReady(message))
      void this.#panel.webview.postMessage({ type: "texts", texts: formTexts() });
    if (!this.#session.receive(message))
      log.warn("The kickoff form sent a message that cannot be understood; it was ignored.");
  }
}

/** A panel's title. */
export function titleFor(crew: Pick<FormCrew, "name">): string {
  return vscode.l10n.t("Kick off {0}", crew.name);
}

function isReady(message: unknown): boolean {
  return (
    typeof message === "object" && message !== null && "type" in message && message.type === "ready"
  );
}
