import * as vscode from "vscode";
import { actionsOf, messageOf, UserError } from "../../base/errors.ts";
import { logProblem } from "../../editor/log.ts";
import { showError } from "../../editor/messages.ts";
import type { Leader } from "../../store/leader.ts";
import type { Execution, ExecutionSummary } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import { titleOf } from "../../executions/title.ts";
import { commandOn } from "../../view/actions.ts";
import { eventOf } from "../events.ts";
import type { SpanParts } from "./exporter.ts";

interface EndsOptions extends SpanParts {
  readonly store: Pick<ExecutionStore, "claim" | "events" | "find" | "list" | "onDidChange">;
  readonly leader: Pick<Leader, "isThisWindow" | "confirm" | "onDidChange">;
}

/** Sends the spans of each execution that ends, if there is an endpoint: once, from one window. */
export function watchEnds(options: EndsOptions): vscode.Disposable {
  const { store, leader, clock } = options;
  const seen = new Set<string>();
  /** The problem that was shown, if nothing was sent since. */
  let reported: string | undefined;
  let last = Promise.resolve();
  const send = async (localId: string, event: string) => {
    let claimed: Execution | undefined;
    try {
      const execution = store.find(localId);
      // Then the next change tries again.
      if (!leader.confirm()) seen.delete(event);
      else if (execution !== undefined && store.claim(`spans-${event}`, localId)) {
        claimed = execution;
        await (await import("./exporter.ts")).sendExecution(options, execution);
        reported = undefined;
      }
    } catch (error) {
      logProblem("Sending spans of an ended execution", error);
      if (claimed === undefined) seen.delete(event);
      else {
        if (messageOf(error) !== reported) void showError(describe(error, claimed));
        reported = messageOf(error);
      }
    }
  };
  const look = (executions: readonly ExecutionSummary[]) => {
    const endpoint: unknown = vscode.workspace.getConfiguration("crewdeck").get("otlpEndpoint");
    if (!endpoint || !leader.isThisWindow) return;
    for (const execution of executions) {
      const event = eventOf(execution, clock.now());
      if (event === undefined || event.kind === "waiting" || seen.has(event.key)) continue;
      seen.add(event.key);
      // One after the other: an endpoint that doesn't answer is reported once.
      last = last.then(() => send(execution.localId, event.key));
    }
  };
  return vscode.Disposable.from(
    store.onDidChange(({ added, changed }) => look([...added, ...changed])),
    leader.onDidChange(() => look(store.list())),
  );
}

function describe(error: unknown, execution: ExecutionSummary): UserError {
  const title = vscode.l10n.t("Send Spans");
  const again = commandOn(execution, "exportExecution", title, { format: "endpoint" });
  return new UserError(
    vscode.l10n.t(
      "The spans of “{0}” could not be sent. {1} If that happens again, it is only logged.",
      titleOf(execution),
      messageOf(error),
    ),
    [again, ...actionsOf(error)],
  );
}
