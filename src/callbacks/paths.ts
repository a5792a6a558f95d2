import { randomBytes, timingSafeEqual } from "node:crypto";
import * as l10n from "@vscode/l10n";
import { digest, hashOf } from "../base/bearer.ts";
import { type Clock, wait } from "../base/clock.ts";
import { messageOf } from "../base/errors.ts";
import { integer, text } from "../base/sqlite.ts";
import type { Database } from "../store/database.ts";

/** How often to look whether a probe has arrived, perhaps in another window (ms). */
const lookEvery = 20;

/** The secret paths where executions' callbacks arrive, and probes: requests of this machine to itself. All windows share them. */
export class Paths {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  of(localId: string): string | undefined {
    const select = "SELECT path FROM callback_paths WHERE local_id = ?";
    const row = this.#database.get(select, localId);
    return row && text(row, "path");
  }

  /** @throws StoreError, also if the execution is not tracked */
  keep(localId: string, path: string): void {
    this.#database.run("INSERT OR IGNORE INTO callback_paths VALUES (?, ?)", localId, path);
  }

  localIds(): ReadonlySet<string> {
    const rows = this.#database.all("SELECT local_id FROM callback_paths");
    return new Set(rows.map((row) => text(row, "local_id")));
  }

  find(path: string): string | undefined {
    const select = "SELECT local_id FROM callback_paths WHERE path = ?";
    const row = this.#database.get(select, lastSegment(path));
    return row && text(row, "local_id");
  }

  /** Creates a token for the crew to send. Earlier tokens stay valid, because callbacks may be late. */
  newToken(localId: string): string {
    const token = newSecret();
    const insert = "INSERT INTO callback_authorizations VALUES (?, ?)";
    this.#database.run(insert, localId, hashOf(`Bearer ${token}`));
    return token;
  }

  /** Whether an `Authorization` header has one of the execution's tokens. True if there are none. Compares in constant time. */
  isAuthorized(localId: string, header: string): boolean {
    const given = digest(header);
    const accepted = this.#database
      .all("SELECT hash FROM callback_authorizations WHERE local_id = ?", localId)
      .map((row) => Buffer.from(text(row, "hash"), "base64url"));
    const equal = accepted.filter((hash) => timingSafeEqual(hash, given));
    return accepted.length === 0 || equal.length > 0;
  }

  /** Remembers a callback's key, and returns whether it is new. Call it in the transaction that stores the callback. */
  isNew(localId: string, key: string): boolean {
    const insert = "INSERT OR IGNORE INTO received_callbacks VALUES (?, ?)";
    return this.#database.run(insert, localId, key) === 1;
  }

  port(): number | undefined {
    const row = this.#database.get("SELECT port FROM receiver");
    return row && integer(row, "port");
  }

  /** Stores the port, unless another window has changed it since `before`. @returns the stored port */
  replacePort(before: number | undefined, port: number): number {
    return this.#database.write(() => {
      const now = this.port();
      if (now !== before && now !== undefined) return now;
      this.#database.run("INSERT OR REPLACE INTO receiver VALUES (1, ?)", port);
      return port;
    });
  }

  isProbe(path: string): boolean {
    const select = "SELECT 1 FROM callback_probes WHERE path = ?";
    return this.#database.get(select, lastSegment(path)) !== undefined;
  }

  arrive(path: string): boolean {
    const update = "UPDATE callback_probes SET has_arrived = 1 WHERE path = ?";
    return this.isProbe(path) && this.#database.run(update, lastSegment(path)) === 1;
  }

  /**
   * Sends a request, without token and cookie, to an address that should lead to this machine.
   * @param isDirect whether no relay is in between. Then the request has arrived before it is answered, or never will
   * @returns how long it took (ms), or a text that says why it did not arrive
   */
  async roundTrip(
    urlOf: (path: string) => string,
    timeoutMs: number,
    isDirect = false,
  ): Promise<number | string> {
    const began = this.#clock.now();
    const path = newSecret();
    this.#database.write(() => {
      // Tests that never ended.
      this.#database.run("DELETE FROM callback_probes WHERE at < ?", began - 60 * 60_000);
      this.#database.run("INSERT INTO callback_probes (path, at) VALUES (?, ?)", path, began);
    });
    const signal = AbortSignal.timeout(timeoutMs);
    const late = l10n.t("nothing arrived here within {0} seconds", timeoutMs / 1000);
    try {
      const response = await fetch(urlOf(path), {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: "{}",
        redirect: "manual",
        signal,
      });
      await response.body?.cancel();
      if (!response.ok) return l10n.t("it answered with the status {0}", response.status);
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      return signal.aborted ? late : messageOf(cause);
    }
    const arrived = "SELECT 1 FROM callback_probes WHERE path = ? AND has_arrived = 1";
    // A relay answers before it delivers.
    while (this.#database.get(arrived, path) === undefined)
      if (isDirect || !(await wait(this.#clock, lookEvery, signal))) return late;
    return this.#clock.now() - began;
  }
}

/** The secret in a request's path. A reverse proxy may have put more before it. */
export function lastSegment(path: string): string {
  const [place = ""] = path.split(/[?#]/);
  return place.split("/").findLast((part) => part !== "") ?? "";
}

/** A path that can't be guessed, and is never logged. */
export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}
