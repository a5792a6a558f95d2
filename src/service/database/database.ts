import { codeOf } from "../../base/errors.ts";
import type { Row } from "../../base/sqlite.ts";

export type Value = string | number | null;

export interface Query {
  /** `?` for each value. Names with several words are quoted, as in `AS "createdAt"`. */
  readonly sql: string;
  readonly values: readonly Value[];
  /** Whether it is asked for rows, not for how many it has changed. */
  readonly isRead: boolean;
}

export interface Answer {
  readonly rows: readonly Row[];
  readonly changes: number;
}

/** A sequence of queries, and its result. It has no other effect, so that it can be repeated. */
export type Work<T> = Generator<Query, T, Answer>;

/** What a process tells others. A notice may get lost, so a process that waits for one also polls. */
export type Notice =
  /** A run may continue, or a callback was added. */
  | { readonly kind: "run" | "callback" }
  | { readonly kind: "ended"; readonly executionId: string }
  /** A process has accepted so many requests of a token since its last notice. */
  | { readonly kind: "requests"; readonly token: string; readonly count: number };

/** Where a service keeps everything: in a file of its own, or in Postgres together with other processes. */
export interface Database {
  /** Whether other processes use it, too. */
  readonly isShared: boolean;
  /** The time that all processes agree on (ms since 1970). */
  readonly now: () => number;
  /** For a single query, or several that only read. */
  query<T>(work: Work<T>): Promise<T>;
  /** One atomic change. With `isSynced`, it outlasts a power cut when the promise resolves. */
  transaction<T>(work: () => Work<T>, isSynced?: boolean): Promise<T>;
  /** Tells all processes, also this one. */
  notify(notice: Notice): void;
  tellOthers(notice: Notice): void;
  /** Returns a function that stops listening. */
  onNotice(listener: (notice: Notice) => void): () => void;
  /** Present where deleted data has to be erased from files. */
  readonly erasure?: Erasure | undefined;
  close(): Promise<void>;
}

/** Erases deleted data from the database's files. */
export interface Erasure {
  /** The next erasure also erases copies of what is deleted, which takes longer: for secrets. Survives a kill. */
  readonly mark: () => Work<unknown>;
  /** Erases soon. */
  readonly plan: () => void;
  /** Erases now, or soon if the log is being read. Returns whether it has erased everything. */
  readonly run: () => boolean;
}

export function* rows(sql: string, ...values: Value[]): Work<readonly Row[]> {
  return (yield { sql, values, isRead: true }).rows;
}

/** Reads the first row. */
export function* row(sql: string, ...values: Value[]): Work<Row | undefined> {
  return (yield { sql, values, isRead: true }).rows[0];
}

/** Changes rows, and returns how many. */
export function* change(sql: string, ...values: Value[]): Work<number> {
  return (yield { sql, values, isRead: false }).changes;
}

/**
 * Whether an error of Postgres says nothing about the query: the connection was lost or refused. What ends a connection need not
 * have a code of its own: on a full disk, new ones may end with an internal error.
 */
export function isLost(error: unknown): boolean {
  const code = codeOf(error) ?? "";
  const severity = error instanceof Error && "severity" in error ? error.severity : undefined;
  return (
    severity === "FATAL" ||
    severity === "PANIC" ||
    /^(CONNECTION_CLOSED|CONNECT_TIMEOUT|ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN)/.test(
      code,
    ) ||
    // Postgres' manual, appendix A: connection, shutdown, start, too many connections.
    /^(080..|57P0[1235]|53300)$/.test(code)
  );
}
