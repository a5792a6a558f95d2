import * as vscode from "vscode";
import type { TokenType, TypedToken } from "../api/types.ts";
import { NothingToDo, UserError } from "../base/errors.ts";
import { plainLabel, showStatus } from "../editor/messages.ts";
import { readToken } from "./connect.ts";
import { converse } from "./conversation.ts";
import type { Crews } from "./crews.ts";
import { askAfterFailure, askToken, askTokenType, whileTesting } from "./questions.ts";
import { describeTokenType, otherType, tokenTypeName } from "./token-format.ts";
import type { Crew } from "./types.ts";

/** Undefined if cancelled. @param request `url` replaces the crew's; asks if there is no `type` */
export async function askForToken<T>(
  crews: Crews,
  crew: Crew,
  save: (token: TypedToken) => Promise<T>,
  request: { readonly why?: string; readonly url?: string; readonly type?: TokenType | undefined },
): Promise<T | undefined> {
  let token = "";
  const state = await crews.tokenState(crew.id);
  let type = request.type ?? (state.kind === "stored" ? state.inUse : "bearer");
  const title = vscode.l10n.t("Token of “{0}”", crew.name);
  const name = `“${crew.name}”`;
  return converse<"tokenType" | "token", T>({
    steps: () => (request.type === undefined ? ["tokenType", "token"] : ["token"]),
    async ask(step, position) {
      if (step === "tokenType") {
        const shown = request.url === undefined ? state : undefined;
        const { left, value } = await askTokenType({ title, position, active: type, state: shown });
        type = value ?? type;
        return left;
      }
      const { why } = request;
      const { dashboardUrl } = crew;
      const question = { title, position, crew: name, type, value: token, dashboardUrl, why };
      const { left, value } = await askToken(question);
      token = value;
      return left;
    },
    async finish({ untested }) {
      const typed = { token, type };
      const candidate = { url: request.url ?? crew.url, token: typed };
      if (!untested) await whileTesting(name, (signal) => crews.test(candidate, signal));
      return save(typed);
    },
    failed: (error) =>
      askAfterFailure(error, vscode.l10n.t("The token of “{0}” is not saved yet", crew.name), {
        token: "token",
        last: "token",
      }),
  });
}

/** Asks for the rest. False if the person cancels. @param raw `{crew, tokenType?, token?}` */
export async function setToken(crews: Crews, crew: Crew, raw?: unknown): Promise<boolean> {
  if (crew.local !== undefined)
    throw new UserError(
      vscode.l10n.t("“{0}” runs on this machine and creates its own token.", crew.name),
    );
  const given = readToken(raw);
  const save = async (token: TypedToken) => {
    await crews.setToken(crew.id, token);
    showStatus(vscode.l10n.t("“{0}” now uses {1}.", crew.name, describeTokenType(token.type)));
    return true;
  };
  if (given.token === undefined)
    return (await askForToken(crews, crew, save, { type: given.tokenType })) ?? false;
  const token: TypedToken = { token: given.token, type: given.tokenType ?? "bearer" };
  await crews.test({ url: crew.url, token });
  return save(token);
}

/** Uses the other token, or the given type. @throws UserError if it isn't on this machine */
export async function switchToken(crews: Crews, crew: Crew, raw?: unknown): Promise<object> {
  const state = await crews.tokenState(crew.id);
  const tokenType =
    readToken(raw).tokenType ?? otherType(state.kind === "stored" ? state.inUse : "userBearer");
  await crews.useToken(crew, tokenType);
  showStatus(vscode.l10n.t("“{0}” now uses {1}.", crew.name, describeTokenType(tokenType)));
  return { crew: crew.name, tokenType };
}

/** Undefined if the person cancels. @throws NothingToDo if no crew has both tokens */
export async function chooseCrewWithTwoTokens(crews: Crews): Promise<Crew | undefined> {
  const states = await Promise.all(
    crews.list().map(async (crew) => ({ crew, state: await crews.tokenState(crew.id) })),
  );
  const items = states.flatMap(({ crew, state }) => {
    if (state.kind !== "stored" || state.types.length < 2) return [];
    const other = tokenTypeName(otherType(state.inUse));
    const used = tokenTypeName(state.inUse);
    const description = vscode.l10n.t("{0} in use; switch to {1}", used, other);
    return [{ label: plainLabel(crew.name), description, crew }];
  });
  if (items.length === 0)
    throw new NothingToDo(
      vscode.l10n.t("No crew has both tokens on this machine. Set the other token of one first."),
      [{ title: vscode.l10n.t("Set Token"), command: "crewdeck.setToken" }],
    );
  const placeHolder = vscode.l10n.t("Switch the token of which crew?");
  return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true }))
    ?.crew;
}
