import { defined } from "../base/json.ts";
import type { TokenType } from "../api/types.ts";
import type { CrewTokens, StoredToken } from "./types.ts";

/** Both kinds of token (specification, Authentication), the organisation's first. */
export const tokenTypes: readonly TokenType[] = ["bearer", "userBearer"];

/** The kind that is not this one. */
export function otherType(type: TokenType): TokenType {
  return type === "bearer" ? "userBearer" : "bearer";
}

/** The token that is in use. */
export function tokenInUse(tokens: CrewTokens): StoredToken | undefined {
  const token = tokens[tokens.inUse];
  return token === undefined ? undefined : { token, type: tokens.inUse };
}

/** The tokens with one more, or with another in the place of the one of its kind; it is in use from then on. */
export function withToken(
  tokens: CrewTokens | undefined,
  { token, type }: StoredToken,
): CrewTokens {
  return { ...tokens, [type]: token, inUse: type };
}

/** A crew's tokens as the text of one secret, so that both come, change and go together. */
export function formatEntry({ inUse, bearer, userBearer }: CrewTokens): string {
  return JSON.stringify({
    inUse,
    ...defined({ bearer, userBearer }),
  });
}

/**
 * The tokens in the text of a secret, or nothing where it is not one of ours. Version 0.1 kept one token as
 * `{"token", "type"}`; such an entry is read as well, and has today's form when it is written the next time.
 */
export function parseEntry(text: string): CrewTokens | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message would quote the secret; the caller tells that it cannot be read.
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const entry: Partial<Record<string, unknown>> = { ...value };
  const { token, type } = entry;
  if (typeof token === "string" && isTokenType(type)) return { inUse: type, [type]: token };
  const { inUse, bearer, userBearer } = entry;
  if (!isTokenType(inUse) || typeof entry[inUse] !== "string") return undefined;
  return {
    inUse,
    ...(typeof bearer === "string" ? { bearer } : {}),
    ...(typeof userBearer === "string" ? { userBearer } : {}),
  };
}

function isTokenType(value: unknown): value is TokenType {
  return value === "bearer" || value === "userBearer";
}
