import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "../../base/errors.ts";
import type { Row } from "../../base/sqlite.ts";

export type Value = string | number | null;

export interface Query {
  /** `?` for each value. Names with several words are quoted, as in `AS "createdAt"`. */
  readonly sql: string;
  /** Undefined for a script of several statements. */
  readonly values: readonly Value[] | undefined;
  /** Whether it is asked for rows, not for how many it has changed. */
  readonly isRead: boolean;
}

export interface Answer {
  readonly rows: readonly Row[];
  readonly changes: number;
}

/** What a library asks as part of a change, on the change's connection. Only for a shared database. */
export interface Call {
  readonly call: (ask: Ask) => Promise<unknown>;
}

export type Ask = (text: string, values?: unknown[]) => Promise<{ rows: Row[] }>;

/** A sequence of queries, and its result. It has no other effect, so that it can be repeated. */
export type Work<T> = Generator<Query | Call | Telling, T, Answer>;

interface Telling {
  readonly notice: Notice;
}

/** What a process tells others. A notice may get lost, so a process that waits for one also polls. */
export type Notice =
  | { readonly kind: "job" | "callback" }
  /** `answered`: a person has answered what one of its calls waits for. */
  | { readonly kind: "ended" | "answered"; readonly executionId: string };

/** Where a service keeps everything: in a file of its own, or in Postgres together with other processes. */
export interface Database {
  /** The time that all processes agree on (ms since 1970). */
  readonly now: () => number;
  /** For a single query, or several that only read. */
  query<T>(work: Work<T>): Promise<T>;
  /** One atomic change. With `isSynced`, it outlasts a power cut when the promise resolves. */
  transaction<T>(work: () => Work<T>, isSynced?: boolean): Promise<T>;
  onNotice(listener: (notice: Notice) => void): () => void;
  close(): Promise<void>;
}

/** Tells all processes, also this one, once the change is stored. */
export function* tell(notice: Notice): Work<void> {
  yield { notice };
}

export function* rows(sql: string, ...values: Value[]): Work<readonly Row[]> {
  return (yield { sql, values, isRead: true }).rows;
}

export function* row(sql: string, ...values: Value[]): Work<Row | undefined> {
  return (yield { sql, values, isRead: true }).rows[0];
}

export function* change(sql: string, ...values: Value[]): Work<number> {
  return (yield { sql, values, isRead: false }).changes;
}

/** Adds rows with the same columns, but for those whose key is there. Returns the first column of those that were added. */
export function* insert(
  table: string,
  ...list: readonly Readonly<Record<string, Value>>[]
): Work<readonly Row[]> {
  const columns = Object.keys(list[0] ?? {});
  const marks = `(${columns.map(() => "?").join(", ")})`;
  const added: Row[] = [];
  for (let first = 0; first < list.length; first += mostInserted) {
    const some = list.slice(first, first + mostInserted);
    const found = yield* rows(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${some.map(() => marks).join(", ")}
       ON CONFLICT DO NOTHING RETURNING ${columns[0]}`,
      ...some.flatMap((values) => Object.values(values)),
    );
    added.push(...found);
  }
  return added;
}

/** Of one statement: each number of rows is another one to prepare. */
const mostInserted = 20;

export function* script(sql: string): Work<void> {
  yield { sql, values: undefined, isRead: false };
}

/**
 * Whether an error of Postgres says nothing about the query: the connection was lost or refused. What ends a connection need not
 * have a code of its own: on a full disk, new ones may end with an internal error.
 */
export function isLost(error: unknown): boolean {
  const code = codeOf(error) ?? "";
  const severity = error instanceof Error && "severity" in error ? error.severity : undefined;
  // pg's own errors have no code.
  const isOfConnection =
    error instanceof Error &&
    /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|Query read timeout)/.test(
      error.message,
    );
  return (
    isOfConnection ||
    severity === "FATAL" ||
    severity === "PANIC" ||
    /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN)/.test(code) ||
    // Postgres' manual, appendix A: connection, shutdown, start, too many connections.
    /^(080..|57P0[1235]|53300)$/.test(code)
  );
}

/** Repeats what can be repeated until the database can be reached, and can store it. */
export async function patiently<T>(
  action: () => Promise<T>,
  onFirst: (error: unknown) => void = () => undefined,
): Promise<T> {
  for (let pause = 100; ; pause = Math.min(2 * pause, 2000)) {
    try {
      return await action();
    } catch (error) {
      if (!isLost(error) && !isPassing(error)) throw error;
      if (pause === 100) onFirst(error);
      await sleep(pause);
    }
  }
}

/**
 * Whether a database refuses now what it will take later: a full disk or too little memory, a database that can't be written
 * while another server takes over, or a deadlock.
 */
function isPassing(error: unknown): boolean {
  if (/^(53...|25006|40001|40P01)$/.test(codeOf(error) ?? "")) return true;
  // SQLite's manual, result codes: BUSY, IOERR, FULL.
  const result = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0;
  return result === 5 || result === 10 || result === 13;
}

/** The same database, for runs: what they store can be repeated. */
export function patient(database: Database, log: (line: string) => void): Database {
  const onFirst = (error: unknown) =>
    log(`An execution waits until the database can be used: ${String(error)}`);
  return {
    ...database,
    // Each query alone: the work as a whole can't begin again.
    query: async (work) => {
      let step = work.next({ rows: [], changes: 0 });
      while (step.done !== true) {
        const asked = step.value;
        step = work.next(await patiently(() => database.query(answerOf(asked)), onFirst));
      }
      return step.value;
    },
    transaction: (work, isSynced) => patiently(() => database.transaction(work, isSynced), onFirst),
  };
}

function* answerOf(asked: Query | Call | Telling): Work<Answer> {
  return yield asked;
}
