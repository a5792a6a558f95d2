import { BackendPostgres } from "openworkflow/postgres";
import type { Sql } from "postgres";
import { Refusal } from "../errors.ts";
import { indexes, tables, version, versionTable } from "./schema.ts";

/** Ours and openworkflow's tables, in the database that the address names. */
export const schema = "crewdeck";

/** Of Postgres 14. */
const oldest = 140_000;

/** Any number that nothing else uses for `pg_advisory_lock`. */
const lock = 7_263_401_115;

/**
 * Creates or updates the tables, in one process at a time. @throws {Refusal} for a schema of a newer version, and for an
 * old Postgres
 */
export async function migrate(url: string, pool: Sql): Promise<void> {
  const [server] =
    await pool`SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version`;
  if (Number(server?.["number"]) < oldest)
    throw new Refusal(
      "database",
      `The database is Postgres ${String(server?.["version"])}. Use Postgres 14 or newer.`,
    );
  if ((await currentVersion(pool)) === version) return;
  const connection = await pool.reserve();
  try {
    await connection`SELECT pg_advisory_lock(${lock})`;
    // Another process may have done it meanwhile.
    if ((await currentVersion(pool)) === version) return;
    await (await BackendPostgres.connect(quiet(url), { schema })).stop();
    const dialect = {
      integer: "BIGINT",
      table: "",
      rowid: "rowid BIGINT GENERATED ALWAYS AS IDENTITY,",
    };
    // Postgres makes one change of statements that it gets together.
    await connection.unsafe(
      `${tables(dialect)} ALTER TABLE attempts ADD COLUMN IF NOT EXISTS review TEXT; ${indexes} ${workflowIndexes}
       INSERT INTO ${versionTable} (version) VALUES (${version}) ON CONFLICT DO NOTHING`,
    );
  } finally {
    await connection`SELECT pg_advisory_unlock(${lock})`;
    connection.release();
  }
}

/** The library prints Postgres' notices, and stdout is for the program's own line. */
function quiet(url: string): string {
  const address = new URL(url);
  address.searchParams.set("client_min_messages", "warning");
  return address.href;
}

/** Each poll searches for deadlines, which this service never sets, and an execution is looked up by its ID. */
const workflowIndexes =
  "CREATE INDEX IF NOT EXISTS crewdeck_deadlines ON workflow_runs (namespace_id, status, deadline_at) WHERE deadline_at IS NOT NULL;";

/** 0 for an empty database. @throws {Refusal} for a newer one */
async function currentVersion(pool: Sql): Promise<number> {
  const [table] = await pool`SELECT to_regclass(${`${schema}.${versionTable}`}) AS name`;
  if (table?.["name"] === null) return 0;
  const [row] = await pool.unsafe(`SELECT max(version) AS version FROM ${schema}.${versionTable}`);
  const found = Number(row?.["version"] ?? 0);
  if (found > version)
    throw new Refusal(
      "database",
      `The database was made by a newer version of Crewdeck (its schema is ${found}, this one knows ${version}). Update Crewdeck, or use another database.`,
    );
  return found;
}
