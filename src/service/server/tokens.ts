import { randomBytes } from "node:crypto";
import { parseJson } from "../../base/json.ts";
import { digest } from "../../base/bearer.ts";
import { change, insert, rows, type Database, type Work } from "../database/database.ts";
import { messageOf } from "../errors.ts";
import type { Caller } from "../model.ts";
import type { Log } from "../operations/log.ts";

export interface Token {
  readonly name: string;
  readonly kind: "organization" | "user";
  readonly crews: "all" | readonly string[];
  /** SHA-256, in hexadecimal digits. A token is random, so a fast hash is enough to protect it. */
  readonly hash: string;
  /** ms since 1970. Null if it is valid until it is revoked. */
  readonly expiresAt?: number | null;
  readonly usedAt?: number | null;
}

export interface Tokens {
  /** Undefined for a token that is unknown, revoked or no longer valid. */
  find(bearer: string | undefined): Token | undefined;
  noteUse(token: Token): void;
}

/** Secret scanners can search for its prefix. */
export function newToken(): string {
  return `crew_${randomBytes(32).toString("base64url")}`;
}

export function hashOf(token: string): string {
  return digest(token).toString("hex");
}

export function mayUse({ crews }: Token, crew: string): boolean {
  return crews === "all" || crews.includes(crew);
}

/** Whose executions a token sees. A user's executions belong to the token's name, so a new token with that name sees them, too. */
export function callerOf({ name, kind }: Token): Caller {
  const type = kind === "organization" ? "bearer" : "userBearer";
  return { type, owner: name === "" ? type : `${kind} ${name}` };
}

export function* storedTokens(): Work<readonly Token[]> {
  const found = yield* rows(
    `SELECT name, kind, crews, hash, expires_at AS "expiresAt", used_at AS "usedAt" FROM tokens
     WHERE revoked_at IS NULL ORDER BY lower(name)`,
  );
  // Only this program writes the table.
  return found.map(({ crews, ...stored }) => {
    const token: object = { ...stored, crews: parseJson(String(crews)) };
    return token as Token;
  });
}

/** Returns false if there is a token of this name, or if this one was ever added. */
export function* addToken(token: Token): Work<boolean> {
  const { name, kind, crews, hash, expiresAt = null } = token;
  const values = { name, kind, crews: JSON.stringify(crews), hash, expires_at: expiresAt };
  return (yield* insert("tokens", values)).length > 0;
}

export function* revokeToken(name: string, now: number): Work<boolean> {
  const sql =
    "UPDATE tokens SET revoked_at = ? WHERE lower(name) = lower(?) AND revoked_at IS NULL";
  return (yield* change(sql, now, name)) > 0;
}

/** How often the tokens are read again (ms): `crewdeck token` changes them. */
const lookMs = 1000;
/** The use of a token is stored at most this often (ms). */
const notedMs = 60_000;

/** The tokens in the database, also those that are added or revoked later. */
export async function openTokens(database: Database, log: Log): Promise<Tokens> {
  let known = new Map<string, Token>();
  const noted = new Map<string, number>();
  const read = async () => {
    const tokens = await database.query(storedTokens());
    known = new Map(tokens.map((token) => [token.hash, token]));
  };
  await read();
  if (known.size === 0)
    log(
      'There are no tokens, so nobody can use the crews. Add one with "crewdeck token add NAME".',
    );
  // While the database can't be read, each request is refused and says so.
  setInterval(() => void read().catch(() => undefined), lookMs).unref();
  return {
    find(bearer) {
      const token = bearer === undefined ? undefined : known.get(hashOf(bearer));
      return token && database.now() < (token.expiresAt ?? Infinity) ? token : undefined;
    },
    noteUse({ name, hash }) {
      const now = database.now();
      if (now - (noted.get(hash) ?? 0) < notedMs) return;
      noted.set(hash, now);
      const use = change("UPDATE tokens SET used_at = ? WHERE hash = ?", now, hash);
      database.query(use).catch((error: unknown) => {
        log(`The last use of the token "${name}" could not be noted: ${messageOf(error)}`);
      });
    },
  };
}

/** Those of the person who started the service, who alone has them: they have no names. */
export function ownTokens(own: { readonly token: string; readonly userToken: string }): Tokens {
  return tokensOf([
    { name: "", kind: "organization", crews: "all", hash: hashOf(own.token) },
    { name: "", kind: "user", crews: "all", hash: hashOf(own.userToken) },
  ]);
}

export function tokensOf(list: readonly Token[]): Tokens {
  const known = new Map(list.map((token) => [token.hash, token]));
  return {
    find: (bearer) => (bearer === undefined ? undefined : known.get(hashOf(bearer))),
    noteUse: () => undefined,
  };
}
