import { text } from "../../base/sqlite.ts";
import { Refusal } from "../errors.ts";
import { flowIndex } from "../model.ts";
import type { Jobs } from "../jobs.ts";
import { change, row, rows, script, type Work } from "./database.ts";

export interface Dialect {
  readonly integer: string;
  readonly table: string;
  /** A column that numbers rows in the order in which they came, where a table doesn't have it anyway. */
  readonly rowid: string;
  readonly dropped: string;
  readonly findVersion: string;
  /** Refuses changes of what the audit shows, which goes with its execution. */
  readonly audit: string;
  readonly jobs: Pick<Jobs, "add">;
}

/** Of the schema. Between those of version 0.1 and this one, versions under development had others. */
export const version = 12;
const version01 = 1;

export const versionTable = "crewdeck_version";

/** Brings a database up to date, as one change and in one process at a time. @throws {Refusal} for one of another version */
export function* migrate(dialect: Dialect): Work<void> {
  const hasVersion = (yield* row(dialect.findVersion)) !== undefined;
  const found = hasVersion ? yield* storedVersion() : undefined;
  if (found === version) return;
  if (found === undefined) yield* createTables(dialect);
  else if (found === version01) yield* ofVersion01(dialect);
  else
    throw new Refusal(
      "database",
      found > version
        ? `The database was made by a newer version of Crewdeck (its schema is ${found}, this one knows ${version}). Update Crewdeck, or use another database.`
        : `The database was made by a version of Crewdeck under development (its schema is ${found}). Use another database.`,
    );
  yield* change(`INSERT INTO ${versionTable} (version) VALUES (?)`, version);
}

function* storedVersion(): Work<number> {
  const stored = yield* row(`SELECT max(version) AS version FROM ${versionTable}`);
  return Number(stored?.["version"]);
}

const ofExecution = "REFERENCES executions ON DELETE CASCADE";

function* createTables(dialect: Dialect): Work<void> {
  const { integer, table, rowid, audit } = dialect;
  yield* script(`
    CREATE TABLE ${versionTable} (version ${integer} NOT NULL PRIMARY KEY)${table};
    CREATE TABLE executions (
      id TEXT PRIMARY KEY, owner TEXT NOT NULL, crew TEXT NOT NULL DEFAULT '', project TEXT NOT NULL, inputs TEXT NOT NULL,
      meta TEXT NOT NULL, callbacks TEXT NOT NULL, state TEXT NOT NULL, error TEXT, created_at ${integer} NOT NULL,
      ended_at ${integer},
      -- Whether its crew was read as it runs.
      is_prepared ${integer} NOT NULL DEFAULT 0,
      -- How often it had its turn: a worker that another one has replaced stores nothing more.
      turn ${integer} NOT NULL DEFAULT 0,
      -- Until it has ended, "queued", "running", "waiting" or "held", so that what is under way is counted quickly.
      phase TEXT NOT NULL DEFAULT 'queued', queued_at ${integer} NOT NULL,
      -- What it keeps of an earlier one, and how it runs. Null for most.
      kept TEXT, rules TEXT,
      -- By which a repeated kickoff is recognised: hashes of its key and of the body.
      kickoff_key TEXT, kickoff_body TEXT
    )${table};
    CREATE TABLE aliases (id TEXT PRIMARY KEY, execution_id TEXT NOT NULL ${ofExecution})${table};
    CREATE TABLE attempts (
      execution_id TEXT NOT NULL ${ofExecution}, task_index ${integer} NOT NULL, attempt ${integer} NOT NULL,
      task_id TEXT NOT NULL, state TEXT NOT NULL, output TEXT, started_at ${integer} NOT NULL, finished_at ${integer},
      failures ${integer} NOT NULL DEFAULT 0, begins ${integer} NOT NULL DEFAULT 0, feedback TEXT, callbacks TEXT,
      decided_at ${integer}, shown ${integer} NOT NULL DEFAULT 0,
      -- Of a flow, which part made it.
      part ${integer} NOT NULL DEFAULT 1,
      review TEXT, PRIMARY KEY (execution_id, task_index, attempt)
    )${table};
    CREATE TABLE usage (
      execution_id TEXT NOT NULL ${ofExecution}, total ${integer} NOT NULL, prompt ${integer} NOT NULL,
      completion ${integer} NOT NULL
    )${table};
    CREATE TABLE events (
      ${rowid} execution_id TEXT NOT NULL ${ofExecution}, id TEXT NOT NULL, type TEXT NOT NULL, event TEXT NOT NULL,
      PRIMARY KEY (execution_id, id)
    )${table};
    -- Of events that are no longer there.
    CREATE TABLE event_counts (
      execution_id TEXT NOT NULL ${ofExecution}, type TEXT NOT NULL, count ${integer} NOT NULL,
      PRIMARY KEY (execution_id, type)
    )${table};
    CREATE TABLE deliveries (
      ${rowid} id TEXT PRIMARY KEY, execution_id TEXT NOT NULL ${ofExecution}, crew TEXT NOT NULL DEFAULT '',
      queue TEXT NOT NULL DEFAULT '', kind TEXT, url TEXT NOT NULL, "authorization" TEXT, body TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'pending',
      failures ${integer} NOT NULL DEFAULT 0, due ${integer} NOT NULL DEFAULT 0, problem TEXT
    )${table};
    CREATE TABLE batched_events (
      ${rowid} id TEXT PRIMARY KEY, execution_id TEXT NOT NULL ${ofExecution}, event TEXT NOT NULL
    )${table};
    CREATE TABLE audit (
      ${rowid} execution_id TEXT NOT NULL ${ofExecution}, at ${integer} NOT NULL, action TEXT NOT NULL, actor TEXT NOT NULL,
      task_id TEXT, attempt ${integer}, feedback TEXT, output_sha256 TEXT
    )${table};
    CREATE TABLE calls (
      execution_id TEXT NOT NULL ${ofExecution}, number ${integer} NOT NULL, task_id TEXT NOT NULL, attempt ${integer} NOT NULL,
      state TEXT NOT NULL, begin TEXT NOT NULL, ordinal ${integer} NOT NULL,
      -- Of what is kept of this one and those before it.
      bytes ${integer} NOT NULL, summary TEXT NOT NULL, content TEXT,
      PRIMARY KEY (execution_id, number), UNIQUE (execution_id, begin, ordinal)
    )${table};
    CREATE TABLE questions (
      ${rowid} execution_id TEXT NOT NULL ${ofExecution}, id TEXT PRIMARY KEY, call_id TEXT NOT NULL, task_id TEXT NOT NULL,
      attempt ${integer} NOT NULL, question TEXT NOT NULL, answer TEXT
    )${table};
    CREATE TABLE python_inputs (
      crew TEXT NOT NULL, version TEXT NOT NULL, inputs TEXT NOT NULL, PRIMARY KEY (crew, version)
    )${table};
    CREATE TABLE tokens (
      name TEXT NOT NULL, kind TEXT NOT NULL, crews TEXT NOT NULL, hash TEXT PRIMARY KEY, expires_at ${integer},
      used_at ${integer}, revoked_at ${integer}
    )${table};
    -- What the service's key has encrypted, by which another one is noticed.
    CREATE TABLE secret_check (value TEXT NOT NULL)${table};
    CREATE INDEX executions_under_way ON executions (id) WHERE ended_at IS NULL;
    CREATE INDEX executions_at_work ON executions (crew, phase, queued_at) WHERE ended_at IS NULL;
    CREATE INDEX executions_counted ON executions (crew, state) WHERE ended_at IS NOT NULL;
    CREATE INDEX executions_old ON executions (ended_at) WHERE ended_at IS NOT NULL;
    CREATE UNIQUE INDEX executions_by_key ON executions (kickoff_key) WHERE kickoff_key IS NOT NULL;
    CREATE INDEX aliases_of_execution ON aliases (execution_id);
    CREATE INDEX usage_of_execution ON usage (execution_id);
    CREATE INDEX deliveries_of_crew ON deliveries (crew, queue, due) WHERE state = 'pending';
    CREATE INDEX deliveries_by_due ON deliveries (crew, due) WHERE state = 'pending';
    CREATE INDEX deliveries_of_execution ON deliveries (execution_id);
    CREATE INDEX deliveries_not_sent ON deliveries (execution_id) WHERE state <> 'sent';
    CREATE INDEX batched_events_of_execution ON batched_events (execution_id);
    CREATE INDEX audit_of_execution ON audit (execution_id);
    CREATE INDEX questions_of_execution ON questions (execution_id);
    CREATE UNIQUE INDEX tokens_in_use ON tokens (lower(name)) WHERE revoked_at IS NULL;
    ${audit}`);
}

/** Tables of version 0.1 whose content goes on. */
const lasting = [
  "aliases",
  "usage",
  "held",
  "kept",
  "events",
  "event_counts",
  "batched_events",
  "attempts",
  "deliveries",
  "executions",
];

/** Writes what version 0.1 has stored to today's tables. What openworkflow had stored for it follows from the attempts. */
function* ofVersion01(dialect: Dialect): Work<void> {
  const { dropped, jobs } = dialect;
  yield* script(`
    DROP TABLE ${versionTable};
    DROP INDEX executions_under_way;
    DROP INDEX executions_counted;
    DROP INDEX executions_old;
    DROP INDEX usage_of_execution;
    DROP INDEX deliveries_not_sent;
    DROP INDEX batched_events_of_execution;`);
  for (const name of lasting) yield* script(`ALTER TABLE ${name} RENAME TO old_${name}`);
  yield* createTables(dialect);
  yield* script(`
    INSERT INTO executions (id, owner, crew, project, inputs, meta, callbacks, state, error, created_at, ended_at, is_prepared, phase,
      queued_at, kept)
    SELECT id, owner, crew, project, inputs, meta, callbacks, state, error, created_at, ended_at,
      CASE WHEN EXISTS (SELECT 1 FROM old_attempts WHERE execution_id = id) THEN 1 ELSE 0 END,
      CASE WHEN EXISTS (SELECT 1 FROM old_attempts WHERE execution_id = id AND old_attempts.state = 'waiting') THEN 'waiting'
        WHEN EXISTS (SELECT 1 FROM old_held WHERE execution_id = id) THEN 'held' ELSE 'queued' END,
      coalesce((SELECT max(decided_at) FROM old_attempts WHERE execution_id = id), created_at),
      (SELECT json FROM old_kept WHERE execution_id = id)
    FROM old_executions;
    INSERT INTO attempts (execution_id, task_index, attempt, task_id, state, output, started_at, finished_at, failures, begins, feedback,
      callbacks, decided_at, shown, part, review)
    SELECT one.execution_id, one.task_index, one.attempt, task_id, state, output, started_at, finished_at, failures, begins, feedback,
      callbacks, decided_at, shown, 1 + (
        SELECT count(*) FROM flow_pauses JOIN old_attempts AS pauses USING (execution_id, task_index, attempt)
        WHERE flow_pauses.execution_id = one.execution_id AND pauses.decided_at <= one.started_at),
      '{"pause":' || pause || coalesce(',"answer":' || answer, '') || '}'
    FROM old_attempts AS one LEFT JOIN flow_pauses AS asked
      ON asked.execution_id = one.execution_id AND asked.task_index = one.task_index AND asked.attempt = one.attempt;
    INSERT INTO attempts (execution_id, task_index, attempt, task_id, state, output, started_at, finished_at)
    SELECT id, ${flowIndex}, 1, '', 'done', output, created_at, ended_at FROM flow_outputs JOIN executions ON id = execution_id;
    INSERT INTO attempts (execution_id, task_index, attempt, task_id, state, started_at, begins, failures)
    SELECT id, ${flowIndex}, part, '', 'running', created_at, begins, failures FROM flow_parts JOIN executions ON id = execution_id
    WHERE ended_at IS NULL;
    INSERT INTO events (execution_id, id, type, event) SELECT execution_id, id, type, event FROM old_events ORDER BY rowid;
    INSERT INTO event_counts (execution_id, type, count)
    SELECT execution_id, type, count FROM (
      SELECT execution_id, type, count - (
        SELECT count(*) FROM events WHERE events.execution_id = one.execution_id AND events.type = one.type) AS count
      FROM old_event_counts AS one) AS dropped WHERE count > 0;
    INSERT INTO batched_events (id, execution_id, event)
    SELECT id, execution_id, event FROM old_batched_events WHERE delivery_id IS NULL ORDER BY rowid;
    INSERT INTO deliveries (id, execution_id, crew, queue, kind, url, "authorization", body, state, failures, due, problem)
    SELECT one.id, execution_id, crew, CASE queue WHEN '' THEN '2' ELSE queue END, coalesce(kind, 'events'), url, "authorization", body, one.state, failures,
      due, problem
    FROM old_deliveries AS one JOIN executions ON executions.id = execution_id ORDER BY one.rowid;
    INSERT INTO deliveries (id, execution_id, crew, queue, kind, url, body)
    SELECT 'spans ' || execution_id, execution_id, crew, '2 spans', 'spans', 'spans:', '{"from":' || sent || '}'
    FROM span_exports JOIN executions ON id = execution_id WHERE span_exports.state = 'pending';
    INSERT INTO aliases (id, execution_id) SELECT id, execution_id FROM old_aliases;
    INSERT INTO usage (execution_id, total, prompt, completion) SELECT execution_id, total, prompt, completion FROM old_usage;`);
  const gone = ["flow_pauses", "flow_outputs", "flow_parts", "span_exports", "token_uses"];
  for (const name of [...gone, ...lasting.map((each) => `old_${each}`)])
    yield* script(`DROP TABLE ${name}`);
  yield* script(`
    DROP TABLE IF EXISTS workflow_signals${dropped};
    DROP TABLE IF EXISTS step_attempts${dropped};
    DROP TABLE IF EXISTS workflow_runs${dropped};
    DROP TABLE IF EXISTS openworkflow_migrations${dropped};`);
  const unfinished = yield* rows(
    "SELECT id, crew FROM executions WHERE ended_at IS NULL AND phase = 'queued'",
  );
  for (const one of unfinished) yield* jobs.add(text(one, "crew"), text(one, "id"));
}
