import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import postgres from "postgres";

/** A table that the service or its library made. */
interface Table {
  /** Quoted. */
  readonly name: string;
  readonly columns: readonly Column[];
}

interface Column {
  readonly name: string;
  /** What it is cast to after its text was changed. Undefined for columns that hold no text. */
  readonly type: string | undefined;
}

/** What filling needs of a database. */
interface Filled {
  /** Those whose values the database doesn't make itself. */
  tables(): Promise<readonly Table[]>;
  query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** A SELECT of the column `n` with these numbers. */
  numbers(from: number, to: number): string;
  /** Eight hexadecimal digits for `n`, in no order, as those of random IDs. */
  readonly scattered: string;
  end(): Promise<void>;
}

/** Executions are copied in steps of so many. */
const step = 20_000;

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/**
 * Copies the only execution of a service so many times by SQL, in all tables that have rows of it, each time with other IDs: so it
 * knows no table by name. No process may use a SQLite file meanwhile.
 * @param place an address of Postgres, or a SQLite file
 * @returns how many rows were added
 */
export async function fill(place: string, executions: number): Promise<number> {
  const database = place.startsWith("postgres://") ? inPostgres(place) : inSqlite(place);
  const tables = await database.tables();
  const ids = new Set<string>();
  for (const { name, columns } of tables)
    for (const row of await database.query(`SELECT * FROM ${name}`))
      for (const column of columns) {
        const value = row[column.name];
        if (isKey(column.name) && typeof value === "string" && uuid.test(value)) ids.add(value);
      }
  const fresh = (column: Column) => {
    const quoted = `"${column.name}"`;
    if (column.type === undefined) return quoted;
    const text = [...ids].reduce(
      (inner, id) => `replace(${inner}, '${id}', ${database.scattered} || '${id.slice(8)}')`,
      `CAST(${quoted} AS text)`,
    );
    return `CAST(${text} AS ${column.type})`;
  };
  let rows = 0;
  const copied: { readonly table: Table; readonly source: string }[] = [];
  for (const [index, table] of tables.entries()) {
    const found = await database.query(`SELECT * FROM ${table.name}`);
    const values = found.flatMap((row) => Object.values(row));
    // Others, as that of the schema's version, aren't about executions.
    if (!values.some((value) => typeof value === "string" && ids.has(value))) continue;
    const source = `template_${index}`;
    await database.query(`CREATE TEMP TABLE ${source} AS SELECT * FROM ${table.name}`);
    copied.push({ table, source });
    rows += found.length * executions;
  }
  assert.ok(copied.length > 1, "The execution to copy has rows in fewer than two tables.");
  for (let from = 1; from <= executions; from += step) {
    const numbers = database.numbers(from, Math.min(executions, from + step - 1));
    for (const { table, source } of copied) {
      const names = table.columns.map(({ name }) => `"${name}"`).join(", ");
      const values = table.columns.map(fresh).join(", ");
      await database.query(
        `INSERT INTO ${table.name} (${names}) SELECT ${values} FROM (${numbers}) AS numbers CROSS JOIN ${source}`,
      );
    }
  }
  await database.end();
  return rows;
}

/** The ID of copy `n` of an execution. */
export function copyOf(id: string, n: number): string {
  const digits = (BigInt(n) * 2_654_435_761n) & 0xffff_ffffn;
  return digits.toString(16).padStart(8, "0") + id.slice(8);
}

function isKey(column: string): boolean {
  return column === "id" || column.endsWith("_id") || column === "idempotency_key";
}

function inSqlite(file: string): Filled {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -500000;");
  const query = (sql: string) => database.prepare(sql).all();
  return {
    tables: () =>
      Promise.resolve(
        query(
          "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
        ).map((row) => {
          const name = String(row["name"]);
          // A single INTEGER PRIMARY KEY is the row's number.
          const columns = query(
            `SELECT name, type FROM pragma_table_info('${name}') WHERE NOT (pk = 1 AND type = 'INTEGER')`,
          );
          return {
            name: `"${name}"`,
            columns: columns.map((column) => ({
              name: String(column["name"]),
              type: column["type"] === "TEXT" ? "text" : undefined,
            })),
          };
        }),
      ),
    query: (sql) => Promise.resolve(query(sql)),
    numbers: (from, to) =>
      `WITH RECURSIVE counted(n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM counted WHERE n < ${to}) SELECT n FROM counted`,
    scattered: "printf('%08x', (n * 2654435761) & 4294967295)",
    end() {
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      database.close();
      return Promise.resolve();
    },
  };
}

function inPostgres(url: string): Filled {
  // Temporary tables belong to a connection.
  const sql = postgres(url, { max: 1 });
  const texts = ["text", "character varying", "uuid", "json", "jsonb"];
  return {
    async tables() {
      // Copies refer to each other as the original rows do.
      await sql`SET session_replication_role = replica`;
      const rows = await sql<
        { schema: string; table: string; column: string; type: string }[]
      >`SELECT table_schema AS schema, table_name AS table, column_name AS column, data_type AS type
        FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
        WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')
          -- The rows of a partition are its table's, too.
          AND NOT (SELECT relispartition FROM pg_class WHERE oid = format('%I.%I', table_schema, table_name)::regclass)
          AND is_identity = 'NO' AND is_generated = 'NEVER' AND coalesce(column_default, '') NOT LIKE 'nextval(%'
        ORDER BY table_schema, table_name, ordinal_position`;
      const tables = new Map<string, Column[]>();
      for (const { schema, table, column, type } of rows) {
        const name = `"${schema}"."${table}"`;
        const columns = tables.get(name) ?? [];
        tables.set(name, columns);
        columns.push({ name: column, type: texts.includes(type) ? type : undefined });
      }
      return [...tables].map(([name, columns]) => ({ name, columns }));
    },
    query: async (text) => sql.unsafe(text),
    numbers: (from, to) => `SELECT generate_series(${from}::bigint, ${to}) AS n`,
    scattered: "lpad(to_hex((n * 2654435761) & 4294967295), 8, '0')",
    async end() {
      await sql`VACUUM ANALYZE`;
      await sql.end();
    },
  };
}
