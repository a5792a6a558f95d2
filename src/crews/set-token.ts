import { defined } from "../base/json.ts";
import * as vscode from "vscode";
import type { TokenType } from "../api/types.ts";
import { UserError } from "../editor/errors.ts";
import { showStatus } from "../editor/messages.ts";
import { readTokenArguments } from "./arguments.ts";
import {
  converse,
  type AfterFailure,
  type Conversation,
  type Left,
  type Position,
} from "./conversation.ts";
import type { Crews } from "./crews.ts";
import { askAfterFailure } from "./failure.ts";
import { whileTesting } from "./progress.ts";
import { askToken, askTokenType } from "./questions.ts";
import { tokenInWords } from "./token-words.ts";
import type { Crew, StoredToken } from "./types.ts";

type Step = "tokenType" | "token";

/** What is known of a token before it is asked for. */
interface TokenWish {
  /** Said in the first question: why a token is asked for. */
  readonly why?: string;
  /** The address that the token is for; the crew's own where absent. */
  readonly url?: string;
  /** Which of the two is asked for; the person chooses where absent. */
  readonly type?: TokenType | undefined;
}

/**
 * Asks which of a crew's two tokens is to be set, and for the token, tests it at an address and hands it to `save`.
 * @returns what `save` made, or nothing when the person cancelled
 */
export async function askForToken<T>(
  crews: Crews,
  crew: Crew,
  save: (token: StoredToken) => Promise<T>,
  { why, url, type: wanted }: TokenWish = {},
): Promise<T | undefined> {
  let token = "";
  const state = await crews.tokenState(crew.id);
  let type = wanted ?? (state.kind === "stored" ? state.inUse : "bearer");
  const title = vscode.l10n.t("Token of “{0}”", crew.name);
  const conversation: Conversation<Step, T> = {
    steps: () => (wanted === undefined ? ["tokenType", "token"] : ["token"]),
    async ask(step: Step, position: Position): Promise<Left> {
      if (step === "token") {
        const { left, value } = await askToken({
          title,
          position,
          crew: `“${crew.name}”`,
          type,
          value: token,
          dashboardUrl: crew.dashboardUrl,
          ...defined({ why }),
        });
        token = value;
        return left;
      }
      const { left, value } = await askTokenType({
        title,
        position,
        active: type,
        ...(url === undefined ? { state } : {}),
      });
      if (value !== undefined) type = value;
      return left;
    },
    async finish({ untested }) {
      const candidate = { url: url ?? crew.url, token: { token, type } };
      if (!untested)
        await whileTesting(`“${crew.name}”`, (signal) => crews.test(candidate, signal));
      return save(candidate.token);
    },
    failed: (error): Promise<AfterFailure<Step>> =>
      askAfterFailure<Step>(
        error,
        vscode.l10n.t("The token of “{0}” is not saved yet", crew.name),
        { token: "token", last: "token" },
      ),
  };
  return converse(conversation);
}

/**
 * Sets one of a crew's two tokens after a test, and puts it in use. What the argument gives is not asked; with a token in it nothing is.
 * @param raw `{crew, tokenType?, token?}`; `bearer` where a token is given without its kind
 * @returns whether a token was stored
 * @throws UserError for a local crew or a wrong argument; with a token given also CrewApiError when the test fails
 */
export async function setToken(crews: Crews, crew: Crew, raw?: unknown): Promise<boolean> {
  if (crew.local !== undefined)
    throw new UserError(
      vscode.l10n.t("“{0}” runs on this machine and makes its token itself.", crew.name),
    );
  const given = readTokenArguments(raw);
  const save = async (token: StoredToken) => {
    await crews.setToken(crew.id, token);
    showStatus(vscode.l10n.t("“{0}” uses {1} now.", crew.name, tokenInWords(token.type)));
    return true;
  };
  if (given.token === undefined)
    return (await askForToken(crews, crew, save, { type: given.tokenType })) ?? false;
  const token: StoredToken = { token: given.token, type: given.tokenType ?? "bearer" };
  await crews.test({ url: crew.url, token });
  return save(token);
}
