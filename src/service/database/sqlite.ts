import { EventEmitter } from "node:events";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { openSqlite, transaction, type Row } from "../../base/sqlite.ts";
import { tellOfJobs } from "../jobs.ts";
import type { Database, Notice, Query, Work } from "./database.ts";
import { migrate, versionTable, type Dialect } from "./schema.ts";

export interface SqliteDatabase extends Database {
  /** One atomic change at a start, before others. */
  readonly changeNow: <T>(work: Work<T>) => T;
}

/** A file that this process alone uses. Throws if it isn't a database, is damaged or can't be written. */
export function openSqliteDatabase(file: string): SqliteDatabase {
  const connection = openSqlite(file);
  check(connection);
  // A power cut loses no write that somebody has heard of: a synced change follows before, and syncs those before it, too.
  // IDs are random, so that changes are all over the file: more of its pages are kept in memory (KiB) and in the log (pages).
  // `crewdeck token` writes while a server has the file.
  connection.exec(
    `PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL;
     PRAGMA cache_size = -64000; PRAGMA wal_autocheckpoint = 4000;`,
  );
  // A file that can't be written is refused now, not at the first kickoff.
  connection.exec("PRAGMA user_version = 0");
  const notices = new EventEmitter<{ notice: [Notice] }>().setMaxListeners(0);
  const statements = new Map<string, StatementSync>();
  const commits = createCommits(connection);

  function prepare(sql: string): StatementSync {
    let statement = statements.get(sql);
    // The file has one writer, so rows need no locks.
    if (!statement)
      statements.set(
        sql,
        (statement = connection.prepare(sql.replace(/ FOR (SHARE|UPDATE)/g, ""))),
      );
    return statement;
  }

  function answer({ sql, values, isRead }: Query) {
    if (values === undefined) {
      connection.exec(sql);
      return nothing;
    }
    const statement = prepare(sql);
    if (isRead) return { rows: statement.all(...values) as readonly Row[], changes: 0 };
    return { rows: [], changes: Number(statement.run(...values).changes) };
  }

  /** Synchronous, so that no other write intervenes. */
  function finish<T>(work: Work<T>, told: Notice[]): T {
    let step = work.next(nothing);
    while (step.done !== true) {
      const asked = step.value;
      if ("call" in asked) throw new Error("A file has no library of its own.");
      if ("notice" in asked) told.push(asked.notice);
      step = work.next("sql" in asked ? answer(asked) : nothing);
    }
    return step.value;
  }

  function tell(told: readonly Notice[]): void {
    for (const notice of told) notices.emit("notice", notice);
  }

  const changeNow = <T>(work: Work<T>): T => transaction(connection, () => finish(work, []));
  changeNow(migrate(dialect));
  return {
    changeNow,
    now: () => Date.now(),
    // An async function rejects where this throws.
    query: async (work) => {
      const told: Notice[] = [];
      const result = await Promise.resolve(finish(work, told));
      tell(told);
      return result;
    },
    transaction: async (work, isSynced = false) => {
      const told: Notice[] = [];
      const action = () => {
        told.length = 0;
        return finish(work(), told);
      };
      const result = await commits.add(action, isSynced);
      tell(told);
      return result;
    },
    onNotice: (listener) => {
      notices.on("notice", listener);
      return () => notices.off("notice", listener);
    },
    close: () => {
      commits.flush();
      if (connection.isOpen) connection.close();
      return Promise.resolve();
    },
  };
}

const nothing = { rows: [], changes: 0 };

interface Change {
  readonly isSynced: boolean;
  /** Makes the change. Returns a function that reports its success, to be called once it is stored. */
  run(): () => void;
  fail(error: unknown): void;
}

/** How long the first of several changes waits for others (ms): about as long as the disk takes. */
const gatheringMs = 1;

/** Changes that come at about the same time share one commit, because waiting for the disk takes longer than they do. */
function createCommits(connection: DatabaseSync) {
  let waiting: Change[] = [];

  function commit(changes: readonly Change[]): void {
    let answers: readonly (() => void)[];
    try {
      if (changes.some(({ isSynced }) => isSynced)) connection.exec("PRAGMA synchronous = FULL");
      try {
        answers = transaction(connection, () => changes.map((one) => one.run()));
      } finally {
        connection.exec("PRAGMA synchronous = NORMAL");
      }
    } catch (error) {
      // One of them has undone all: each is tried alone.
      if (changes.length > 1) for (const one of changes) commit([one]);
      else changes[0]?.fail(error);
      return;
    }
    for (const answer of answers) answer();
  }

  function flush(): void {
    const changes = waiting;
    waiting = [];
    if (changes.length > 0) commit(changes);
  }

  return {
    flush,
    add: <T>(action: () => T, isSynced: boolean): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        const run = () => {
          const result = action();
          return () => resolve(result);
        };
        if (waiting.length === 0) setTimeout(flush, gatheringMs);
        waiting.push({ isSynced, run, fail: reject });
      }),
  };
}

/** To check a larger file would delay each start (bytes): its damage is found where it is read. */
const largestChecked = 16 * 2 ** 20;

function check(connection: DatabaseSync): void {
  const size = "SELECT page_count * page_size AS size FROM pragma_page_count, pragma_page_size";
  if (Number(connection.prepare(size).get()?.["size"]) > largestChecked) return;
  const problem = connection.prepare("PRAGMA quick_check(1)").get()?.["quick_check"];
  if (problem !== "ok") throw new Error(`it is damaged (${String(problem)})`);
}

const refuse = "BEGIN SELECT RAISE(ABORT, 'What the audit shows is never changed.'); END";

const dialect: Dialect = {
  integer: "INTEGER",
  table: " STRICT",
  rowid: "",
  dropped: "",
  findVersion: `SELECT name FROM sqlite_schema WHERE name = '${versionTable}'`,
  audit: `
    CREATE TRIGGER audit_stands BEFORE UPDATE ON audit ${refuse};
    CREATE TRIGGER audit_stays BEFORE DELETE ON audit
      WHEN EXISTS (SELECT 1 FROM executions WHERE id = OLD.execution_id) ${refuse};
    CREATE TRIGGER kickoff_stands BEFORE UPDATE OF owner, created_at ON executions ${refuse};`,
  jobs: { add: tellOfJobs },
};
