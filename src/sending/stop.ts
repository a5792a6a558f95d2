import * as l10n from "@vscode/l10n";
import type { CrewClient } from "../api/client.ts";
import type { StopAnswer } from "../api/types.ts";
import type { Clock } from "../base/clock.ts";
import { messageOf, NothingToDo, UserError, type ProblemLog } from "../base/errors.ts";
import {
  type CrewRef,
  type Execution,
  hasEnded,
  type StopRequest,
  without,
} from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { hadNoEffect, MaybeSentError } from "./errors.ts";
import type { Outbox } from "./outbox.ts";

interface StopSenderOptions {
  readonly store: Pick<ExecutionStore, "find" | "refresh" | "update">;
  readonly outbox: Pick<Outbox, "send" | "settle" | "isUnderWay" | "recoverOne">;
  readonly clock: Clock;
  readonly crews: { client(crew: CrewRef): Promise<Pick<CrewClient, "stop">> };
  readonly poll: (localId: string) => void;
  /** For what could not be recorded, when the person gets another message. */
  readonly log: ProblemLog;
}

/** Asks a crew to stop an execution: one request at a time across windows, and never again on its own. */
export class StopSender {
  readonly #options: StopSenderOptions;

  constructor(options: StopSenderOptions) {
    this.#options = options;
  }

  /**
   * @throws {NothingToDo} if it has ended, CrewApiError or UserError if the request certainly had
   * no effect, {@link MaybeSentError} if it may have arrived
   */
  async send({ localId, crew }: Pick<Execution, "localId" | "crew">): Promise<StopAnswer> {
    const { store, outbox, clock, crews, poll } = this.#options;
    const client = await crews.client(crew);
    store.refresh();
    const current = store.find(localId);
    if (current !== undefined) outbox.recoverOne(store, current);
    const at = new Date(clock.now()).toISOString();
    const stop = async (id: string) => {
      try {
        const answer = await client.stop(id);
        this.#settle(localId, { at, outcome: "answered" });
        return answer;
      } catch (error) {
        const isRefused = hadNoEffect(error);
        this.#settle(localId, isRefused ? undefined : { at, outcome: "unanswered" });
        if (isRefused) throw error;
        throw new MaybeSentError(
          l10n.t(
            "The request to stop may have arrived: {0} The execution's state shows whether it stopped.",
            messageOf(error),
          ),
          [],
          { cause: error },
        );
      } finally {
        poll(localId);
      }
    };
    return await outbox.send({ kind: "stop", localId }, () => this.#record(localId, at), stop);
  }

  /** Runs in the transaction that allows sending. @returns the ID to stop */
  #record(localId: string, at: string): string {
    const recorded = this.#options.store.update(localId, (known) => {
      this.#refuse(known);
      return { ...known, stop: { at, outcome: "sending" } };
    });
    const id = recorded?.kickoffIds.at(-1);
    if (id !== undefined) return id;
    throw new UserError(l10n.t("The execution is no longer tracked here. Nothing was sent."));
  }

  #refuse(known: Execution): void {
    if (hasEnded(known)) throw new NothingToDo(l10n.t("The execution has already ended."));
    if (known.kickoffIds.length === 0)
      throw new UserError(
        l10n.t(
          "This execution has no ID, because its kickoff was never answered. Stopping needs one.",
        ),
      );
    if (this.#options.outbox.isUnderWay({ kind: "stop", localId: known.localId }))
      throw new UserError(l10n.t("The request to stop this execution is already being sent."));
  }

  #settle(localId: string, stop: StopRequest | undefined): void {
    const { store, outbox, log } = this.#options;
    try {
      outbox.settle({ kind: "stop", localId }, () =>
        store.update(localId, (known) =>
          stop === undefined ? without(known, "stop") : { ...known, stop },
        ),
      );
    } catch (problem) {
      // It stays "sending", which recovery turns into "unanswered" after a poll.
      log.problem("What became of a request to stop could not be recorded.", problem);
    }
  }
}
