import { randomUUID } from "node:crypto";
import * as l10n from "@vscode/l10n";
import { type CallbackAddress, filledCallbacks } from "../api/callbacks.ts";
import type { CrewClient } from "../api/client.ts";
import { CrewApiError } from "../api/errors.ts";
import type { KickoffRequest } from "../api/types.ts";
import type { Clock } from "../base/clock.ts";
import { messageOf, UserError, type ProblemLog } from "../base/errors.ts";
import { defined } from "../base/json.ts";
import { isLocalCrew, type CrewRef, type Execution } from "../executions/model.ts";
import { confirmKickoff, newExecution } from "../executions/reduce.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { hadNoEffect } from "./errors.ts";
import type { CallbackSecrets } from "./secrets.ts";
import type { Outbox } from "./outbox.ts";

/** The kickoff got no conclusive answer, or was sent before. */
export class MaybeStartedError extends Error {
  override readonly name = "MaybeStartedError";
  /** The `unconfirmed` record; undefined if it is no longer tracked. */
  readonly execution: Execution | undefined;
  readonly remedy: string;

  constructor(
    message: string,
    crew: Pick<CrewRef, "id">,
    execution: Execution | undefined,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.execution = execution;
    this.remedy = isLocalCrew(crew)
      ? l10n.t("Check the executions or the local crew's log before you kick off again.")
      : l10n.t("Check the executions or the crew's dashboard before you kick off again.");
  }
}

type CrewToStart = CrewRef & { readonly local?: { readonly engine: string } };

/** Where crews call back if the person doesn't say where. */
export interface CallbackAddresses {
  /** The same for each request of an execution, which must be recorded. Undefined if the crew can't reach this machine. Never rejects. */
  for(crew: CrewRef, localId: string): Promise<CallbackAddress | undefined>;
}

interface KickoffSenderOptions {
  readonly store: Pick<ExecutionStore, "add" | "update" | "remove" | "find" | "refresh">;
  readonly outbox: Pick<Outbox, "send" | "settle" | "has">;
  readonly secrets: Pick<CallbackSecrets, "keep">;
  readonly addresses: CallbackAddresses;
  readonly clock: Clock;
  readonly crews: { client(crew: CrewRef): Promise<Pick<CrewClient, "kickoff">> };
  readonly poll: (localId: string) => void;
  /** For what could not be recorded, when the person gets another message. */
  readonly log: ProblemLog;
}

/** Starts executions: a request is recorded before it is sent, and sent once. */
export class KickoffSender {
  readonly #options: KickoffSenderOptions;

  constructor(options: KickoffSenderOptions) {
    this.#options = options;
  }

  /**
   * A `localId` is never sent twice, by any window.
   * @throws {MaybeStartedError} if it may have started; its record stays `unconfirmed`.
   * CrewApiError or UserError if it certainly did not; no record stays
   */
  async send(
    crew: CrewToStart,
    request: KickoffRequest,
    options: { readonly label?: string; readonly localId?: string } = {},
  ): Promise<Execution> {
    const { outbox, poll } = this.#options;
    const localId = options.localId ?? randomUUID();
    const client = await this.#options.crews.client(crew);
    const execution = await outbox.send(
      { kind: "kickoff", localId },
      () => this.#record(crew, request, localId, options.label),
      async (record) => {
        await this.#keepSecrets(request, record);
        const address = await this.#options.addresses.for(record.crew, record.localId);
        const filled = address === undefined ? request : filledCallbacks(request, address);
        return this.#confirm(record, await this.#post(client, filled, record));
      },
    );
    poll(localId);
    return execution;
  }

  /** A kickoff's execution, or why it may have started; undefined if it certainly did not start. */
  earlier(crew: Pick<CrewRef, "id">, localId: string): Execution | MaybeStartedError | undefined {
    const { store, outbox } = this.#options;
    store.refresh();
    const execution = store.find(localId);
    if (execution !== undefined && execution.kickoffIds.length > 0) return execution;
    // The row of a request without an answer stays when its execution is untracked.
    if (execution === undefined && !outbox.has({ kind: "kickoff", localId })) return undefined;
    return new MaybeStartedError(
      l10n.t(
        "The kickoff request of this form was sent, or about to be, and no response is recorded. It may have started.",
      ),
      crew,
      execution,
    );
  }

  /** Runs in the transaction that allows sending. */
  #record(crew: CrewToStart, request: KickoffRequest, localId: string, label?: string): Execution {
    const earlier = this.earlier(crew, localId);
    if (earlier !== undefined)
      throw new MaybeStartedError(
        l10n.t("This kickoff was sent before, and may have started."),
        crew,
        earlier instanceof MaybeStartedError ? earlier.execution : earlier,
      );
    const started = newExecution(
      { crew, request, origin: "kickoff", ...defined({ engine: crew.local?.engine, label }) },
      this.#options.clock,
    );
    return this.#options.store.add({ ...started, localId });
  }

  /** Without the secrets, no resume could send the callbacks again. */
  async #keepSecrets(request: KickoffRequest, record: Execution): Promise<void> {
    try {
      await this.#options.secrets.keep(record.localId, request);
    } catch (error) {
      // This also deletes those that were stored.
      this.#removeRecord(record);
      throw new UserError(
        l10n.t(
          "Nothing was sent: the secrets of its callbacks could not be stored in this machine's secret storage ({0}).",
          messageOf(error),
        ),
      );
    }
  }

  async #post(
    client: Pick<CrewClient, "kickoff">,
    request: KickoffRequest,
    record: Execution,
  ): Promise<string> {
    try {
      return (await client.kickoff(request)).kickoffId;
    } catch (error) {
      if (!hadNoEffect(error))
        throw new MaybeStartedError(doubtText(record.crew.name, error), record.crew, record, error);
      this.#removeRecord(record);
      throw error;
    }
  }

  /** A record that can't be removed stays `unconfirmed`. */
  #removeRecord({ localId }: Execution): void {
    const { store, outbox, log } = this.#options;
    try {
      outbox.settle({ kind: "kickoff", localId }, () => store.remove(localId));
    } catch (error) {
      log.problem("The record of a kickoff that did not start could not be removed.", error);
    }
  }

  #confirm(record: Execution, kickoffId: string): Execution {
    const { store, outbox } = this.#options;
    const { localId, crew } = record;
    const confirm = (current: Execution) => confirmKickoff(current, kickoffId);
    try {
      // An execution that is no longer tracked still runs.
      const settle = () => store.update(localId, confirm);
      return outbox.settle({ kind: "kickoff", localId }, settle) ?? confirm(record);
    } catch (error) {
      throw new MaybeStartedError(
        l10n.t(
          "“{0}” started the execution {1}, but its ID could not be stored here ({2}). Track it by this ID.",
          crew.name,
          kickoffId,
          messageOf(error),
        ),
        crew,
        record,
        error,
      );
    }
  }
}

function doubtText(name: string, error: unknown): string {
  return error instanceof CrewApiError && error.status !== undefined
    ? l10n.t(
        "The kickoff request to “{0}” was sent, but the response doesn't say whether it started. {1}",
        name,
        error.message,
      )
    : l10n.t(
        "The kickoff request to “{0}” was sent, but no response arrived. It may have started.",
        name,
      );
}
