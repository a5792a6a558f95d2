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

export interface TimelineOptions {
  readonly extensionUri: vscode.Uri;
  readonly store: Pick<ExecutionStore, "events" | "find" | "list" | "summary" | "onDidChange">;
  readonly crews: Pick<Crews, "find" | "list">;
  readonly documents: Pick<ExecutionDocuments, "summary" | "show" | "uriOf">;
  readonly page: Pick<Pages, "isPreferred" | "reveal">;
  readonly prices: Pick<Prices, "list" | "onDidChange">;
  readonly tree: Pick<ExecutionTree, "view">;
  readonly clock: Clock;
  /** Resolves when executions are read. */
  readonly ready: Promise<unknown>;
}

export type Timeline = ReturnType<typeof registerTimeline>;

/** The timeline in the panel. Its code is loaded when it is first shown, or used by a command. */
export function registerTimeline(options: TimelineOptions) {
  const changed = new vscode.EventEmitter<void>();
  let host: TimelineHost | undefined;
  let loading: Promise<TimelineHost> | undefined;
  const load = () =>
    (loading ??= import("./host.ts").then(
      ({ TimelineHost }) => (host = new TimelineHost(options, changed)),
    ));
  const registration = vscode.window.registerWebviewViewProvider(timelineId, {
    resolveWebviewView: async (view) => (await load()).open(view),
  });
  return {
    /** The local ID of the execution in view. */
    get shown() {
      return host?.shown;
    },
    onDidChangeShown: changed.event,
    async show(execution: ExecutionSummary): Promise<void> {
      (await load()).follow(execution.localId);
      await vscode.commands.executeCommand(`${timelineId}.focus`);
    },
    dispose() {
      host?.dispose();
      registration.dispose();
      changed.dispose();
    },
  };
}
