import * as vscode from "vscode";
import { actionsOf, messageOf, UserError } from "../../base/errors.ts";
import { logProblem } from "../../editor/log.ts";
import { showError } from "../../editor/messages.ts";
import type { Leader } from "../../store/leader.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import { titleOf } from "../../executions/title.ts";
import { commandOn } from "../../view/actions.ts";
import { eventOf, type News } from "../events.ts";
import { watchEvents } from "../notifications.ts";
import type { SpanParts } from "./exporter.ts";

interface EndsOptions extends SpanParts {
  readonly store: ExecutionStore;
  readonly leader: Pick<Leader, "isThisWindow" | "confirm" | "onDidChange">;
}

/** Sends the spans of each execution that ends, if there is an endpoint: once, from one window. */
export function watchEnds(options: EndsOptions): vscode.Disposable {
  const { store, clock } = options;
  let reported: string | undefined;
  let last = Promise.resolve();
  const send = async (execution: ExecutionSummary) => {
    try {
      const { sendExecution } = await import("./exporter.ts");
      const whole = store.find(execution.localId);
      if (whole !== undefined) await sendExecution(options, whole);
      reported = undefined;
    } catch (error) {
      logProblem("Sending spans of an ended execution", error);
      if (messageOf(error) !== reported) void showError(describe(error, execution));
      reported = messageOf(error);
    }
  };
  const wanted = (execution: ExecutionSummary) => {
    const endpoint: unknown = vscode.workspace.getConfiguration("crewdeck").get("otlpEndpoint");
    const event = endpoint ? eventOf(execution, clock.now()) : undefined;
    return event?.kind === "waiting" ? undefined : event;
  };
  const report = (news: readonly News[]) => {
    // One after the other: an endpoint that doesn't answer is reported once.
    for (const { execution } of news) last = last.then(() => send(execution));
  };
  return watchEvents(options, wanted, report, "spans-");
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
