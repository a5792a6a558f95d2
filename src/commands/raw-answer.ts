import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import { CrewApiError } from "../api/errors.ts";
import type { Crews } from "../crews/crews.ts";
import { UserError } from "../base/errors.ts";
import { withCancel } from "../editor/messages.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { OutputsRoom } from "../views/document/register.ts";
import { chooseExecution } from "./choose.ts";
import type { Command } from "./table.ts";

/** What the command works with. */
export interface RawAnswerParts {
  readonly crews: Crews;
  readonly store: ExecutionStore;
  readonly outputs: OutputsRoom;
  readonly clock: Clock;
}

/**
 * Asks a crew once for the status of an execution, whatever state it is in, and shows the answer as it came; what is known of the
 * execution does not change. An answer that is an error is shown, too, and told. Takes `{crew, kickoffId}`, returns the document's address.
 */
export function rawAnswerCommand({ crews, store, outputs, clock }: RawAnswerParts): Command {
  return {
    id: "openRawAnswer",
    async run(argument) {
      const execution = await chooseExecution(
        store,
        crews,
        argument,
        ({ kickoffIds }) => kickoffIds.length > 0,
      );
      if (execution === undefined) return undefined;
      const kickoffId = execution.kickoffIds.at(-1);
      if (kickoffId === undefined)
        throw new UserError(
          vscode.l10n.t(
            "The crew cannot be asked for this execution: its kickoff was never answered with an ID.",
          ),
        );
      await crews.ready(execution.crew);
      const askedAt = clock.now();
      try {
        const text = await withCancel(
          vscode.l10n.t("Asking “{0}”", execution.crew.name),
          ({ signal }) => crews.client(execution.crew).rawStatus(kickoffId, { signal }),
        );
        const shown =
          text === undefined ? undefined : await outputs.openAnswer(execution, { text, askedAt });
        return shown?.toString();
      } catch (error) {
        if (
          error instanceof CrewApiError &&
          error.status !== undefined &&
          error.body !== undefined
        ) {
          await outputs.openAnswer(execution, { text: error.body, status: error.status, askedAt });
        }
        throw error;
      }
    },
  };
}
