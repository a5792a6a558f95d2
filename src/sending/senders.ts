import type { CrewClient } from "../api/client.ts";
import type { CallbackAddress } from "../api/callbacks.ts";
import type { CallRules, KickoffRequest } from "../api/types.ts";
import type { Clock } from "../base/clock.ts";
import type { ProblemLog } from "../base/errors.ts";
import { type Disposable, Disposables, type SecretStorage } from "../base/events.ts";
import type { Leader } from "../store/leader.ts";
import type { CrewRef, ExecutionSummary } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Poller } from "../executions/poller.ts";
import type { Database } from "../store/database.ts";
import type { FeedbackResult, FeedbackToSend } from "./feedback.ts";
import type { CrewToStart, KickoffOptions } from "./kickoff.ts";
import { CallbackSecrets } from "./secrets.ts";
import { Outbox } from "./outbox.ts";

interface SendersOptions {
  readonly database: Database;
  readonly store: ExecutionStore;
  readonly leader: Pick<Leader, "isThisWindow" | "onDidChange">;
  readonly poller: Pick<Poller, "onDidPoll" | "pollNow">;
  readonly clock: Clock;
  readonly crews: { client(crew: CrewRef): Promise<CrewClient> };
  readonly storage: SecretStorage;
  /** Where crews call back if the person doesn't say where. */
  readonly addresses: {
    /** The same for each request of an execution, which must be recorded. Undefined if the crew can't reach this machine. Never rejects. */
    for(crew: CrewRef, localId: string): Promise<CallbackAddress | undefined>;
  };
  /** Of a person's settings: which calls of local crews wait for them, and prices. Without it, there are none. */
  readonly rules?: () => CallRules;
  readonly log: ProblemLog;
}

/** What a request needs, with the methods of the client that it calls. */
export interface SenderParts<Method extends keyof CrewClient> extends Pick<
  SendersOptions,
  "database" | "store" | "clock" | "addresses" | "rules"
> {
  readonly outbox: Outbox;
  readonly secrets: Pick<CallbackSecrets, "keep" | "complete">;
  readonly crews: { client(crew: CrewRef): Promise<Pick<CrewClient, Method>> };
}

/** What sends requests with consequences: the code of each is loaded when it is first used. */
export class Senders implements Disposable {
  readonly #options: SendersOptions;
  readonly outbox: Outbox;
  readonly secrets: CallbackSecrets;
  readonly #parts: SenderParts<keyof CrewClient>;
  readonly #subscriptions = new Disposables();

  constructor(options: SendersOptions) {
    this.#options = options;
    const { store, leader, poller } = options;
    this.outbox = new Outbox({ ...options, poll: (localId) => poller.pollNow(localId) });
    this.secrets = this.#subscriptions.add(new CallbackSecrets(options));
    this.#parts = { ...options, outbox: this.outbox, secrets: this.secrets };
    // The window that polled before may have crashed while it was sending.
    this.#subscriptions.add(leader.onDidChange((isThisWindow) => isThisWindow && this.#recover()));
    // A window may have lived until after that, or could not store the outcome.
    this.#subscriptions.add(
      poller.onDidPoll((localId) => {
        const isSending = store.summary(localId)?.stop?.outcome === "sending";
        if (isSending && leader.isThisWindow) this.#recover();
      }),
    );
  }

  begin(): void {
    this.#recover();
    this.secrets.sweep().catch((error: unknown) => {
      this.#options.log.problem("Secrets of callbacks could not be cleaned up.", error);
    });
  }

  async send(crew: CrewToStart, request: KickoffRequest, options?: KickoffOptions) {
    const { sendKickoff } = await import("./kickoff.ts");
    return await sendKickoff(this.#parts, crew, request, options);
  }

  async giveFeedback(given: FeedbackToSend): Promise<FeedbackResult> {
    return await (await import("./feedback.ts")).sendFeedback(this.#parts, given);
  }

  async stop(execution: Pick<ExecutionSummary, "localId" | "crew">) {
    return await (await import("./stop.ts")).sendStop(this.#parts, execution);
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
  }

  #recover(): void {
    const { store, log } = this.#options;
    try {
      this.outbox.recover(store);
    } catch (error) {
      log.problem("Requests without an outcome could not be recovered.", error);
    }
  }
}
