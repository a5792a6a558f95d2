import { randomUUID } from "node:crypto";
import * as l10n from "@vscode/l10n";
import { filledCallbacks } from "../api/callbacks.ts";
import type { CallRules, KickoffRequest } from "../api/types.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { defined } from "../base/json.ts";
import type { BatchCell, CrewRef, Execution } from "../executions/model.ts";
import { confirmKickoff, newExecution } from "../executions/reduce.ts";
import type { SenderParts } from "./senders.ts";

/** The kickoff got no conclusive answer, or was sent before. */
export class MaybeStartedError extends Error {
  override readonly name = "MaybeStartedError";
  readonly execution: Execution | undefined;
  readonly remedy = l10n.t(
    "Check the executions, and the crew's dashboard or log, before you kick off again.",
  );

  constructor(message: string, execution: Execution | undefined, cause?: unknown) {
    super(message, { cause });
    this.execution = execution;
  }
}

export type CrewToStart = CrewRef & { readonly local?: { readonly engine: string } };

export interface KickoffOptions {
  readonly label?: string;
  readonly batch?: BatchCell;
  readonly localId?: string;
}

type Parts = SenderParts<"kickoff">;

/**
 * Those of the request and of the settings; undefined for none.
 * @throws UserError for a crew that would make the calls without asking
 */
function rulesFor(
  { local }: CrewToStart,
  { approveTools = [], limits = {}, model, expect, replay }: CallRules = {},
  settings: CallRules = {},
): CallRules | undefined {
  const tools = [...new Set([...approveTools, ...(settings.approveTools ?? [])])];
  const budget = { ...settings.limits, ...limits };
  const own = defined({ model, expect, replay });
  if (local?.engine !== "crewai" && Object.keys(own).length > 0)
    throw new UserError(
      l10n.t(
        "Nothing was sent. Only a local crew that runs with crewAI can be tested, or run with another model.",
      ),
    );
  if (local === undefined && (approveTools.length > 0 || Object.keys(limits).length > 0))
    throw new UserError(
      l10n.t(
        "Nothing was sent. Only a local crew can let calls wait for you: remove “approveTools” and “limits”.",
      ),
    );
  if (local?.engine !== "crewai") return undefined;
  const { prices = {} } = settings;
  if (budget.dollars !== undefined && Object.keys(prices).length === 0)
    throw new UserError(
      l10n.t(
        "Nothing was sent. A budget in dollars needs the prices of your models: enter them in the setting {0}, or give the budget in tokens.",
        "crewdeck.prices",
      ),
    );
  const rules = {
    ...(tools.length > 0 && { approveTools: tools }),
    ...(Object.keys(budget).length > 0 && { limits: budget }),
    ...((budget.dollars !== undefined || expect) && { prices }),
    ...own,
  };
  return Object.keys(rules).length > 0 ? rules : undefined;
}

/**
 * Starts an execution: the request is recorded before it is sent, and sent once. A `localId` is never sent twice, by
 * any window.
 * @throws {MaybeStartedError} if it may have started; its record stays `unconfirmed`.
 * CrewApiError or UserError if it certainly did not; no record stays
 */
export async function sendKickoff(
  parts: Parts,
  crew: CrewToStart,
  { rules: given, ...others }: KickoffRequest,
  { label, batch, localId = randomUUID() }: KickoffOptions = {},
): Promise<Execution> {
  const { store, outbox, secrets, addresses, clock, crews } = parts;
  const rules = rulesFor(crew, given, parts.rules?.());
  const request = { ...others, ...defined({ rules }) };
  const client = await crews.client(crew);
  return await outbox.send<Execution, string, Execution>({
    intent: { kind: "kickoff", localId },
    record() {
      const earlier = earlierKickoff(parts, localId);
      if (earlier instanceof MaybeStartedError) throw earlier;
      if (earlier !== undefined) throw new MaybeStartedError(sentBefore(), earlier);
      const engine = crew.local?.engine;
      const given = defined({ engine, label, batch });
      const started = { crew, request, origin: "kickoff", ...given } as const;
      return store.add({ ...newExecution(started, clock), localId });
    },
    async post() {
      // Without the secrets, no resume could send the callbacks again.
      await secrets.keep(localId, request).catch((error: unknown) => {
        throw new UserError(
          l10n.t(
            "Nothing was sent: the secrets of its callbacks could not be stored in this machine's secret storage ({0}).",
            messageOf(error),
          ),
        );
      });
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
      new MaybeStartedError(
        l10n.t(
          "The kickoff request to “{0}” was sent, and may have started an execution: {1}",
          crew.name,
          error instanceof Error ? error.message : String(error),
        ),
        record,
        error,
      ),
    unrecorded(error, kickoffId, record) {
      throw new MaybeStartedError(
        l10n.t(
          "“{0}” started the execution {1}, but its ID could not be stored here ({2}). Track it by this ID.",
          crew.name,
          kickoffId,
          messageOf(error),
        ),
        record,
        error,
      );
    },
  });
}

/** A kickoff's execution, or why it may have started; undefined if it certainly did not start. */
export function earlierKickoff(
  { store, outbox }: { store: Pick<Parts["store"], "find" | "refresh">; outbox: Parts["outbox"] },
  localId: string,
): Execution | MaybeStartedError | undefined {
  store.refresh();
  const execution = store.find(localId);
  if (execution !== undefined && execution.kickoffIds.length > 0) return execution;
  // The row of a request without an answer stays when its execution is untracked.
  if (execution === undefined && !outbox.has({ kind: "kickoff", localId })) return undefined;
  return new MaybeStartedError(sentBefore(), execution);
}

function sentBefore(): string {
  return l10n.t("This kickoff was sent before, and may have started.");
}
