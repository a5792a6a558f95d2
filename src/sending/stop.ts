import * as l10n from "@vscode/l10n";
import type { StopAnswer } from "../api/types.ts";
import { messageOf, NothingToDo, UserError } from "../base/errors.ts";
import { type Execution, hasEnded, type StopRequest, without } from "../executions/model.ts";
import { MaybeSentError } from "./errors.ts";
import { newestId } from "./feedback.ts";
import type { SenderParts } from "./senders.ts";

/**
 * Asks a crew to stop an execution: one request at a time across windows, and never again on its own.
 * @throws {NothingToDo} if it has ended, CrewApiError or UserError if the request certainly had no effect,
 * {@link MaybeSentError} if it may have arrived
 */
export async function sendStop(
  { store, outbox, clock, crews }: SenderParts<"stop">,
  { localId, crew }: Pick<Execution, "localId" | "crew">,
): Promise<StopAnswer> {
  const client = await crews.client(crew);
  store.refresh();
  const current = store.find(localId);
  if (current !== undefined) outbox.recoverOne(store, current);
  const intent = { kind: "stop", localId } as const;
  const at = new Date(clock.now()).toISOString();
  const settle = (outcome: StopRequest["outcome"]) =>
    store.update(localId, (known) => ({ ...known, stop: { at, outcome } }));
  return await outbox.send<string, StopAnswer, StopAnswer>({
    intent,
    record() {
      const known = store.find(localId);
      if (known === undefined || hasEnded(known))
        throw new NothingToDo(l10n.t("The execution has ended or is no longer tracked here."));
      const id = newestId(known);
      if (outbox.isUnderWay(intent))
        throw new UserError(l10n.t("The request to stop this execution is already being sent."));
      settle("sending");
      return id;
    },
    post: (id) => client.stop(id),
    answered: (answer) => (settle("answered"), answer),
    refused: () => store.update(localId, (known) => without(known, "stop")),
    unanswered: () => settle("unanswered"),
    inDoubt: (error) =>
      new MaybeSentError(
        l10n.t(
          "The request to stop may have arrived: {0} The execution's state shows whether it stopped.",
          messageOf(error),
        ),
        [],
        { cause: error },
      ),
    // It is recorded as unanswered after the next poll, and the state shows whether it stopped.
    unrecorded: (_, answer) => answer,
  });
}
