import type { Clock } from "../base/clock.ts";
import type { Disposable } from "../base/events.ts";
import type { Lease } from "../executions/lease.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Database } from "../store/database.ts";
import { recoverSends } from "./recover.ts";
import { CallbackSecrets, type SecretStorage } from "./secrets.ts";
import { Sends } from "./sends.ts";

/** What {@link Sending} works with. */
export interface SendingOptions {
  readonly database: Database;
  readonly store: ExecutionStore;
  readonly lease: Pick<Lease, "onDidChange">;
  readonly clock: Clock;
  /** Keeps the secrets of callbacks. */
  readonly storage: SecretStorage;
  readonly onProblem: (message: string, error: unknown) => void;
}

/** What was sent and costs money, and the secrets that go with it. */
export class Sending implements Disposable {
  readonly #options: SendingOptions;
  readonly sends: Sends;
  /** Secrets of callbacks, which every resume sends again. */
  readonly secrets: CallbackSecrets;
  readonly #subscription: Disposable;

  constructor(options: SendingOptions) {
    this.#options = options;
    const { database, store, lease, clock, storage, onProblem } = options;
    this.sends = new Sends(database, clock);
    this.secrets = new CallbackSecrets({ storage, database, store, onProblem });
    // The window that polled before may have died while it was sending.
    this.#subscription = lease.onDidChange((isHeld) => {
      if (isHeld) this.#recover();
    });
  }

  /** Looks through what a crash may have left behind. */
  begin(): void {
    this.#recover();
    this.secrets
      .sweep()
      .catch((error: unknown) =>
        this.#options.onProblem(
          "Secrets of callbacks that are not needed any more could not be looked through.",
          error,
        ),
      );
  }

  /** The executions for which a kickoff or feedback is being sent right now, in whichever window. What "may have been sent" is not. */
  now(): readonly ExecutionSummary[] {
    const { store } = this.#options;
    store.refresh();
    const sent = new Set(this.sends.underWay().map(({ localId }) => localId));
    return store.list().filter(({ localId }) => sent.has(localId));
  }

  dispose(): void {
    this.#subscription.dispose();
    this.secrets.dispose();
  }

  #recover(): void {
    try {
      recoverSends({ store: this.#options.store, sends: this.sends });
    } catch (error) {
      this.#options.onProblem("What was being sent could not be looked through.", error);
    }
  }
}
