import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { beginWhenNeeded } from "./begin.ts";
import type { ClearScope } from "./clearing.ts";
import type { Disposable } from "../base/events.ts";
import type { Database } from "../store/database.ts";
import { Intents } from "./intents.ts";
import { Lease } from "./lease.ts";
import { hasEnded } from "./model.ts";
import { recoverSends } from "./recover.ts";
import { removeWhole, type Unremoved } from "./remove-whole.ts";
import { Retention } from "./retention.ts";
import { CallbackSecrets, type SecretStorage } from "./secrets.ts";
import { ExecutionStore } from "./store.ts";
import { sweepTold } from "./sweep-told.ts";
import { Tracker, type TrackerOptions } from "./tracker.ts";

/** What the room of executions needs from outside. */
export interface ExecutionsOptions extends Pick<TrackerOptions, "clientFor" | "onProblem"> {
  readonly database: Database;
  /** Where claims and the lease are kept; shared by all windows. */
  readonly folder: string;
  readonly clock: Clock;
  /** How many ended executions are kept; 0 keeps all. */
  readonly keepEnded: () => number;
  /** Keeps the secrets of callbacks. */
  readonly secrets: SecretStorage;
}

/** Everything about tracked executions: what is kept, what was sent, who watches. */
export class Executions implements Disposable {
  readonly store: ExecutionStore;
  /** Claims of what is sent. */
  readonly intents: Intents;
  /** What a person was told of already, in whichever window. */
  readonly told: Intents;
  /** Secrets of callbacks, which every resume sends again. */
  readonly secrets: CallbackSecrets;
  readonly lease: Lease;
  readonly tracker: Tracker;
  readonly #clock: Clock;
  readonly #onProblem: ExecutionsOptions["onProblem"];
  readonly #keepEnded: ExecutionsOptions["keepEnded"];
  /** What watching needs. */
  #begin: () => Promise<void> = () => Promise.resolve();
  readonly #folder: string;
  #retention: Disposable | undefined;
  #beginning: Disposable | undefined;
  #recovering: Disposable | undefined;
  #clearing: Disposable | undefined;
  /** Settles when a beginning that is under way is over. */
  #begun: Promise<void> = Promise.resolve();
  #isDisposed = false;

  constructor({
    database,
    folder,
    clock,
    keepEnded,
    secrets,
    clientFor,
    onProblem,
  }: ExecutionsOptions) {
    this.#folder = folder;
    this.#clock = clock;
    this.#keepEnded = keepEnded;
    this.#onProblem = onProblem;
    this.store = new ExecutionStore({ database, clock, onProblem });
    this.intents = new Intents(join(folder, "intents"));
    this.told = new Intents(join(folder, "told"));
    this.secrets = new CallbackSecrets({
      storage: secrets,
      marks: new Intents(join(folder, "secrets")),
      store: this.store,
      onProblem,
    });
    this.lease = new Lease({
      file: join(folder, "lease.json"),
      clock,
      owner: randomUUID(),
      onProblem,
    });
    this.tracker = new Tracker({
      store: this.store,
      lease: this.lease,
      clock,
      clientFor,
      onProblem,
    });
  }

  /** Reads what is kept. Watching begins later, and only if something has not ended; `begin` is called when it does, and not waited for. */
  open(begin: () => Promise<void>): void {
    this.store.open();
    this.#begin = begin;
    this.#wait();
    this.#clearing = this.store.onDidClear(() => {
      this.#rest()
        .catch((error: unknown) => this.#onProblem("Watching executions could not end.", error))
        .finally(() => this.#wait());
    });
  }

  /**
   * Deletes all that is kept of executions, in all windows: records, claims, what was told, secrets of callbacks. Watching rests and
   * begins anew with the next execution. Not to be called while something is being sent (`sendingNow`). @returns what could not be deleted
   */
  async clear(scope: ClearScope): Promise<readonly Unremoved[]> {
    await this.#rest();
    try {
      const secrets = await this.secrets.forgetAll();
      const left = secrets.map((error): Unremoved => ({
        path: join(this.#folder, "secrets"),
        error,
      }));
      // Without their marks, secrets that could not be deleted would stay for ever.
      const folders = [
        "intents",
        "told",
        "lease.json",
        ...(secrets.length === 0 ? ["secrets"] : []),
      ];
      this.store.clear(scope);
      for (const name of folders) left.push(...(await removeWhole(join(this.#folder, name))));
      return left;
    } finally {
      this.#wait();
    }
  }

  /** Whether an execution of a crew has not ended. */
  hasOpen(crewId: string): boolean {
    return this.store
      .list()
      .some((execution) => execution.crew.id === crewId && !hasEnded(execution));
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#clearing?.dispose();
    this.#beginning?.dispose();
    this.#recovering?.dispose();
    this.#retention?.dispose();
    this.tracker.dispose();
    this.lease.dispose();
    this.secrets.dispose();
    this.store.dispose();
  }

  /** Watching begins when there is something to watch. */
  #wait(): void {
    this.#beginning?.dispose();
    if (this.#isDisposed) return;
    this.#beginning = beginWhenNeeded(this.store, this.#clock, () => {
      this.#begun = this.#watch().catch((error: unknown) =>
        this.#onProblem("Watching executions could not begin.", error),
      );
    });
  }

  /** Watching ends until there is something again. */
  async #rest(): Promise<void> {
    this.#beginning?.dispose();
    await this.#begun;
    this.#recovering?.dispose();
    this.#retention?.dispose();
    this.tracker.stop();
    await this.lease.stop();
  }

  async #watch(): Promise<void> {
    await this.#recover();
    // The window may have closed meanwhile: what is begun now would not end.
    if (this.#isDisposed) return;
    // The window that polled before may have died while it was sending.
    this.#recovering = this.lease.onDidChange((isHeld) => {
      if (isHeld) void this.#recover();
    });
    // One thing that fails, or takes its time, is no reason to watch nothing.
    this.#begin().catch((error: unknown) =>
      this.#onProblem("What watching executions needs could not be made ready.", error),
    );
    this.secrets
      .sweep()
      .catch((error: unknown) =>
        this.#onProblem(
          "Secrets of callbacks that are not needed any more could not be looked through.",
          error,
        ),
      );
    sweepTold(this.store, this.told, this.#clock.now()).catch((error: unknown) =>
      this.#onProblem("What was told of earlier executions could not be cleared away.", error),
    );
    const { store, lease } = this;
    this.#retention = new Retention({
      store,
      lease,
      clock: this.#clock,
      keepEnded: this.#keepEnded,
      onProblem: this.#onProblem,
    });
    await this.lease.start();
    this.tracker.start();
  }

  /** Never rejects. */
  async #recover(): Promise<void> {
    try {
      await recoverSends({ store: this.store, intents: this.intents, clock: this.#clock });
    } catch (error) {
      this.#onProblem("What was being sent could not be looked through.", error);
    }
  }
}
