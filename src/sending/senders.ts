import type { CrewClient } from "../api/client.ts";
import type { Clock } from "../base/clock.ts";
import type { ProblemLog } from "../base/errors.ts";
import { type Disposable, Disposables } from "../base/events.ts";
import type { Lease } from "../executions/lease.ts";
import type { CrewRef, ExecutionSummary } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Tracker } from "../executions/tracker.ts";
import type { Database } from "../store/database.ts";
import type { FeedbackSender } from "./feedback.ts";
import type { CallbackAddresses, KickoffSender } from "./kickoff.ts";
import { CallbackSecrets, type SecretStorage } from "./secrets.ts";
import { Outbox } from "./outbox.ts";
import type { StopSender } from "./stop.ts";

/** After this time a request to stop has its outcome, or nobody records it (ms). */
const longestStop = 90_000;

interface SendersOptions {
  readonly database: Database;
  readonly store: ExecutionStore;
  readonly lease: Pick<Lease, "isHeld" | "onDidChange">;
  readonly tracker: Pick<Tracker, "onDidPoll" | "pollNow">;
  readonly clock: Clock;
  readonly crews: { client(crew: CrewRef): Promise<CrewClient> };
  readonly storage: SecretStorage;
  readonly addresses: CallbackAddresses;
  readonly log: ProblemLog;
}

/** What sends requests with consequences: each sender is loaded when it is first used. */
export class Senders implements Disposable {
  readonly #options: SendersOptions;
  readonly outbox: Outbox;
  readonly secrets: CallbackSecrets;
  readonly #subscriptions = new Disposables();
  #kickoffSender: Promise<KickoffSender> | undefined;
  #feedbackSender: Promise<FeedbackSender> | undefined;
  #stopSender: Promise<StopSender> | undefined;

  constructor(options: SendersOptions) {
    this.#options = options;
    const { database, lease, tracker, clock } = options;
    this.outbox = new Outbox(database, clock);
    this.secrets = new CallbackSecrets(options);
    // The window that polled before may have crashed while it was sending.
    this.#subscriptions.add(
      lease.onDidChange((isHeld) => {
        if (isHeld) this.#recover();
      }),
    );
    // A window may have lived until after that, or could not store the outcome.
    this.#subscriptions.add(
      tracker.onDidPoll((localId) => {
        if (lease.isHeld) this.#recoverStop(localId);
      }),
    );
  }

  begin(): void {
    this.#recover();
    this.secrets.sweep().catch((error: unknown) => {
      this.#options.log.problem("Secrets of callbacks could not be cleaned up.", error);
    });
  }

  kickoffSender(): Promise<KickoffSender> {
    return (this.#kickoffSender ??= import("./kickoff.ts").then(
      ({ KickoffSender }) => new KickoffSender(this.#senderOptions()),
    ));
  }

  /** See {@link KickoffSender.send}. */
  async send(...request: Parameters<KickoffSender["send"]>): ReturnType<KickoffSender["send"]> {
    return await (await this.kickoffSender()).send(...request);
  }

  feedbackSender(): Promise<FeedbackSender> {
    return (this.#feedbackSender ??= Promise.all([
      import("./feedback.ts"),
      import("./answer-hosts.ts"),
    ]).then(([{ FeedbackSender }, { AnswerHosts }]) => {
      const hosts = new AnswerHosts(this.#options.database);
      return new FeedbackSender({ ...this.#senderOptions(), hosts });
    }));
  }

  stopSender(): Promise<StopSender> {
    return (this.#stopSender ??= import("./stop.ts").then(
      ({ StopSender }) => new StopSender(this.#senderOptions()),
    ));
  }

  /** The executions for which a request is being sent, in any window. */
  now(): readonly ExecutionSummary[] {
    const { store } = this.#options;
    store.refresh();
    const sent = this.outbox.underWay();
    return store.list().filter(({ localId }) => sent.has(localId));
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.secrets.dispose();
  }

  #senderOptions() {
    const { tracker, ...options } = this.#options;
    const poll = (localId: string) => void tracker.pollNow(localId);
    return { ...options, outbox: this.outbox, secrets: this.secrets, poll };
  }

  #recover(): void {
    this.#tryToRecover(() => this.outbox.recover(this.#options.store));
  }

  #recoverStop(localId: string): void {
    const { store, clock } = this.#options;
    const execution = store.summary(localId);
    if (execution?.stop?.outcome !== "sending") return;
    if (clock.now() - Date.parse(execution.stop.at) < longestStop) return;
    this.#tryToRecover(() => this.outbox.recoverOne(store, execution));
  }

  #tryToRecover(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#options.log.problem("Requests without an outcome could not be recovered.", error);
    }
  }
}
