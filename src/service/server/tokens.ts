import { randomBytes, timingSafeEqual } from "node:crypto";
import { digest } from "../../base/bearer.ts";
import type { Caller } from "../model.ts";
import type { ServerToken } from "./config.ts";

/** Stores when each token was last used. */
export interface LastUses {
  /** @param at ms since 1970 */
  note(name: string, at: number): Promise<void>;
  /** When each token was used last, by its name (ms since 1970). */
  all(): Promise<ReadonlyMap<string, number>>;
}

/** Creates a token. It is random, so a fast hash is enough to protect it. Secret scanners can search for its prefix. */
export function newToken(): string {
  return `crew_${randomBytes(32).toString("base64url")}`;
}

export function hashOf(token: string): string {
  return digest(token).toString("hex");
}

/** The token that a client sent; undefined if it is unknown. Takes the same time for each token, so that time reveals nothing. */
export function findToken(
  tokens: readonly ServerToken[],
  bearer: string | undefined,
): ServerToken | undefined {
  const given = digest(bearer ?? "");
  let found: ServerToken | undefined;
  for (const token of tokens)
    if (timingSafeEqual(given, Buffer.from(token.hash, "hex"))) found = token;
  return bearer === undefined ? undefined : found;
}

export function mayUse({ crews }: ServerToken, crew: string): boolean {
  return crews === "all" || crews.includes(crew);
}

/** Whose executions a token sees. A user's executions belong to the token's name, so a new token with that name sees them, too. */
export function callerOf({ name, kind }: ServerToken): Caller {
  if (kind === "organization") return { type: "bearer", owner: "bearer" };
  return { type: "userBearer", owner: `user ${name}` };
}
