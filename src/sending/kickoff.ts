import { randomUUID } from "node:crypto";
import * as l10n from "@vscode/l10n";
import { filledCallbacks } from "../api/callbacks.ts";
import { CrewApiError } from "../api/errors.ts";
import type { KickoffRequest } from "../api/types.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { defined } from "../base/json.ts";
import { isLocalCrew, type CrewRef, type Execution } from "../executions/model.ts";
import { confirmKickoff, newExecution } from "../executions/reduce.ts";
import type { SenderParts } from "./senders.ts";

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

export type CrewToStart = CrewRef & { readonly local?: { readonly engine: string } };

export interface KickoffOptions {
  readonly label?: string;
  readonly localId?: string;
}

type Parts = SenderParts<"kickoff">;

/**
 * Starts an execution: the request is recorded before it is sent, and sent once. A `localId` is never sent twice, by
 * any window.
 * @throws {MaybeStartedError} if it may have started; its record stays `unconfirmed`.
 * CrewApiError or UserError if it certainly did not; no record stays
 */
export async function sendKickoff(
  parts: Parts,
  crew: CrewToStart,
  request: KickoffRequest,
  { label, localId = randomUUID() }: KickoffOptions = {},
): Promise<Execution> {
  const { store, outbox, addresses, clock, crews } = parts;
  const client = await crews.client(crew);
  return await outbox.send<Execution, string, Execution>({
    intent: { kind: "kickoff", localId },
    record() {
      const earlier = earlierKickoff(parts, crew, localId);
      if (earlier !== undefined)
        throw new MaybeStartedError(
          l10n.t("This kickoff was sent before, and may have started."),
          crew,
          earlier instanceof MaybeStartedError ? earlier.execution : earlier,
        );
      const engine = crew.local?.engine;
      const started = { crew, request, origin: "kickoff", ...defined({ engine, label }) } as const;
      return store.add({ ...newExecution(started, clock), localId });
    },
    async post() {
      await keepSecrets(parts, request, localId);
      const address = await addresses.for(crew, localId);
      const filled = address === undefined ? request : filledCallbacks(request, address);
      return (await client.kickoff(filled)).kickoffId;
    },
    answered(kickoffId, record) {
      const confirm = (current: Execution) => confirmKickoff(current, kickoffId);
      // An execution that is no longer tracked still runs.
      return store.update(localId, confirm) ?? confirm(record);
    },
    refused: () => store.remove(localId),
    inDoubt: (error, record) =>
      new MaybeStartedError(doubtText(crew.name, error), crew, record, error),
    unrecorded(error, kickoffId, record) {
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
    },
  });
}

/** A kickoff's execution, or why it may have started; undefined if it certainly did not start. */
export function earlierKickoff(
  { store, outbox }: { store: Pick<Parts["store"], "find" | "refresh">; outbox: Parts["outbox"] },
  crew: Pick<CrewRef, "id">,
  localId: string,
): Execution | MaybeStartedError | undefined {
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

/** Without the secrets, no resume could send the callbacks again. */
async function keepSecrets({ secrets }: Parts, request: KickoffRequest, localId: string) {
  try {
    await secrets.keep(localId, request);
  } catch (error) {
    throw new UserError(
      l10n.t(
        "Nothing was sent: the secrets of its callbacks could not be stored in this machine's secret storage ({0}).",
        messageOf(error),
      ),
    );
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
