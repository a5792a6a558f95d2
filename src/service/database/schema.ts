import { text } from "../../base/sqlite.ts";
import { Refusal } from "../errors.ts";
import { flowIndex } from "../model.ts";
import type { Jobs } from "../jobs.ts";
import { change, row, rows, script, type Work } from "./database.ts";

/** How the two databases differ. */
export interface Dialect {
  readonly integer: string;
  /** After each table. */
  readonly table: string;
  /** A column that numbers rows in the order in which they came, where a table doesn't have it anyway. */
  readonly rowid: string;
  /** After a table that is dropped together with references to it. */
  readonly dropped: string;
  /** Has a row if there is the table with the version. */
  readonly findVersion: string;
  /** What jobs need of the schema. */
  readonly jobsTable: string;
  readonly jobs: Pick<Jobs, "add">;
  /** From now on, what belongs to an execution is deleted with it. */
  readonly cascade: () => Work<void>;
  /** Refuses changes of what the audit shows. It goes with its execution. */
  readonly audited: string;
}

const steps: readonly ((dialect: Dialect) => Work<void>)[] = [
  ofVersion01,
  columnsOfAttempts,
  attemptsAsLog,
  tokens,
  audit,
  phases,
  outbox,
  kickoffKeys,
  encryption,
];

/** Of the schema. Each database has been made by all steps, one after the other. */
export const version = steps.length;

export const versionTable = "crewdeck_version";

/** Brings a database up to date, as one change and in one process at a time. @throws {Refusal} for one of a newer version */
export function* migrate(dialect: Dialect): Work<void> {
  const hasVersion = (yield* row(dialect.findVersion)) !== undefined;
  const found = hasVersion ? yield* storedVersion() : 0;
  if (found > version)
    throw new Refusal(
      "database",
      `The database was made by a newer version of Crewdeck (its schema is ${found}, this one knows ${version}). Update Crewdeck, or use another database.`,
    );
  if (found === version) return;
  for (const step of steps.slice(found)) yield* step(dialect);
  yield* change(`INSERT INTO ${versionTable} (version) VALUES (?)`, version);
}

function* storedVersion(): Work<number> {
  const stored = yield* row(`SELECT max(version) AS version FROM ${versionTable}`);
  return Number(stored?.["version"]);
}

/** Without the tables of openworkflow, which it used. */
function* ofVersion01({ integer, table, rowid }: Dialect): Work<void> {
  yield* script(`
    CREATE TABLE ${versionTable} (version ${integer} NOT NULL PRIMARY KEY)${table};
    CREATE TABLE executions (
      id TEXT PRIMARY KEY, owner TEXT NOT NULL, project TEXT NOT NULL, inputs TEXT NOT NULL, meta TEXT NOT NULL,
      callbacks TEXT NOT NULL, state TEXT NOT NULL, error TEXT, created_at ${integer} NOT NULL, ended_at ${integer},
      crew TEXT NOT NULL DEFAULT ''
    )${table};
    CREATE TABLE held (execution_id TEXT PRIMARY KEY REFERENCES executions)${table};
    CREATE TABLE kept (execution_id TEXT PRIMARY KEY REFERENCES executions, json TEXT NOT NULL)${table};
    CREATE TABLE aliases (id TEXT PRIMARY KEY, execution_id TEXT NOT NULL REFERENCES executions)${table};
    CREATE TABLE attempts (
      execution_id TEXT NOT NULL REFERENCES executions, task_index ${integer} NOT NULL, attempt ${integer} NOT NULL,
      task_id TEXT NOT NULL, state TEXT NOT NULL, output TEXT, started_at ${integer} NOT NULL, finished_at ${integer},
      failures ${integer} NOT NULL DEFAULT 0, begins ${integer} NOT NULL DEFAULT 0, feedback TEXT, callbacks TEXT,
      decided_at ${integer}, taken ${integer} NOT NULL DEFAULT 0, shown ${integer} NOT NULL DEFAULT 0,
      PRIMARY KEY (execution_id, task_index, attempt)
    )${table};
    CREATE TABLE usage (
      execution_id TEXT NOT NULL REFERENCES executions, total ${integer} NOT NULL, prompt ${integer} NOT NULL,
      completion ${integer} NOT NULL
    )${table};
    CREATE TABLE flow_pauses (
      execution_id TEXT NOT NULL REFERENCES executions, task_index ${integer} NOT NULL, attempt ${integer} NOT NULL,
      pause TEXT NOT NULL, answer TEXT, PRIMARY KEY (execution_id, task_index, attempt)
    )${table};
    CREATE TABLE flow_outputs (execution_id TEXT PRIMARY KEY REFERENCES executions, output TEXT NOT NULL)${table};
    CREATE TABLE flow_parts (
      execution_id TEXT NOT NULL REFERENCES executions, part ${integer} NOT NULL, failures ${integer} NOT NULL DEFAULT 0,
      begins ${integer} NOT NULL DEFAULT 0, PRIMARY KEY (execution_id, part)
    )${table};
    CREATE TABLE events (
      ${rowid} execution_id TEXT NOT NULL REFERENCES executions, id TEXT NOT NULL, type TEXT NOT NULL, event TEXT NOT NULL,
      PRIMARY KEY (execution_id, id)
    )${table};
    CREATE TABLE event_counts (
      execution_id TEXT NOT NULL REFERENCES executions, type TEXT NOT NULL, count ${integer} NOT NULL,
      PRIMARY KEY (execution_id, type)
    )${table};
    CREATE TABLE deliveries (
      ${rowid} id TEXT PRIMARY KEY, execution_id TEXT NOT NULL REFERENCES executions, url TEXT NOT NULL, "authorization" TEXT,
      body TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'pending', failures ${integer} NOT NULL DEFAULT 0, kind TEXT,
      queue TEXT NOT NULL DEFAULT '', due ${integer} NOT NULL DEFAULT 0, problem TEXT, is_taken ${integer} NOT NULL DEFAULT 0
    )${table};
    CREATE TABLE token_uses (name TEXT PRIMARY KEY, used_at ${integer} NOT NULL)${table};
    CREATE TABLE batched_events (
      ${rowid} id TEXT PRIMARY KEY, execution_id TEXT NOT NULL REFERENCES executions, event TEXT NOT NULL, delivery_id TEXT
    )${table};
    CREATE TABLE span_exports (
      execution_id TEXT PRIMARY KEY REFERENCES executions, state TEXT NOT NULL DEFAULT 'pending', due ${integer} NOT NULL,
      failures ${integer} NOT NULL DEFAULT 0, sent ${integer} NOT NULL DEFAULT 0
    )${table};
    CREATE INDEX executions_under_way ON executions (id) WHERE ended_at IS NULL;
    CREATE INDEX attempts_not_taken ON attempts (decided_at) WHERE decided_at IS NOT NULL AND taken = 0;
    CREATE INDEX usage_of_execution ON usage (execution_id);
    CREATE INDEX batched_events_of_execution ON batched_events (execution_id);
    CREATE INDEX deliveries_due ON deliveries (queue, due) WHERE state = 'pending';
    CREATE INDEX deliveries_not_sent ON deliveries (execution_id) WHERE state <> 'sent';
    CREATE INDEX span_exports_due ON span_exports (due) WHERE state = 'pending';
    CREATE INDEX executions_counted ON executions (crew, state) WHERE ended_at IS NOT NULL;
    CREATE INDEX executions_old ON executions (ended_at) WHERE ended_at IS NOT NULL;`);
}

function* columnsOfAttempts({ integer, table }: Dialect): Work<void> {
  yield* script(`
    -- Whether its crew was read as it runs.
    ALTER TABLE executions ADD COLUMN is_prepared ${integer} NOT NULL DEFAULT 0;
    ALTER TABLE executions ADD COLUMN is_running ${integer} NOT NULL DEFAULT 0;
    -- How often it had its turn: a worker that another one has replaced stores nothing more.
    ALTER TABLE executions ADD COLUMN turn ${integer} NOT NULL DEFAULT 0;
    -- Of a flow, which part made it.
    ALTER TABLE attempts ADD COLUMN part ${integer} NOT NULL DEFAULT 1;
    ALTER TABLE attempts ADD COLUMN review TEXT;
    CREATE TABLE python_inputs (
      crew TEXT NOT NULL, version TEXT NOT NULL, inputs TEXT NOT NULL, PRIMARY KEY (crew, version)
    )${table};
    CREATE INDEX aliases_of_execution ON aliases (execution_id);
    CREATE INDEX deliveries_of_execution ON deliveries (execution_id);`);
}

/** What openworkflow had stored follows from the attempts. */
function* attemptsAsLog({ dropped, jobsTable, jobs }: Dialect): Work<void> {
  yield* script(`
    UPDATE executions SET is_prepared = 1 WHERE ended_at IS NULL AND EXISTS (SELECT 1 FROM attempts WHERE execution_id = id);
    UPDATE attempts SET part = 1 + (
      SELECT count(*) FROM flow_pauses JOIN attempts AS pauses USING (execution_id, task_index, attempt)
      WHERE flow_pauses.execution_id = attempts.execution_id AND pauses.decided_at <= attempts.started_at)
    WHERE execution_id IN (SELECT execution_id FROM flow_pauses);
    DROP INDEX attempts_not_taken;
    ALTER TABLE attempts DROP COLUMN taken;
    DROP TABLE IF EXISTS workflow_signals${dropped};
    DROP TABLE IF EXISTS step_attempts${dropped};
    DROP TABLE IF EXISTS workflow_runs${dropped};
    DROP TABLE IF EXISTS openworkflow_migrations${dropped};
    ${jobsTable}`);
  const unfinished = yield* rows(
    `SELECT id, crew FROM executions WHERE ended_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM attempts WHERE execution_id = id AND attempts.state = 'waiting')`,
  );
  for (const one of unfinished) yield* jobs.add(text(one, "id"), text(one, "crew"));
}

function* tokens({ integer, table }: Dialect): Work<void> {
  yield* script(`
    CREATE TABLE tokens (
      name TEXT NOT NULL, kind TEXT NOT NULL, crews TEXT NOT NULL, hash TEXT PRIMARY KEY, expires_at ${integer},
      used_at ${integer}, revoked_at ${integer}
    )${table};
    CREATE UNIQUE INDEX tokens_in_use ON tokens (lower(name)) WHERE revoked_at IS NULL;`);
}

/** And what was kept of flows in tables of their own. */
function* audit({ integer, table, rowid, audited }: Dialect): Work<void> {
  yield* script(`
    CREATE TABLE audit (
      ${rowid} execution_id TEXT NOT NULL REFERENCES executions ON DELETE CASCADE, at ${integer} NOT NULL,
      action TEXT NOT NULL, actor TEXT NOT NULL, task_id TEXT, attempt ${integer}, feedback TEXT, output_sha256 TEXT
    )${table};
    CREATE INDEX audit_of_execution ON audit (execution_id);
    ${audited}
    UPDATE attempts SET review = '{"pause":' || pause || coalesce(',"answer":' || answer, '') || '}' FROM flow_pauses AS asked
    WHERE asked.execution_id = attempts.execution_id AND asked.task_index = attempts.task_index AND asked.attempt = attempts.attempt;
    INSERT INTO attempts (execution_id, task_index, attempt, task_id, state, output, started_at, finished_at)
    SELECT id, ${flowIndex}, 1, '', 'done', output, created_at, ended_at FROM flow_outputs JOIN executions ON id = execution_id;
    INSERT INTO attempts (execution_id, task_index, attempt, task_id, state, started_at, begins, failures)
    SELECT id, ${flowIndex}, part, '', 'running', created_at, begins, failures FROM flow_parts JOIN executions ON id = execution_id
    WHERE ended_at IS NULL;
    DROP TABLE flow_pauses;
    DROP TABLE flow_outputs;
    DROP TABLE flow_parts;`);
}

/** An execution that has not ended is "queued", "running" or "waiting", so that what is under way is counted quickly. */
function* phases({ cascade }: Dialect): Work<void> {
  yield* cascade();
  yield* script(`
    ALTER TABLE executions ADD COLUMN phase TEXT NOT NULL DEFAULT 'queued';
    UPDATE executions SET phase = CASE
      WHEN EXISTS (SELECT 1 FROM attempts WHERE execution_id = id AND attempts.state = 'waiting') THEN 'waiting'
      WHEN is_running = 1 THEN 'running' ELSE 'queued' END
    WHERE ended_at IS NULL;
    ALTER TABLE executions DROP COLUMN is_running;
    CREATE INDEX executions_at_work ON executions (crew, phase) WHERE ended_at IS NULL;`);
}

/** Callbacks wait in queues of their crew, and so do spans. */
function* outbox(): Work<void> {
  yield* script(`
    ALTER TABLE deliveries ADD COLUMN crew TEXT NOT NULL DEFAULT '';
    UPDATE deliveries SET crew = (SELECT crew FROM executions WHERE executions.id = execution_id),
      queue = CASE queue WHEN '' THEN '2' ELSE queue END
    WHERE state = 'pending';
    ALTER TABLE deliveries DROP COLUMN is_taken;
    DROP INDEX deliveries_due;
    CREATE INDEX deliveries_of_crew ON deliveries (crew, queue, due) WHERE state = 'pending';
    INSERT INTO deliveries (id, execution_id, url, body, kind, crew, queue)
    SELECT 'spans ' || execution_id, execution_id, '', '{"from":' || sent || '}', 'spans', crew, '2 spans'
    FROM span_exports JOIN executions ON id = execution_id WHERE span_exports.state = 'pending';
    DROP TABLE span_exports;`);
}

/** By which a repeated kickoff is recognised: hashes of its key and of the body. */
function* kickoffKeys(): Work<void> {
  yield* script(`
    ALTER TABLE executions ADD COLUMN kickoff_key TEXT;
    ALTER TABLE executions ADD COLUMN kickoff_body TEXT;
    CREATE UNIQUE INDEX executions_by_key ON executions (kickoff_key) WHERE kickoff_key IS NOT NULL;`);
}

/** What the service's key has encrypted, by which another one is noticed. */
function* encryption({ table }: Dialect): Work<void> {
  yield* script(`CREATE TABLE secret_check (value TEXT NOT NULL)${table};`);
}
