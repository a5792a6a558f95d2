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
import { longestStop } from "../executions/reduce.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { hadNoEffect, MaybeSentError } from "./errors.ts";

interface StopSenderOptions {
  readonly store: Pick<ExecutionStore, "refresh" | "update">;
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
    const { store, clock, crews, poll } = this.#options;
    const client = await crews.client(crew);
    store.refresh();
    const at = new Date(clock.now()).toISOString();
    const recorded = store.update(localId, (known) => {
      this.#refuse(known);
      return { ...known, stop: { at, outcome: "sending" } };
    });
    const id = recorded?.kickoffIds.at(-1);
    if (id === undefined)
      throw new UserError(l10n.t("The execution is no longer tracked here. Nothing was sent."));
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
  }

  #refuse(known: Execution): void {
    const { stop, kickoffIds } = known;
    if (hasEnded(known)) throw new NothingToDo(l10n.t("The execution has already ended."));
    if (kickoffIds.length === 0)
      throw new UserError(
        l10n.t(
          "This execution has no ID, because its kickoff was never answered. Stopping needs one.",
        ),
      );
    const age = stop && this.#options.clock.now() - Date.parse(stop.at);
    if (stop?.outcome === "sending" && age !== undefined && age < longestStop)
      throw new UserError(l10n.t("The request to stop this execution is already being sent."));
  }

  #settle(localId: string, stop: StopRequest | undefined): void {
    try {
      this.#options.store.update(localId, (known) =>
        stop === undefined ? without(known, "stop") : { ...known, stop },
      );
    } catch (problem) {
      this.#options.log.problem("What became of a request to stop could not be recorded.", problem);
    }
  }
}
