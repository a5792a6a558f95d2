import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../base/errors.ts";
import { change, patient, type Database, type Work } from "./database/database.ts";
import type { PostgresDatabase } from "./database/postgres.ts";
import { openSqliteDatabase, type SqliteDatabase } from "./database/sqlite.ts";
import { openCipher, type Cipher, type KeyPlace } from "./encryption.ts";
import { Refusal, unusable } from "./errors.ts";
import { fileJobs, type Jobs } from "./jobs.ts";
import { isAtWork } from "./store.ts";

/** Where a service keeps its executions, and what hands them out: in SQLite or in Postgres. */
export interface Storage {
  readonly database: Database;
  /** For runs, which repeat what they store: it waits until the database can be reached. */
  readonly forRuns: Database;
  readonly cipher: Cipher;
  readonly jobs: Jobs;
  /** Undefined where other processes use the database, too. */
  readonly own?: ReturnType<typeof ownFile>;
}

export type Place =
  { readonly file: string } | { readonly url: string; readonly connections: number };

type WriteLine = (line: string) => void;

export async function openStorage(place: Place, key: KeyPlace, log: WriteLine): Promise<Storage> {
  const database = await openDatabase(place, log);
  try {
    const cipher = await database.transaction(() => openCipher(key));
    const common = { database, forRuns: patient(database, log), cipher };
    if ("jobs" in database) return { ...common, jobs: database.jobs };
    return { ...common, jobs: fileJobs(database), own: ownFile(database) };
  } catch (error) {
    await database.close();
    throw "file" in place ? unusable(place.file, error) : error;
  }
}

/** @throws {Refusal} if it can't be reached, isn't a database, is damaged or can't be written */
export async function openDatabase(
  place: Place,
  log: WriteLine,
): Promise<SqliteDatabase | PostgresDatabase> {
  if ("url" in place) {
    const { openPostgresDatabase } = await import("./database/postgres.ts").catch(noPostgres);
    return await openPostgresDatabase(place.url, place.connections, log);
  }
  try {
    mkdirSync(dirname(place.file), { recursive: true, mode: 0o700 });
    return openSqliteDatabase(place.file);
  } catch (error) {
    throw unusable(place.file, error);
  }
}

function noPostgres(error: unknown): never {
  if (codeOf(error) !== "ERR_MODULE_NOT_FOUND") throw error;
  throw new Refusal(
    "database",
    "The service that comes with the extension can't use Postgres. Use the npm package: npm run package:service writes it.",
  );
}

/** What a process can do if no other one uses its database. */
function ownFile(database: SqliteDatabase) {
  return {
    /** Keeps unfinished executions from continuing until they are released, except those that wait for a person. */
    hold(): void {
      database.changeNow(change(`UPDATE executions SET phase = 'held' WHERE ${isAtWork}`));
    },
    *recover(): Work<void> {
      yield* change(
        "UPDATE executions SET phase = 'queued' WHERE phase = 'running' AND ended_at IS NULL",
      );
      // What was being sent.
      yield* change(
        "UPDATE deliveries SET due = 0 WHERE state = 'pending' AND failures = 0 AND due > ?",
        database.now(),
      );
    },
    *release(id: string): Work<void> {
      yield* change(
        "UPDATE executions SET phase = 'queued', queued_at = ? WHERE id = ? AND phase = 'held'",
        ...[database.now(), id],
      );
      // A person pays for what is begun again.
      yield* change("UPDATE attempts SET begins = 0 WHERE execution_id = ?", id);
    },
  };
}
