import type { CrewClient } from "../api/client.ts";
import type { CallbackAddress } from "../api/callbacks.ts";
import type { CallRules, KickoffRequest } from "../api/types.ts";
import type { Clock } from "../base/clock.ts";
import type { ProblemLog } from "../base/errors.ts";
import { Disposables, type SecretStorage } from "../base/events.ts";
import type { Leader } from "../store/leader.ts";
import type { CrewRef, ExecutionSummary } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Poller } from "../executions/poller.ts";
import type { Database } from "../store/database.ts";
import type { FeedbackResult, FeedbackToSend } from "./feedback.ts";
import type { CrewToStart, KickoffOptions } from "./kickoff.ts";
import { type CallbackSecrets, callbackSecrets } from "./secrets.ts";
import { type Outbox, outboxOf } from "./outbox.ts";

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

export type Senders = ReturnType<typeof sendersOf>;

/** What sends requests with consequences: the code of each is loaded when it is first used. */
export function sendersOf(options: SendersOptions) {
  const { store, leader, poller, log } = options;
  const subscriptions = new Disposables();
  const outbox = outboxOf({ ...options, poll: (localId) => poller.pollNow(localId) });
  const secrets = subscriptions.add(callbackSecrets(options));
  const parts: SenderParts<keyof CrewClient> = { ...options, outbox, secrets };
  const recover = (): void => {
    try {
      outbox.recover(store);
    } catch (error) {
      log.problem("Requests without an outcome could not be recovered.", error);
    }
  };
  // The window that polled before may have crashed while it was sending.
  subscriptions.add(leader.onDidChange((isThisWindow) => isThisWindow && recover()));
  // A window may have lived until after that, or could not store the outcome.
  subscriptions.add(
    poller.onDidPoll((localId) => {
      const isSending = store.summary(localId)?.stop?.outcome === "sending";
      if (isSending && leader.isThisWindow) recover();
    }),
  );
  return {
    outbox,
    secrets,
    begin(): void {
      recover();
      secrets.sweep().catch((error: unknown) => {
        log.problem("Secrets of callbacks could not be cleaned up.", error);
      });
    },
    async send(crew: CrewToStart, request: KickoffRequest, options?: KickoffOptions) {
      const { sendKickoff } = await import("./kickoff.ts");
      return await sendKickoff(parts, crew, request, options);
    },
    async giveFeedback(given: FeedbackToSend): Promise<FeedbackResult> {
      return await (await import("./feedback.ts")).sendFeedback(parts, given);
    },
    async stop(execution: Pick<ExecutionSummary, "localId" | "crew">) {
      return await (await import("./feedback.ts")).sendStop(parts, execution);
    },
    /** The executions for which a request is being sent, in any window. */
    now(): readonly ExecutionSummary[] {
      store.refresh();
      const sent = outbox.underWay();
      return store.list().filter(({ localId }) => sent.has(localId));
    },
    dispose: () => subscriptions.dispose(),
  };
}
