import * as vscode from "vscode";
import { logProblem } from "../../editor/log.ts";
import type { Lease } from "../../executions/lease.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import { eventOf } from "../events.ts";
import type { EndedExport } from "./ended.ts";
import type { SpanExporterOptions } from "./exporter.ts";

export interface EndsOptions extends SpanExporterOptions {
  readonly store: Pick<ExecutionStore, "claim" | "events" | "find" | "list" | "onDidChange">;
  readonly lease: Pick<Lease, "isHeld" | "confirm" | "onDidChange">;
}

/** Sends the spans of each execution that ends, if there is an endpoint. */
export function watchEnds(options: EndsOptions): vscode.Disposable {
  const { store, lease, clock } = options;
  let loading: Promise<EndedExport> | undefined;
  const look = (executions: readonly ExecutionSummary[]) => {
    const endpoint: unknown = vscode.workspace.getConfiguration("crewdeck").get("otlpEndpoint");
    if (!endpoint || !lease.isHeld) return;
    for (const execution of executions) {
      const event = eventOf(execution, clock.now());
      if (event === undefined || event.kind === "waiting") continue;
      loading ??= import("./ended.ts").then((module) => new module.EndedExport(options));
      loading
        .then((ended) => ended.send(execution.localId, event.key))
        .catch((error: unknown) => logProblem("Sending spans", error));
    }
  };
  return vscode.Disposable.from(
    store.onDidChange(({ added, changed }) => look([...added, ...changed])),
    lease.onDidChange(() => look(store.list())),
  );
}
