import * as vscode from "vscode";
import type { TokenType } from "../api/types.ts";
import { UserError } from "../editor/errors.ts";
import { logProblem } from "../editor/log.ts";
import { converse, type AfterFailure, type Conversation, type Left, type Position } from "./conversation.ts";
import type { Crews } from "./crews.ts";
import { askAfterFailure } from "./failure.ts";
import { whileTesting } from "./progress.ts";
import { askToken, askTokenType } from "./questions.ts";
import type { Crew, StoredToken } from "./types.ts";

type Step = "token" | "tokenType";

/**
 * Asks for a crew's token and its kind, tests them at an address and hands them to `save`.
 * @param options `why` says in the first question why a token is asked for; `url` is the address it is for, the crew's own where absent
 * @returns what `save` made, or nothing when the person cancelled
 */
export async function askForToken<T>(crews: Crews, crew: Crew, save: (token: StoredToken) => Promise<T>, options: { readonly why?: string; readonly url?: string } = {}): Promise<T | undefined> {
  let token = "";
  let type = await typeSoFar(crews, crew);
  const title = vscode.l10n.t("Token of {0}", crew.name);
  const conversation: Conversation<Step, T> = {
    steps: () => ["token", "tokenType"],
    async ask(step: Step, position: Position): Promise<Left> {
      if (step === "token") {
        const { left, value } = await askToken({ title, position, crew: crew.name, value: token, dashboardUrl: crew.dashboardUrl, ...(options.why === undefined ? {} : { why: options.why }) });
        token = value;
        return left;
      }
      const { left, value } = await askTokenType({ title, position, active: type });
      if (value !== undefined) type = value;
      return left;
    },
    async finish({ untested }) {
      const candidate = { url: options.url ?? crew.url, token: { token, type } };
      if (!untested) await whileTesting(crew.name, (signal) => crews.test(candidate, signal));
      return save(candidate.token);
    },
    failed: (error): Promise<AfterFailure<Step>> => askAfterFailure<Step>(error, vscode.l10n.t("The token of {0} is not saved yet", crew.name), { token: "token", last: "tokenType" }),
  };
  return converse(conversation);
}

/**
 * Replaces a crew's token after a test. @returns whether a token was stored
 * @throws UserError for a local crew
 */
export async function setToken(crews: Crews, crew: Crew): Promise<boolean> {
  if (crew.local !== undefined) throw new UserError(vscode.l10n.t("{0} runs on this machine and makes its token itself.", crew.name));
  const saved = await askForToken(crews, crew, async (token) => {
    await crews.setToken(crew.id, token);
    return true;
  });
  return saved ?? false;
}

async function typeSoFar(crews: Crews, crew: Crew): Promise<TokenType> {
  try {
    return (await crews.token(crew.id))?.type ?? "bearer";
  } catch (error) {
    // A token that cannot be read back is about to be replaced; only its kind is missing as a suggestion.
    logProblem("Reading the token that is to be replaced", error);
    return "bearer";
  }
}
