import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import type { Outbox } from "../sending/outbox.ts";

const interval = 1_000;

/** Which kickoffs are being sent, in any window. */
export class Kickoffs implements vscode.Disposable {
  readonly #outbox: Pick<Outbox, "isUnderWay">;
  readonly #clock: Clock;
  /** Local IDs of executions shown while being kicked off. */
  readonly #shown = new Set<string>();
  readonly #ended = new vscode.EventEmitter<readonly string[]>();
  #cancel: (() => void) | undefined;
  /** Fires with local IDs, since a failed request doesn't change its execution. */
  readonly onDidEnd = this.#ended.event;

  constructor(outbox: Pick<Outbox, "isUnderWay">, clock: Clock) {
    this.#outbox = outbox;
    this.#clock = clock;
  }

  isUnderWay({ state, localId }: ExecutionSummary): boolean {
    if (state !== "unconfirmed" || !this.#isSending(localId)) return false;
    this.#shown.add(localId);
    this.#cancel ??= this.#clock.after(interval, () => this.#check());
    return true;
  }

  dispose(): void {
    this.#cancel?.();
    this.#ended.dispose();
  }

  #check(): void {
    const ended = [...this.#shown].filter((localId) => !this.#isSending(localId));
    for (const localId of ended) this.#shown.delete(localId);
    this.#cancel =
      this.#shown.size === 0 ? undefined : this.#clock.after(interval, () => this.#check());
    if (ended.length > 0) this.#ended.fire(ended);
  }

  #isSending(localId: string): boolean {
    try {
      return this.#outbox.isUnderWay({ kind: "kickoff", localId });
    } catch {
      // The database can't be read, which is reported elsewhere.
      return false;
    }
  }
}
