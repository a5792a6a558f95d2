import * as vscode from "vscode";
import type { Clock } from "../../base/clock.ts";
import type { Crews } from "../../crews/crews.ts";
import { timelineId } from "../../editor/manifest.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import type { ExecutionDocuments } from "../document/documents.ts";
import type { Pages } from "../page/register.ts";
import type { Prices } from "../prices.ts";
import type { ExecutionTree } from "../tree/tree.ts";
import type { TimelineHost } from "./host.ts";

export interface TimelineParts {
  readonly extensionUri: vscode.Uri;
  readonly store: ExecutionStore;
  readonly crews: Crews;
  readonly documents: ExecutionDocuments;
  readonly page: Pages;
  readonly prices: Prices;
  readonly tree: ExecutionTree;
  readonly clock: Clock;
  /** Resolves when executions are read. */
  readonly ready: Promise<unknown>;
}

/** The timeline in the panel. Its code is loaded when it is first shown. */
export class Timeline implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #registration: vscode.Disposable;
  readonly onDidChangeShown = this.#changed.event;
  #host: TimelineHost | undefined;
  /** The local ID of the execution to show next. */
  #asked: string | undefined;

  constructor(parts: TimelineParts) {
    this.#registration = vscode.window.registerWebviewViewProvider(timelineId, {
      resolveWebviewView: async (view) => {
        const { TimelineHost } = await import("./host.ts");
        const host = new TimelineHost(view, parts, this.#changed, this.#asked);
        this.#host = host;
        view.onDidDispose(() => {
          // There may be another already.
          if (this.#host === host) this.#host = undefined;
          this.#changed.fire();
        });
        this.#changed.fire();
      },
    });
  }

  /** The local ID of the execution in view. */
  get shown(): string | undefined {
    return this.#host?.shown;
  }

  async show({ localId }: ExecutionSummary): Promise<void> {
    this.#asked = localId;
    this.#host?.follow(localId);
    await vscode.commands.executeCommand(`${timelineId}.focus`);
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}
