import * as l10n from "@vscode/l10n";
import type { TokenType, TypedToken } from "../api/types.ts";
import { asObject, defined, parseJson } from "../base/json.ts";
import type { CrewTokens } from "./types.ts";

/** Specification, Authentication. */
export const tokenTypes: readonly TokenType[] = ["bearer", "userBearer"];

export function otherType(type: TokenType): TokenType {
  return type === "bearer" ? "userBearer" : "bearer";
}

export function tokenTypeName(type: TokenType): string {
  return type === "bearer" ? l10n.t("Bearer Token") : l10n.t("User Bearer Token");
}

export function describeTokenType(type: TokenType): string {
  return type === "bearer"
    ? l10n.t("the organisation's token (Bearer Token)")
    : l10n.t("the user's token (User Bearer Token)");
}

export function tokenInUse(tokens: CrewTokens): TypedToken | undefined {
  const token = tokens[tokens.inUse];
  return token === undefined ? undefined : { token, type: tokens.inUse };
}

export function withToken(tokens: CrewTokens | undefined, { token, type }: TypedToken): CrewTokens {
  return { ...tokens, [type]: token, inUse: type };
}

/** One secret per crew, so that both tokens change together. */
export function formatEntry({ inUse, bearer, userBearer }: CrewTokens): string {
  return JSON.stringify({ inUse, bearer, userBearer });
}

export function parseEntry(text: string): CrewTokens | undefined {
  const { inUse, bearer, userBearer } = asObject(parseJson(text));
  const textOf = (value: unknown) => (typeof value === "string" ? value : undefined);
  const tokens = defined({ bearer: textOf(bearer), userBearer: textOf(userBearer) });
  return (inUse === "bearer" || inUse === "userBearer") && tokens[inUse] !== undefined
    ? { inUse, ...tokens }
    : undefined;
}
