import type pg from "pg";
import { Refusal } from "../errors.ts";
import type { PostgresJobs } from "../jobs-postgres.ts";
import {
  addedColumns,
  indexes,
  tables,
  toVersion3,
  toVersion5,
  unfinished,
  version,
  versionTable,
} from "./schema.ts";

/** Of our tables, in the database that the address names. */
export const schema = "crewdeck";

/** Of Postgres 14. */
const oldest = 140_000;

/** Any number that nothing else uses for `pg_advisory_lock`. */
const lock = 7_263_401_115;

/**
 * Creates or updates the tables, in one process at a time. Each execution of an earlier version that has something to do gets
 * a job.
 * @throws {Refusal} for a schema of a newer version, and for an old Postgres
 */
export async function migrate(
  pool: pg.Pool,
  jobs: Pick<PostgresJobs, "start" | "addAll">,
): Promise<void> {
  const { rows: servers } = await pool.query<{ number: number; version: string }>(
    "SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version",
  );
  const [server] = servers;
  if (server && server.number < oldest)
    throw new Refusal(
      "database",
      `The database is Postgres ${server.version}. Use Postgres 14 or newer.`,
    );
  if ((await currentVersion(pool)) === version) {
    await jobs.start();
    return;
  }
  const connection = await pool.connect();
  try {
    await connection.query(`SELECT pg_advisory_lock(${lock})`);
    await update(connection, jobs);
    await connection.query(`SELECT pg_advisory_unlock(${lock})`);
    connection.release();
  } catch (error) {
    // Its end undoes the change, and frees the lock.
    connection.release(true);
    throw error;
  }
}

async function update(
  connection: pg.PoolClient,
  jobs: Pick<PostgresJobs, "start" | "addAll">,
): Promise<void> {
  // Another process may have done it meanwhile.
  const before = await currentVersion(connection);
  await jobs.start();
  if (before === version) return;
  const dialect = {
    integer: "BIGINT",
    table: "",
    rowid: "rowid BIGINT GENERATED ALWAYS AS IDENTITY,",
    audited,
  };
  const columns = addedColumns.map(
    ([table, column, type]) =>
      `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${column} ${type.replace("INTEGER", "BIGINT")};`,
  );
  await connection.query("BEGIN");
  await connection.query(
    `CREATE SCHEMA IF NOT EXISTS ${schema}; ${tables(dialect)} ${columns.join(" ")} ${indexes}`,
  );
  if (before > 0 && before < 3) {
    await connection.query(toVersion3(" CASCADE"));
    const { rows } = await connection.query<{ id: string; crew: string }>(unfinished);
    // After a kill, they are there when all of it is done again.
    await jobs.addAll(rows);
  }
  if (before > 0 && before < 5) await connection.query(toVersion5);
  await connection.query(`INSERT INTO ${versionTable} (version) VALUES (${version})`);
  await connection.query("COMMIT");
}

const audited = `
  CREATE OR REPLACE FUNCTION audit_stands() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF TG_OP = 'DELETE' THEN
      IF NOT EXISTS (SELECT 1 FROM executions WHERE id = OLD.execution_id) THEN RETURN OLD; END IF;
    END IF;
    RAISE EXCEPTION 'What the audit shows is never changed.';
  END $$;
  CREATE OR REPLACE TRIGGER audit_stands BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_stands();
  CREATE OR REPLACE TRIGGER kickoff_stands BEFORE UPDATE OF owner, created_at ON executions
    FOR EACH ROW EXECUTE FUNCTION audit_stands();
`;

/** 0 for an empty database. @throws {Refusal} for a newer one */
async function currentVersion(pool: pg.Pool | pg.PoolClient): Promise<number> {
  const { rows: tables } = await pool.query<{ name: string | null }>(
    "SELECT to_regclass($1)::text AS name",
    [`${schema}.${versionTable}`],
  );
  if ((tables[0]?.name ?? null) === null) return 0;
  const { rows } = await pool.query<{ version: number | null }>(
    `SELECT max(version) AS version FROM ${schema}.${versionTable}`,
  );
  const found = rows[0]?.version ?? 0;
  if (found > version)
    throw new Refusal(
      "database",
      `The database was made by a newer version of Crewdeck (its schema is ${found}, this one knows ${version}). Update Crewdeck, or use another database.`,
    );
  return found;
}
