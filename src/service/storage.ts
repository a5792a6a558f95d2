import { codeOf } from "../base/errors.ts";
import { change, patient, type Database, type Work } from "./database/database.ts";
import type { PostgresDatabase } from "./database/postgres.ts";
import { openSqliteDatabase, type SqliteDatabase } from "./database/sqlite.ts";
import { openCipher, type Cipher, type KeyPlace } from "./encryption.ts";
import { Refusal } from "./errors.ts";
import { sqliteJobs } from "./jobs-sqlite.ts";
import type { Jobs } from "./jobs.ts";
import { isAtWork } from "./store.ts";

/** Where a service keeps its executions, and what hands them out: in SQLite or in Postgres. */
export interface Storage {
  readonly database: Database;
  /** For runs, which repeat what they store: it waits until the database can be reached. */
  readonly forRuns: Database;
  /** For secrets of callbacks. */
  readonly cipher: Cipher;
  readonly jobs: Jobs;
  /** Undefined where other processes use the database, too. */
  readonly own?: OwnFile;
}

/** What a process can do if no other one uses its database. */
export interface OwnFile {
  /** Keeps unfinished executions from continuing until they are released, except those that wait for a person. */
  hold(): void;
  /** What the process before this one had not finished is to be done. */
  recover(): Work<void>;
  /** Writes all to one file, which can then be copied. Returns whether it could. */
  merge(): boolean;
  /** Part of a change. */
  release(executionId: string): Work<void>;
}

/** Everything in a file that this process alone uses. Throws if it isn't a database, is damaged or can't be written. */
export function openSqliteStorage(
  file: string,
  key: KeyPlace,
  log: (line: string) => void,
): Storage & { readonly database: SqliteDatabase } {
  const database = openSqliteDatabase(file);
  return {
    database,
    cipher: database.changeNow(openCipher(key)),
    forRuns: patient(database, log),
    jobs: sqliteJobs(database),
    own: {
      hold() {
        database.changeNow(
          change(`INSERT OR IGNORE INTO held SELECT id FROM executions WHERE ${isAtWork}`),
        );
      },
      *recover() {
        yield* change("UPDATE jobs SET is_taken = 0 WHERE is_taken = 1");
        yield* change(
          "UPDATE executions SET phase = 'queued' WHERE phase = 'running' AND ended_at IS NULL",
        );
        // What was being sent.
        yield* change(
          "UPDATE deliveries SET due = 0 WHERE state = 'pending' AND failures = 0 AND due > ?",
          database.now(),
        );
      },
      merge: database.merge,
      *release(id) {
        yield* change("DELETE FROM held WHERE execution_id = ?", id);
        // A person pays for what is begun again.
        yield* change("UPDATE attempts SET begins = 0 WHERE execution_id = ?", id);
      },
    },
  };
}

/** Everything in Postgres, together with other processes. @throws {Refusal} */
export async function openPostgresStorage(
  url: string,
  connections: number,
  key: KeyPlace,
  log: (line: string) => void,
): Promise<Storage> {
  const { jobs, ...database } = await openPostgres(url, connections, log);
  try {
    const cipher = await database.transaction(() => openCipher(key));
    return { database, forRuns: patient(database, log), cipher, jobs };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** @throws {Refusal} */
export async function openPostgres(
  url: string,
  connections: number,
  log: (line: string) => void,
): Promise<PostgresDatabase> {
  const { openPostgresDatabase } = await import("./storage-postgres.ts").catch((error: unknown) => {
    if (codeOf(error) !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Refusal(
      "database",
      "The service that comes with the extension can't use Postgres. Use the npm package: npm run package:service writes it.",
    );
  });
  return await openPostgresDatabase(url, connections, log);
}
