import * as vscode from "vscode";
import type { CrewApiError } from "../api/errors.ts";
import { actionsOf, UserError } from "../base/errors.ts";
import { describeTokenType } from "../crews/token-format.ts";
import { logProblem } from "../editor/log.ts";
import { showError } from "../editor/messages.ts";
import type { Leader } from "../store/leader.ts";
import type { CrewRef } from "../executions/model.ts";
import type { Poller } from "../executions/poller.ts";
import type { Database } from "../store/database.ts";
import { TokenPrompts } from "./token-prompts.ts";

/** Asks for another token once, in one window. */
export function watchRefusedTokens(
  poller: Pick<Poller, "onDidRefuse" | "onDidChange" | "refusingCrews">,
  leader: Pick<Leader, "confirm">,
  database: Database,
): vscode.Disposable {
  const prompts = new TokenPrompts(database);
  const ask = async ({ id, name }: Pick<CrewRef, "id" | "name">, error: CrewApiError) => {
    if (!leader.confirm()) return;
    // The crew may have another token by now.
    if (!poller.refusingCrews().has(id) || !prompts.begin(id)) return;
    await showError(new UserError(messageFor(name, error), actionsOf(error)));
  };
  return vscode.Disposable.from(
    poller.onDidRefuse(({ crew, error }) => {
      ask(crew, error).catch((problem: unknown) => logProblem("Asking for another token", problem));
    }),
    poller.onDidChange(() => prompts.keep(poller.refusingCrews())),
  );
}

function messageFor(crew: string, { tokenType }: CrewApiError): string {
  return tokenType === undefined
    ? vscode.l10n.t("“{0}” no longer accepts the token, so its executions are not watched.", crew)
    : vscode.l10n.t(
        "“{0}” no longer accepts {1}, so its executions are not watched.",
        crew,
        describeTokenType(tokenType),
      );
}
