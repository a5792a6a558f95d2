import * as vscode from "vscode";
import type { CrewApiError } from "../api/errors.ts";
import { actionsOf, UserError } from "../base/errors.ts";
import type { Crews } from "../crews/crews.ts";
import { tokenTypeName } from "../crews/token-format.ts";
import { logProblem } from "../editor/log.ts";
import { showError } from "../editor/messages.ts";
import type { Leader } from "../store/leader.ts";
import type { CrewRef } from "../executions/model.ts";
import type { Poller } from "../executions/poller.ts";
import type { Database } from "../store/database.ts";

/** VS Code shows the same words and buttons once: a new message replaces the one before. */
export function refusedToken({ name }: Pick<CrewRef, "name">, error: CrewApiError): UserError {
  const token = error.tokenType ? ` (${tokenTypeName(error.tokenType)})` : "";
  const message = vscode.l10n.t(
    "“{0}” no longer accepts its token{1}, so its executions are not watched.",
    name,
    token,
  );
  return new UserError(message, actionsOf(error));
}

/** Asks for another token: once for each, in one window. */
export function watchRefusedTokens(
  poller: Pick<Poller, "onDidRefuse" | "refusingCrews">,
  leader: Pick<Leader, "confirm">,
  crews: Pick<Crews, "onDidChangeToken">,
  database: Database,
): vscode.Disposable {
  const ask = async (crew: CrewRef, error: CrewApiError) => {
    // The crew may have another token by now.
    if (!leader.confirm() || !poller.refusingCrews().has(crew.id)) return;
    const sql = "INSERT OR IGNORE INTO token_prompts (crew_id, pid, session) VALUES (?, 0, '')";
    if (database.run(sql, crew.id) > 0) await showError(refusedToken(crew, error));
  };
  return vscode.Disposable.from(
    poller.onDidRefuse(({ crew, error }) => {
      ask(crew, error).catch((problem: unknown) => logProblem("Asking for another token", problem));
    }),
    crews.onDidChangeToken((crewId) => {
      database.run("DELETE FROM token_prompts WHERE crew_id = ?", crewId);
    }),
  );
}
