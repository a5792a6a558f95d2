import { randomUUID } from "node:crypto";
import * as l10n from "@vscode/l10n";
import type { CrewClient } from "../api/client.ts";
import type { Clock } from "../base/clock.ts";
import { CrewApiError } from "../api/errors.ts";
import type { KickoffRequest } from "../api/types.ts";
import type { Crew } from "../crews/types.ts";
import { UserError } from "../editor/errors.ts";
import { kickoffKey, type Intents } from "../executions/intents.ts";
import { isLocalCrew, type CrewRef, type Execution } from "../executions/model.ts";
import { confirmKickoff, newExecution } from "../executions/reduce.ts";
import type { CallbackSecrets } from "../executions/secrets.ts";
import type { ExecutionStore } from "../executions/store.ts";

/** A kickoff left and its answer never came, or this very kickoff was sent before: it may have started. */
export class MaybeStartedError extends Error {
  /** The record that stays, in the state `unconfirmed`; absent where only the claim of an earlier sending is left. */
  readonly execution?: Execution;
  readonly remedy: string;

  constructor(
    message: string,
    crew: Pick<CrewRef, "id">,
    execution: Execution | undefined,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = "MaybeStartedError";
    this.remedy = isLocalCrew(crew)
      ? l10n.t(
          "Look for it among the executions or in the local crew's log before you kick off again.",
        )
      : l10n.t(
          "Look for it among the executions or in the crew's dashboard before you kick off again.",
        );
    if (execution !== undefined) this.execution = execution;
  }
}

/** What a {@link KickoffSender} works with. */
export interface KickoffSenderOptions {
  readonly store: Pick<ExecutionStore, "add" | "update" | "remove" | "find" | "refresh">;
  readonly intents: Pick<Intents, "all" | "claim" | "release">;
  /** Keeps the secrets of callbacks for the resumes to come. */
  readonly secrets: Pick<CallbackSecrets, "keep">;
  readonly clock: Clock;
  readonly clientFor: (crew: Crew) => Pick<CrewClient, "kickoff">;
  /** Asks for the first status soon. */
  readonly poll: (localId: string) => void;
}

/** Starts executions: the intent and the record are on disk before the request leaves, and the request leaves once. */
export class KickoffSender {
  readonly #options: KickoffSenderOptions;

  constructor(options: KickoffSenderOptions) {
    this.#options = options;
  }

  /**
   * Starts one execution. `localId` names it before it has a kickoff id; the same one is never sent twice, whichever
   * window tries; another attempt after a refusal takes another one.
   * Throws CrewApiError or UserError when the crew certainly did not start it, and then leaves no record;
   * {@link MaybeStartedError} when nobody knows, and then the record stays as `unconfirmed`
   * (or when its id came and could not be kept; the message names it).
   */
  async send(
    crew: Crew,
    request: KickoffRequest,
    options: { readonly label?: string; readonly localId?: string } = {},
  ): Promise<Execution> {
    const { store, intents, clock, poll } = this.#options;
    const localId = options.localId ?? randomUUID();
    const client = this.#options.clientFor(crew);
    if (
      store.find(localId) !== undefined ||
      !(await intents.claim(kickoffKey(localId), { crew: crew.id }))
    ) {
      // Another window may have written since what became of it.
      await store.refresh();
      throw sentBefore(crew, store.find(localId));
    }
    const record = await this.#record(localId, {
      ...newExecution(
        {
          crew: { id: crew.id, name: crew.name, url: crew.url },
          request,
          origin: "kickoff",
          ...(crew.local === undefined ? {} : { engine: crew.local.engine }),
          ...(options.label === undefined ? {} : { label: options.label }),
        },
        clock,
      ),
      localId,
    });
    await this.#keepSecrets(request, record);
    const kickoffId = await this.#post(client, request, record);
    const execution = await this.#confirm(record, kickoffId);
    poll(localId);
    return execution;
  }

  /**
   * What is stored of the kickoff that `localId` names: its execution where it started, why it may have; nothing where neither a record nor
   * a claim is known.
   */
  async earlier(
    crew: Pick<CrewRef, "id">,
    localId: string,
  ): Promise<Execution | MaybeStartedError | undefined> {
    const { store, intents } = this.#options;
    await store.refresh();
    const execution = store.find(localId);
    if (execution !== undefined && execution.kickoffIds.length > 0) return execution;
    const isClaimed =
      execution !== undefined ||
      (await intents.all()).some(({ key }) => key === kickoffKey(localId));
    if (!isClaimed) return undefined;
    return new MaybeStartedError(
      l10n.t(
        "A kickoff of this form was sent, or was about to be, and no answer to it is kept. It may have started.",
      ),
      crew,
      execution,
    );
  }

  async #record(localId: string, execution: Execution): Promise<Execution> {
    try {
      return await this.#options.store.add(execution);
    } catch (error) {
      // Without a record nothing is sent: a kickoff that nobody remembers is the one thing that must not be.
      await this.#options.intents.release(kickoffKey(localId));
      // Another window may have sent it to the end before this one noticed.
      await this.#options.store.refresh();
      const known = this.#options.store.find(localId);
      throw known === undefined ? error : sentBefore(known.crew, known);
    }
  }

  /** Without its secrets an execution could not be resumed with the callbacks it was started with: nothing is sent. */
  async #keepSecrets(request: KickoffRequest, { localId }: Execution): Promise<void> {
    try {
      await this.#options.secrets.keep(localId, request);
    } catch (error) {
      // Whoever listens to the store deletes what was kept of them.
      await this.#options.store.remove(localId);
      await this.#options.intents.release(kickoffKey(localId));
      throw new UserError(
        l10n.t(
          "Nothing was sent: the secrets of its callbacks could not be kept in this machine's secret storage ({0}).",
          error instanceof Error ? error.message : String(error),
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
      if (!isCertainlyNotSent(error)) {
        throw new MaybeStartedError(
          doubtInWords(record.crew.name, error),
          record.crew,
          record,
          error,
        );
      }
      await this.#options.store.remove(record.localId);
      await this.#options.intents.release(kickoffKey(record.localId));
      throw error;
    }
  }

  async #confirm(record: Execution, kickoffId: string): Promise<Execution> {
    let kept: Execution | undefined;
    try {
      kept = await this.#options.store.update(record.localId, (current) =>
        confirmKickoff(current, kickoffId),
      );
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new MaybeStartedError(
        l10n.t(
          "“{0}” started the execution {1}, but its id could not be kept here ({2}). Track it by this id.",
          record.crew.name,
          kickoffId,
          reason,
        ),
        record.crew,
        record,
        error,
      );
    }
    // From here on the record itself keeps this kickoff from being sent again.
    await this.#options.intents.release(kickoffKey(record.localId));
    // Untracked in another window while the request was under way: it runs all the same, and the caller learns its id.
    return kept ?? confirmKickoff(record, kickoffId);
  }
}

function sentBefore(
  crew: Pick<CrewRef, "id">,
  execution: Execution | undefined,
): MaybeStartedError {
  return new MaybeStartedError(
    l10n.t("This kickoff was sent before, and may have started."),
    crew,
    execution,
  );
}

function doubtInWords(name: string, error: unknown): string {
  const isAnswered = error instanceof CrewApiError && error.status !== undefined;
  return isAnswered
    ? l10n.t(
        "The kickoff of “{0}” left, and its answer leaves open whether it started. {1}",
        name,
        error.message,
      )
    : l10n.t("The kickoff of “{0}” left, but its answer did not come. It may have started.", name);
}

/** A crew's definite refusal, or an error from before the request, such as a missing token. */
function isCertainlyNotSent(error: unknown): boolean {
  return error instanceof CrewApiError ? error.sent === "no" : error instanceof UserError;
}
