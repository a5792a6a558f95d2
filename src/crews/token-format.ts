import * as l10n from "@vscode/l10n";
import type { TokenType, TypedToken } from "../api/types.ts";
import { UserError } from "../base/errors.ts";
import { asObject, defined, parseJson } from "../base/json.ts";
import type { CrewTokens } from "./types.ts";

export const tokenTypes: readonly TokenType[] = ["bearer", "userBearer"];

export function tokenTypeName(type: TokenType): string {
  return type === "bearer" ? l10n.t("Bearer Token") : l10n.t("User Bearer Token");
}

/** Whoever reads or writes the tokens has checked that it is there. */
export function tokenInUse({ inUse, ...tokens }: CrewTokens): TypedToken {
  return { token: tokens[inUse] ?? "", type: inUse };
}

export function withToken(tokens: CrewTokens | undefined, { token, type }: TypedToken): CrewTokens {
  return { ...tokens, [type]: token, inUse: type };
}

/** One secret per crew, so that both tokens change together. */
export function parseEntry(text: string): CrewTokens | undefined {
  const { inUse, bearer, userBearer } = asObject(parseJson(text));
  const textOf = (value: unknown) => (typeof value === "string" ? value : undefined);
  const tokens = defined({ bearer: textOf(bearer), userBearer: textOf(userBearer) });
  return (inUse === "bearer" || inUse === "userBearer") && tokens[inUse] !== undefined
    ? { inUse, ...tokens }
    : undefined;
}

/** Servers refuse headers of 8 KB and more. */
const maxTokenLength = 7000;

/** Removes white space, quotes, "Bearer" and "Authorization:" around a pasted token. */
export function tokenIn(text: string): string {
  return text
    .trim()
    .replace(/^(["'`])(.*)\1$/s, "$2")
    .replace(/^authorization:\s*/i, "")
    .replace(/^bearer\s+/i, "")
    .trim();
}

/** A header takes visible ASCII only; an error about it would quote the token. */
export function describeTokenProblem(token: string): string | undefined {
  if (token === "") return l10n.t("Paste the token.");
  return token.length <= maxTokenLength && /^[\x21-\x7e]+$/.test(token)
    ? undefined
    : l10n.t(
        "This is not the value of a token. Paste it as the crew's page shows it: letters, digits and signs, without a name, an address or spaces.",
      );
}

export function cleanToken(text: string): string {
  const token = tokenIn(text);
  const problem = describeTokenProblem(token);
  if (problem !== undefined) throw new UserError(problem);
  return token;
}
