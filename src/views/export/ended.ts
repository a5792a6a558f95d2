import * as vscode from "vscode";
import { actionsOf, messageOf, UserError } from "../../base/errors.ts";
import { logProblem } from "../../editor/log.ts";
import { showError } from "../../editor/messages.ts";
import { type Execution, type ExecutionSummary, keyOf } from "../../executions/model.ts";
import { titleOf } from "../../executions/title.ts";
import { exportAction } from "./endpoint.ts";
import { SpanExporter } from "./exporter.ts";
import type { EndsOptions } from "./register.ts";

/** Sends the spans of executions that have just ended: once, from one window. */
export class EndedExport {
  readonly #options: EndsOptions;
  readonly #exporter: SpanExporter;
  readonly #seen = new Set<string>();
  /** The problem that was shown, if nothing was sent since. */
  #reported: string | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(options: EndsOptions) {
    this.#options = options;
    this.#exporter = new SpanExporter(options);
  }

  /** @param event of its end */
  async send(localId: string, event: string): Promise<void> {
    if (this.#seen.has(event)) return;
    this.#seen.add(event);
    // One after the other: an endpoint that doesn't answer is reported once.
    await (this.#last = this.#last.then(() => this.#send(localId, event)));
  }

  async #send(localId: string, event: string): Promise<void> {
    const execution = this.#claim(localId, event);
    if (execution === undefined) return;
    try {
      await this.#exporter.send(execution);
      this.#reported = undefined;
    } catch (error) {
      logProblem("Sending spans of an ended execution", error);
      if (messageOf(error) !== this.#reported) void showError(describe(error, execution));
      this.#reported = messageOf(error);
    }
  }

  /** The execution, if it is still known and no window has sent its spans. */
  #claim(localId: string, event: string): Execution | undefined {
    const { store, lease } = this.#options;
    try {
      const execution = store.find(localId);
      if (execution === undefined) return undefined;
      if (lease.confirm()) return store.claim(`spans-${event}`, localId) ? execution : undefined;
    } catch (error) {
      logProblem("Sending spans of an ended execution", error);
    }
    // The next change tries again.
    this.#seen.delete(event);
    return undefined;
  }
}

function describe(error: unknown, execution: ExecutionSummary): UserError {
  const named = { crew: execution.crew.id, kickoffId: keyOf(execution) };
  const again = exportAction(vscode.l10n.t("Send Spans"), { ...named, format: "endpoint" });
  return new UserError(
    vscode.l10n.t(
      "The spans of “{0}” could not be sent. {1} If that happens again, it is only logged.",
      titleOf(execution),
      messageOf(error),
    ),
    [again, ...actionsOf(error)],
  );
}
