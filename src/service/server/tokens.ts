import { randomBytes, timingSafeEqual } from "node:crypto";
import { digest } from "../../base/bearer.ts";
import type { Caller } from "../model.ts";
import type { ServerToken } from "./config.ts";

/** Keeps when each token was used last. */
export interface LastUses {
  /** @param at ms since 1970 */
  note(name: string, at: number): Promise<void>;
  /** When each token was used last, by its name (ms since 1970). */
  all(): Promise<ReadonlyMap<string, number>>;
}

/** It can't be guessed, so a fast hash protects it. Searches for leaked secrets find the prefix. */
export function newToken(): string {
  return `crew_${randomBytes(32).toString("base64url")}`;
}

export function hashOf(token: string): string {
  return digest(token).toString("hex");
}

/** Takes the same time for each of them, and for an unknown token. */
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

/** Executions belong to a user's name, so they stay with a new token of that name. */
export function callerOf({ name, kind }: ServerToken): Caller {
  if (kind === "organization") return { type: "bearer", owner: "bearer" };
  return { type: "userBearer", owner: `user ${name}` };
}
