import * as vscode from "vscode";
import type { Clock } from "../../base/clock.ts";
import { Disposables, Emitter } from "../../base/events.ts";
import type { Crews } from "../../crews/crews.ts";
import { logProblem } from "../../editor/log.ts";
import { timelineId } from "../../editor/manifest.ts";
import type { Execution, ExecutionSummary } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import type { ExecutionDocuments } from "../document/documents.ts";
import type { PageRoom } from "../page/register.ts";
import type { Prices } from "../prices.ts";
import type { TreeRoom } from "../tree/register.ts";
import type { TimelineHost } from "./host.ts";

export interface TimelineOptions {
  readonly extensionUri: vscode.Uri;
  readonly store: Pick<ExecutionStore, "events" | "find" | "list" | "summary" | "onDidChange">;
  readonly crews: Pick<Crews, "find" | "list">;
  readonly documents: Pick<ExecutionDocuments, "summary" | "show" | "uriOf">;
  readonly page: Pick<PageRoom, "isPreferred" | "reveal">;
  readonly prices: Pick<Prices, "list" | "onDidChange">;
  readonly tree: Pick<TreeRoom, "view">;
  readonly clock: Clock;
  /** Resolves when executions are read. */
  readonly ready: Promise<unknown>;
}

/** The timeline in the panel. Its code is loaded when it is first shown, or used by a command. */
export class Timeline implements vscode.Disposable {
  readonly #options: TimelineOptions;
  readonly #owned = new Disposables();
  readonly #changes = this.#owned.add(
    new Emitter<void>((error) => logProblem("Following the timeline", error)),
  );
  /** Fires when it shows another execution, or none. */
  readonly onDidChangeShown = this.#changes.event;
  #host: Promise<TimelineHost> | undefined;
  #shown: string | undefined;

  constructor(options: TimelineOptions) {
    this.#options = options;
    this.#owned.add(
      vscode.window.registerWebviewViewProvider(timelineId, {
        resolveWebviewView: async (view) => (await this.#load()).open(view),
      }),
    );
  }

  /** The local ID of the execution in view. */
  get shown(): string | undefined {
    return this.#shown;
  }

  async show(execution: ExecutionSummary): Promise<void> {
    const host = await this.#load();
    host.follow(execution.localId);
    await vscode.commands.executeCommand(`${timelineId}.focus`);
  }

  /** As in view. */
  async picture(execution: Execution): Promise<string> {
    return (await this.#load()).picture(execution);
  }

  /** As in view. */
  async markdown(execution: Execution): Promise<string> {
    return (await this.#load()).markdown(execution);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #load(): Promise<TimelineHost> {
    return (this.#host ??= import("./host.ts").then(({ TimelineHost }) =>
      this.#owned.add(
        new TimelineHost(this.#options, (shown) => {
          if (shown === this.#shown) return;
          this.#shown = shown;
          this.#changes.fire();
        }),
      ),
    ));
  }
}
