import { randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import pg from "pg";
import { codeOf } from "../../base/errors.ts";
import { asObject, parseJson, textAt } from "../../base/json.ts";
import type { Row } from "../../base/sqlite.ts";
import { messageOf, Refusal } from "../errors.ts";
import {
  isLost,
  row,
  script,
  type Answer,
  type Database,
  type Notice,
  type Query,
  type Work,
} from "./database.ts";
import { PostgresJobs } from "../jobs-postgres.ts";
import { migrate, versionTable } from "./schema.ts";

export interface PostgresDatabase extends Database {
  readonly jobs: PostgresJobs;
}

// Times and counts are far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** How often to compare the clocks, and to look whether notices still come (ms). */
const tickMs = 5000;

const channel = "crewdeck";

export const schema = "crewdeck";

const oldest = 140_000;

/** Any number that nothing else uses for advisory locks. */
const migrationLock = 7_263_401_115;

const ownId = randomUUID();

const tries = 5;

/**
 * Creates or updates the tables first.
 * @param connections the most that this process opens, at least 4
 * @throws {Refusal} if the database can't be used
 */
export async function openPostgresDatabase(
  url: string,
  connections: number,
  log: (line: string) => void,
): Promise<PostgresDatabase> {
  const pool = poolOf(url, Math.max(1, connections - reserved.jobs - reserved.notices));
  // Its own, because a change that adds a job has a connection already: it must not wait for another one of the same pool.
  const jobsPool = poolOf(url, reserved.jobs);
  const jobs = new PostgresJobs(jobsPool, log);
  try {
    await checkVersion(pool);
    await transaction(
      pool,
      () => migrateTables(jobs),
      () => undefined,
    );
    const notices = new EventEmitter<{ notice: [Notice] }>().setMaxListeners(0);
    const listener = new Listener(url, (notice) => notices.emit("notice", notice));
    await listener.check();
    let isClosed = false;
    const tell = (notice: Notice): void => {
      notices.emit("notice", notice);
      const payload = JSON.stringify({ ...notice, from: ownId });
      // A process that misses it looks soon.
      pool.query("SELECT pg_notify($1, $2)", [channel, payload]).catch(() => undefined);
    };
    // To connect may take longer than a tick: each would have a connection of its own.
    let checking: Promise<void> | undefined;
    const timer = setInterval(() => {
      checking ??= listener
        .check()
        .catch((error: unknown) => {
          if (!isClosed) log(`The database can't be reached: ${messageOf(error)}`);
        })
        .finally(() => (checking = undefined));
    }, tickMs).unref();
    return {
      jobs,
      now: () => listener.now(),
      query: (work) => finish(work, pool, tell),
      transaction: async (work) => {
        if (isClosed) throw new Error("The database is closed.");
        return await transaction(pool, work, tell);
      },
      onNotice: (listening) => {
        notices.on("notice", listening);
        return () => notices.off("notice", listening);
      },
      close: async () => {
        if (isClosed) return;
        isClosed = true;
        clearInterval(timer);
        await jobs.stop();
        await listener.close();
        await Promise.all([pool.end(), jobsPool.end()]);
      },
    };
  } catch (error) {
    await Promise.all([jobs.stop(), pool.end(), jobsPool.end()]).catch(() => undefined);
    throw error instanceof Refusal ? error : refusalOf(error, url);
  }
}

async function checkVersion(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ number: number; version: string }>(
    "SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version",
  );
  const [server] = rows;
  if (server && server.number < oldest)
    throw new Refusal(
      "database",
      `The database is Postgres ${server.version}. Use Postgres 14 or newer.`,
    );
}

function* migrateTables(jobs: PostgresJobs): Work<void> {
  yield* row("SELECT pg_advisory_xact_lock(?)", migrationLock);
  yield { call: () => jobs.start() };
  const found = yield* row("SELECT to_regnamespace(?)::text AS name", schema);
  if (found?.["name"] === null) yield* script(`CREATE SCHEMA ${schema}`);
  yield* migrate({
    integer: "BIGINT",
    table: "",
    rowid: "rowid BIGINT GENERATED ALWAYS AS IDENTITY,",
    dropped: " CASCADE",
    findVersion: `SELECT 1 AS found FROM pg_tables WHERE schemaname = '${schema}' AND tablename = '${versionTable}'`,
    audit: refuseChanges,
    jobs,
  });
}

const refuseChanges = `
  CREATE FUNCTION audit_stands() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF TG_OP = 'DELETE' THEN
      IF NOT EXISTS (SELECT 1 FROM ${schema}.executions WHERE id = OLD.execution_id) THEN RETURN OLD; END IF;
    END IF;
    RAISE EXCEPTION 'What the audit shows is never changed.';
  END $$;
  CREATE TRIGGER audit_stands BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_stands();
  CREATE TRIGGER audit_stays BEFORE TRUNCATE ON audit EXECUTE FUNCTION audit_stands();
  CREATE TRIGGER kickoff_stands BEFORE UPDATE OF owner, created_at ON executions
    FOR EACH ROW EXECUTE FUNCTION audit_stands();`;

function refusalOf(error: unknown, url: string): Refusal {
  // insufficient_privilege
  const advice =
    codeOf(error) === "42501"
      ? `Its user makes and owns the schema "${schema}": GRANT CREATE ON DATABASE lets it make one. Or name the user that owns it.`
      : "Check that Postgres runs, the address in --database, and the password, which PGPASSWORD may hold.";
  return new Refusal(
    "database",
    `The database can't be used: ${withoutSecrets(error, url)}. ${advice}`,
  );
}

const reserved = { jobs: 2, notices: 1 };

function poolOf(url: string, max: number): pg.Pool {
  const pool = new pg.Pool({ ...settingsOf(url), max, pipeline: true });
  // The next query opens another connection.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

function settingsOf(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: "crewdeck",
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    options: `-c search_path=${schema} -c client_min_messages=warning`,
  };
}

interface Asked {
  query(query: pg.QueryConfig): Promise<pg.QueryResult<Row>>;
}

async function finish<T>(work: Work<T>, connection: Asked, tell: Tell): Promise<T> {
  let step = work.next(nothing);
  while (step.done !== true) {
    const asked = step.value;
    if ("notice" in asked) tell(asked.notice);
    else if ("call" in asked)
      await asked.call((text, values) =>
        connection.query(values ? { ...prepared(text, true), values } : { text }),
      );
    step = work.next("sql" in asked ? await send(connection, asked) : nothing);
  }
  return step.value;
}

type Tell = (notice: Notice) => void;

const nothing: Answer = { rows: [], changes: 0 };

async function send(connection: Asked, { sql, values }: Query): Promise<Answer> {
  if (values === undefined) {
    await connection.query({ text: sql });
    return nothing;
  }
  const { rows, rowCount } = await connection.query({
    ...prepared(sql),
    values: values.map(storable),
  });
  return { rows, changes: rowCount ?? 0 };
}

async function transaction<T>(pool: pg.Pool, work: () => Work<T>, tell: Tell): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    const connection = await pool.connect();
    let isOpen = true;
    const told = new Map<string, Notice>();
    try {
      // The first query is sent with it, and fails if this does.
      connection.query("BEGIN").catch(() => undefined);
      const result = await finish(work(), connection, (notice) =>
        told.set(JSON.stringify(notice), notice),
      );
      await connection.query("COMMIT");
      for (const notice of told.values()) tell(notice);
      return result;
    } catch (error) {
      isOpen = !isLost(error);
      if (isOpen) await connection.query("ROLLBACK").catch(() => (isOpen = false));
      // A deadlock, or a serialization failure: nothing was changed.
      if (tried === tries || !/^(40P01|40001)$/.test(codeOf(error) ?? "")) throw error;
    } finally {
      connection.release(!isOpen);
    }
  }
}

const statements = new Map<string, { readonly name: string; readonly text: string }>();

/** Each connection prepares a statement once. Replaces each `?` by `$1`, `$2` and so on, unless it `isNumbered`. */
function prepared(sql: string, isNumbered = false) {
  let statement = statements.get(sql);
  if (!statement) {
    let count = 0;
    const text = isNumbered ? sql : sql.replace(/\?/g, () => `$${(count += 1)}`);
    statements.set(sql, (statement = { name: `crewdeck_${statements.size}`, text }));
  }
  return statement;
}

/** Postgres has no text with the character 0, and no JSON with half of a surrogate pair. */
function storable<T>(value: T): T | string {
  return typeof value === "string" ? value.replace(/\0|\p{Surrogate}/gu, "\u{fffd}") : value;
}

/** Receives the notices of other processes, on a connection of its own, and has the database's time, which a monotonic clock of this machine continues. */
class Listener {
  readonly #url: string;
  readonly #onNotice: (notice: Notice) => void;
  #client: pg.Client | undefined;
  #offset = 0;

  constructor(url: string, onNotice: (notice: Notice) => void) {
    this.#url = url;
    this.#onNotice = onNotice;
  }

  now(): number {
    return Math.round(performance.now() + this.#offset);
  }

  /** Connects if there is no connection, and compares the clocks. @throws if that is not possible */
  async check(): Promise<void> {
    const client = (this.#client ??= await this.#connect());
    const begun = performance.now();
    try {
      const { rows } = await client.query<{ now: number }>(
        "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now",
      );
      this.#offset = Number(rows[0]?.now) - (begun + performance.now()) / 2;
    } catch (error) {
      this.#client = undefined;
      client.end().catch(() => undefined);
      throw error;
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ ...settingsOf(this.#url), query_timeout: tickMs });
    client.on("notification", ({ payload }) => {
      const notice = readNotice(payload ?? "");
      if (notice) this.#onNotice(notice);
    });
    client.on("error", () => {
      if (this.#client === client) this.#client = undefined;
    });
    await client.connect();
    await client.query(`LISTEN ${channel}`);
    return client;
  }

  async close(): Promise<void> {
    await this.#client?.end();
  }
}

function readNotice(payload: string): Notice | undefined {
  const notice = asObject(parseJson(payload));
  const { kind, from } = notice;
  // This process has already handled its own.
  if (from === ownId) return undefined;
  if (kind === "job" || kind === "callback") return { kind };
  const executionId = textAt(notice, "executionId");
  const isOfOne = kind === "ended" || kind === "answered";
  return isOfOne && executionId !== undefined ? { kind, executionId } : undefined;
}

/** An error may quote the address, which has a password. */
function withoutSecrets(error: unknown, url: string): string {
  const password = URL.parse(url)?.password ?? "";
  return password === ""
    ? messageOf(error)
    : messageOf(error).replaceAll(password, "…").replaceAll(decodeURIComponent(password), "…");
}
