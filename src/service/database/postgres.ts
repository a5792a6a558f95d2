import { randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import postgres, { type Sql } from "postgres";
import { codeOf } from "../../base/errors.ts";
import { asObject, parseJson, textAt } from "../../base/json.ts";
import type { Row } from "../../base/sqlite.ts";
import { messageOf, Refusal } from "../errors.ts";
import {
  isLost,
  type Answer,
  type Database,
  type Notice,
  type Query,
  type Work,
} from "./database.ts";
import { migrate, schema } from "./postgres-schema.ts";

export interface PostgresDatabase extends Database {
  readonly isShared: true;
  /** Names of columns are in camel case, as openworkflow expects. */
  readonly pool: Pool;
}

type Pool = Sql<{ bigint: number; json: unknown }>;

/** How many connections a process opens. */
const connections = 20;

/** How often to compare the clocks, and to look whether notices still come (ms). */
const tickMs = 5000;

const channel = "crewdeck";

/** Identifies this process in its notices. */
const ownId = randomUUID();

/** How often a change is tried that conflicts with another one. */
const tries = 5;

/** Creates or updates the tables first. @throws {Refusal} if the database can't be used */
export async function openPostgresDatabase(
  url: string,
  log: (line: string) => void,
): Promise<PostgresDatabase> {
  const pool = connect(url);
  try {
    await migrate(url, pool);
    const clock = await createClock(pool);
    const notices = new EventEmitter<{ notice: [Notice] }>().setMaxListeners(0);
    const listener = await listen(pool, (notice) => notices.emit("notice", notice));
    let isClosed = false;
    const tellOthers = (notice: Notice): void => {
      // A process that misses it looks soon.
      pool.notify(channel, JSON.stringify({ ...notice, from: ownId })).catch(() => undefined);
    };
    const timer = setInterval(() => {
      Promise.all([clock.measure(), listener.check()]).catch((error: unknown) => {
        if (!isClosed) log(`The database can't be reached: ${messageOf(error)}`);
      });
    }, tickMs).unref();
    return {
      isShared: true,
      pool,
      now: clock.now,
      query: (work) => finish(work, (query) => send(pool, query)),
      transaction: async (work) => {
        // `pool.reserve` connects again, and keeps the process from ending.
        if (isClosed) throw new Error("The database is closed.");
        return await transaction(pool, work);
      },
      notify: (notice) => {
        notices.emit("notice", notice);
        tellOthers(notice);
      },
      tellOthers,
      onNotice: (listening) => {
        notices.on("notice", listening);
        return () => notices.off("notice", listening);
      },
      close: async () => {
        isClosed = true;
        clearInterval(timer);
        await pool.end({ timeout: 5 });
      },
    };
  } catch (error) {
    await pool.end({ timeout: 1 });
    throw error instanceof Refusal ? error : refusalOf(error, url);
  }
}

function refusalOf(error: unknown, url: string): Refusal {
  // The library's own message is about its user's code.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  // insufficient_privilege
  const advice =
    codeOf(cause) === "42501"
      ? `Its user makes and owns the schema "${schema}": GRANT CREATE ON DATABASE lets it make one. Or name the user that owns it.`
      : "Check that Postgres runs, the address in --database, and the password, which PGPASSWORD may hold.";
  return new Refusal(
    "database",
    `The database can't be used: ${withoutSecrets(cause, url)}. ${advice}`,
  );
}

/** Repeats what can be repeated until the database can be reached, and can store it. */
export async function patiently<T>(action: () => Promise<T>): Promise<T> {
  for (let pause = 100; ; pause = Math.min(2 * pause, 2000)) {
    try {
      return await action();
    } catch (error) {
      if (!isLost(error) && !isPassing(error)) throw error;
      await sleep(pause);
    }
  }
}

/**
 * Whether Postgres refuses now what it will take later: a full disk or too little memory, a database that can't be written
 * while another server takes over, or a deadlock.
 */
function isPassing(error: unknown): boolean {
  return /^(53...|25006|40001|40P01)$/.test(codeOf(error) ?? "");
}

/** The same database, for runs: what they store can be repeated. */
export function patient(database: PostgresDatabase): PostgresDatabase {
  return {
    ...database,
    // Each query alone: the work as a whole can't begin again.
    query: (work) => finish(work, (query) => patiently(() => database.query(answerOf(query)))),
    transaction: (work, isSynced) => patiently(() => database.transaction(work, isSynced)),
  };
}

function* answerOf(query: Query): Work<Answer> {
  return yield query;
}

function connect(url: string): Pool {
  return postgres(url, {
    max: connections,
    connect_timeout: 10,
    // Otherwise, a transaction waits for a connection until there are no more queries.
    max_pipeline: 0,
    // The library waits up to 20 s, also for a database that has long been back.
    backoff: (tried) => Math.min(1, 0.01 * 2 ** tried),
    connection: { application_name: "crewdeck", search_path: schema },
    onnotice: () => undefined,
    transform: { column: { from: postgres.toCamel } },
    // Times and counts are far below 2^53.
    types: {
      bigint: { to: 20, from: [20], parse: Number, serialize: String },
      // openworkflow stores errors, whose text may be anything.
      json: {
        to: 3802,
        from: [114, 3802],
        parse: JSON.parse,
        serialize: (json: unknown) =>
          JSON.stringify(json, (_name, value: unknown) => storable(value)),
      },
    },
  });
}

async function finish<T>(work: Work<T>, ask: (query: Query) => Promise<Answer>): Promise<T> {
  let step = work.next({ rows: [], changes: 0 });
  while (step.done !== true) step = work.next(await ask(step.value));
  return step.value;
}

async function send(sql: Pool, { sql: text, values }: Query): Promise<Answer> {
  const rows = await sql.unsafe<Row[]>(numbered(text), values.map(storable), { prepare: true });
  return { rows, changes: rows.count };
}

async function transaction<T>(pool: Pool, work: () => Work<T>): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    // `pool.begin` may run other queries in the transaction (its issue 823).
    const connection = await pool.reserve();
    let isOpen = true;
    try {
      await connection.unsafe("BEGIN");
      const result = await finish(work(), (query) => send(connection, query));
      await connection.unsafe("COMMIT");
      return result;
    } catch (error) {
      isOpen = !isLost(error);
      if (isOpen) await connection.unsafe("ROLLBACK").catch(() => (isOpen = false));
      // A deadlock, or a serialization failure: nothing was changed.
      if (tried === tries || !/^(40P01|40001)$/.test(codeOf(error) ?? "")) throw error;
    } finally {
      // The pool has already dropped a lost connection.
      if (isOpen) connection.release();
    }
  }
}

const texts = new Map<string, string>();

/** Replaces each `?` by `$1`, `$2` and so on. */
function numbered(sql: string): string {
  let text = texts.get(sql);
  if (text === undefined) {
    let count = 0;
    text = sql.replace(/\?/g, () => `$${(count += 1)}`);
    texts.set(sql, text);
  }
  return text;
}

/** Postgres has no text with the character 0, and no JSON with half of a surrogate pair. */
function storable<T>(value: T): T | string {
  return typeof value === "string" ? value.replace(/\0|\p{Surrogate}/gu, "\u{fffd}") : value;
}

/** The time of the database, which a monotonic clock of this machine continues. */
async function createClock(pool: Pool) {
  let offset = 0;
  const measure = async (): Promise<void> => {
    const begun = performance.now();
    const [row] = await pool<{ now: number }[]>`
      SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now`;
    offset = Number(row?.now) - (begun + performance.now()) / 2;
  };
  await measure();
  return { measure, now: () => Math.round(performance.now() + offset) };
}

/** Receives the notices of other processes. The library stops listening if it can't connect again at once. */
async function listen(pool: Pool, onNotice: (notice: Notice) => void) {
  let heard = performance.now();
  const begin = () =>
    pool.listen(channel, (payload) => {
      heard = performance.now();
      const notice = readNotice(payload);
      if (notice) onNotice(notice);
    });
  let listening = await begin();
  return {
    async check(): Promise<void> {
      if (performance.now() - heard > 3 * tickMs) {
        heard = performance.now();
        await listening.unlisten();
        listening = await begin();
      }
      await pool.notify(channel, "still here");
    },
  };
}

function readNotice(payload: string): Notice | undefined {
  const notice = asObject(parseJson(payload));
  const { kind, from } = notice;
  // This process has already handled its own.
  if (from === ownId) return undefined;
  if (kind === "run" || kind === "callback") return { kind };
  const executionId = textAt(notice, "executionId");
  if (kind === "ended" && executionId !== undefined) return { kind, executionId };
  const token = textAt(notice, "token");
  const count = Number(notice["count"]);
  return kind === "requests" && token !== undefined && count > 0
    ? { kind, token, count }
    : undefined;
}

/** An error may quote the address, which has a password. */
function withoutSecrets(error: unknown, url: string): string {
  const password = URL.parse(url)?.password ?? "";
  return password === ""
    ? messageOf(error)
    : messageOf(error).replaceAll(password, "…").replaceAll(decodeURIComponent(password), "…");
}
