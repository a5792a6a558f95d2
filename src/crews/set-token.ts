import * as vscode from "vscode";
import type { TokenType, TypedToken } from "../api/types.ts";
import { UserError } from "../base/errors.ts";
import { oneOf, read } from "../editor/arguments.ts";
import { showStatus } from "../editor/messages.ts";
import { tokenMembers } from "./connect.ts";
import { converse } from "./conversation.ts";
import type { Crews } from "./crews.ts";
import { askAfterFailure, askToken, askTokenType, whileTesting } from "./questions.ts";
import { describeTokenType, otherType, tokenTypeName, tokenTypes } from "./token-format.ts";
import type { Crew } from "./types.ts";

/**
 * Undefined if cancelled.
 * @param request `url` replaces the crew's; asks if there is no `type`; `use` takes the stored token of the other type
 */
export async function askForToken<T>(
  crews: Crews,
  crew: Crew,
  save: (token: TypedToken) => Promise<T>,
  request: {
    readonly why?: string;
    readonly url?: string;
    readonly type?: TokenType | undefined;
    readonly use?: (type: TokenType) => Promise<T>;
  },
): Promise<T | undefined> {
  let token = "";
  const state = await crews.tokenState(crew.id);
  let type = request.type ?? (state.kind === "stored" ? state.inUse : "bearer");
  const { use } = request;
  const other =
    state.kind === "stored" && state.types.length > 1 ? otherType(state.inUse) : undefined;
  let isStored = false;
  const title = vscode.l10n.t("Token of “{0}”", crew.name);
  const name = `“${crew.name}”`;
  return converse<"tokenType" | "token", T>({
    steps: () =>
      isStored ? ["tokenType"] : request.type === undefined ? ["tokenType", "token"] : ["token"],
    async ask(step, position) {
      if (step === "tokenType") {
        const shown = request.url === undefined ? state : undefined;
        const { left, value } = await askTokenType<"stored">({
          ...{ title, position, active: type, state: shown },
          more: use === undefined || other === undefined ? [] : [storedChoice(other)],
        });
        isStored = value === "stored";
        type = value === "stored" ? (other ?? type) : (value ?? type);
        return left;
      }
      const { why } = request;
      const { dashboardUrl } = crew;
      const question = { title, position, crew: name, type, value: token, dashboardUrl, why };
      const { left, value } = await askToken(question);
      token = value;
      // After a stored token failed, this one is typed in its place.
      isStored = false;
      return left;
    },
    async finish({ untested }) {
      if (isStored && use !== undefined) return use(type);
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

function storedChoice(type: TokenType) {
  const label = vscode.l10n.t("Use {0}", tokenTypeName(type));
  return { value: "stored" as const, label, description: vscode.l10n.t("stored") };
}

/**
 * Asks for the rest. False if the person cancels.
 * @param raw `{crew, tokenType?, token?}`, or `{crew, use}` to use a stored token of that type
 */
export async function setToken(crews: Crews, crew: Crew, raw?: unknown): Promise<boolean> {
  const members = { ...tokenMembers, use: oneOf(tokenTypes) };
  const { token, tokenType, use: stored } = read(members, raw);
  const said = (type: TokenType) => {
    showStatus(vscode.l10n.t("“{0}” now uses {1}.", crew.name, describeTokenType(type)));
    return true;
  };
  const use = async (type: TokenType) => {
    await crews.useToken(crew, type);
    return said(type);
  };
  const save = async (typed: TypedToken) => {
    await crews.setToken(crew.id, typed);
    return said(typed.type);
  };
  if (stored !== undefined) return use(stored);
  if (crew.local !== undefined)
    throw new UserError(
      vscode.l10n.t("“{0}” runs on this machine and creates its own token.", crew.name),
    );
  if (token === undefined)
    return (await askForToken(crews, crew, save, { type: tokenType, use })) ?? false;
  const typed: TypedToken = { token, type: tokenType ?? "bearer" };
  await crews.test({ url: crew.url, token: typed });
  return save(typed);
}
