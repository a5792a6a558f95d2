import { flowIndex } from "../model.ts";

/** How the two databases differ in a table's definition. */
interface Dialect {
  readonly integer: string;
  /** After each table. */
  readonly table: string;
  /** A column that numbers rows in the order in which they came, where a table doesn't have it anyway. */
  readonly rowid: string;
  /** Refuses changes of what the audit shows. It goes with its execution. */
  readonly audited: string;
}

/** Of the schema below. A database of a newer version is refused. */
export const version = 5;

export const versionTable = "crewdeck_version";

/** Also for a database that has some of them. */
export function tables({ integer, table, rowid, audited }: Dialect): string {
  return `
  CREATE TABLE IF NOT EXISTS ${versionTable} (version ${integer} NOT NULL PRIMARY KEY)${table};
  CREATE TABLE IF NOT EXISTS executions (
    id TEXT PRIMARY KEY, owner TEXT NOT NULL, project TEXT NOT NULL, inputs TEXT NOT NULL, meta TEXT NOT NULL,
    callbacks TEXT NOT NULL, state TEXT NOT NULL, error TEXT, created_at ${integer} NOT NULL, ended_at ${integer},
    crew TEXT NOT NULL DEFAULT '', is_prepared ${integer} NOT NULL DEFAULT 0, is_running ${integer} NOT NULL DEFAULT 0, turn ${integer} NOT NULL DEFAULT 0
  )${table};
  CREATE TABLE IF NOT EXISTS held (execution_id TEXT PRIMARY KEY REFERENCES executions)${table};
  CREATE TABLE IF NOT EXISTS kept (execution_id TEXT PRIMARY KEY REFERENCES executions, json TEXT NOT NULL)${table};
  CREATE TABLE IF NOT EXISTS aliases (id TEXT PRIMARY KEY, execution_id TEXT NOT NULL REFERENCES executions)${table};
  CREATE TABLE IF NOT EXISTS attempts (
    execution_id TEXT NOT NULL REFERENCES executions, task_index ${integer} NOT NULL, attempt ${integer} NOT NULL,
    task_id TEXT NOT NULL, state TEXT NOT NULL, output TEXT, started_at ${integer} NOT NULL, finished_at ${integer},
    failures ${integer} NOT NULL DEFAULT 0, begins ${integer} NOT NULL DEFAULT 0, feedback TEXT, callbacks TEXT, decided_at ${integer},
    shown ${integer} NOT NULL DEFAULT 0, review TEXT, part ${integer} NOT NULL DEFAULT 1, PRIMARY KEY (execution_id, task_index, attempt)
  )${table};
  CREATE TABLE IF NOT EXISTS usage (
    execution_id TEXT NOT NULL REFERENCES executions, total ${integer} NOT NULL, prompt ${integer} NOT NULL, completion ${integer} NOT NULL
  )${table};
  CREATE TABLE IF NOT EXISTS events (
    ${rowid} execution_id TEXT NOT NULL REFERENCES executions, id TEXT NOT NULL, type TEXT NOT NULL, event TEXT NOT NULL,
    PRIMARY KEY (execution_id, id)
  )${table};
  CREATE TABLE IF NOT EXISTS event_counts (
    execution_id TEXT NOT NULL REFERENCES executions, type TEXT NOT NULL, count ${integer} NOT NULL,
    PRIMARY KEY (execution_id, type)
  )${table};
  CREATE TABLE IF NOT EXISTS deliveries (
    ${rowid} id TEXT PRIMARY KEY, execution_id TEXT NOT NULL REFERENCES executions, url TEXT NOT NULL, "authorization" TEXT,
    body TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'pending', failures ${integer} NOT NULL DEFAULT 0,
    kind TEXT, queue TEXT NOT NULL DEFAULT '', due ${integer} NOT NULL DEFAULT 0, problem TEXT, is_taken ${integer} NOT NULL DEFAULT 0
  )${table};
  CREATE TABLE IF NOT EXISTS python_inputs (crew TEXT NOT NULL, version TEXT NOT NULL, inputs TEXT NOT NULL, PRIMARY KEY (crew, version))${table};
  CREATE TABLE IF NOT EXISTS tokens (
    name TEXT NOT NULL, kind TEXT NOT NULL, crews TEXT NOT NULL, hash TEXT PRIMARY KEY, expires_at ${integer},
    used_at ${integer}, revoked_at ${integer}
  )${table};
  CREATE TABLE IF NOT EXISTS token_uses (name TEXT PRIMARY KEY, used_at ${integer} NOT NULL)${table};
  CREATE TABLE IF NOT EXISTS batched_events (
    ${rowid} id TEXT PRIMARY KEY, execution_id TEXT NOT NULL REFERENCES executions, event TEXT NOT NULL, delivery_id TEXT
  )${table};
  CREATE TABLE IF NOT EXISTS span_exports (
    execution_id TEXT PRIMARY KEY REFERENCES executions, state TEXT NOT NULL DEFAULT 'pending', due ${integer} NOT NULL,
    failures ${integer} NOT NULL DEFAULT 0, sent ${integer} NOT NULL DEFAULT 0
  )${table};
  CREATE TABLE IF NOT EXISTS audit (
    ${rowid} execution_id TEXT NOT NULL REFERENCES executions ON DELETE CASCADE, at ${integer} NOT NULL, action TEXT NOT NULL,
    actor TEXT NOT NULL, task_id TEXT, attempt ${integer}, feedback TEXT, output_sha256 TEXT
  )${table};
  ${audited}
`;
}

/** What version 0.1.0 and files of later development versions may not have. */
export const addedColumns = [
  ["executions", "crew", "TEXT NOT NULL DEFAULT ''"],
  // Whether its crew was read as it runs.
  ["executions", "is_prepared", "INTEGER NOT NULL DEFAULT 0"],
  // Whether it has its turn.
  ["executions", "is_running", "INTEGER NOT NULL DEFAULT 0"],
  // How often it had its turn: a worker that another one has replaced stores nothing more.
  ["executions", "turn", "INTEGER NOT NULL DEFAULT 0"],
  // Of a flow, which part made it.
  ["attempts", "part", "INTEGER NOT NULL DEFAULT 1"],
  ["attempts", "shown", "INTEGER NOT NULL DEFAULT 0"],
  ["attempts", "begins", "INTEGER NOT NULL DEFAULT 0"],
  ["attempts", "review", "TEXT"],
  ["deliveries", "kind", "TEXT"],
  // Its callbacks wait for their repeat in one queue, and are in no status.
  ["deliveries", "queue", "TEXT NOT NULL DEFAULT ''"],
  // ms since 1970; 0 before the first attempt.
  ["deliveries", "due", "INTEGER NOT NULL DEFAULT 0"],
  ["deliveries", "problem", "TEXT"],
  ["deliveries", "is_taken", "INTEGER NOT NULL DEFAULT 0"],
] as const;

export const indexes = `
  CREATE INDEX IF NOT EXISTS executions_under_way ON executions (id) WHERE ended_at IS NULL;
  CREATE UNIQUE INDEX IF NOT EXISTS tokens_in_use ON tokens (lower(name)) WHERE revoked_at IS NULL;
  CREATE INDEX IF NOT EXISTS aliases_of_execution ON aliases (execution_id);
  CREATE INDEX IF NOT EXISTS deliveries_of_execution ON deliveries (execution_id);
  CREATE INDEX IF NOT EXISTS usage_of_execution ON usage (execution_id);
  CREATE INDEX IF NOT EXISTS batched_events_of_execution ON batched_events (execution_id);
  CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (queue, due) WHERE state = 'pending';
  CREATE INDEX IF NOT EXISTS deliveries_not_sent ON deliveries (execution_id) WHERE state <> 'sent';
  CREATE INDEX IF NOT EXISTS span_exports_due ON span_exports (due) WHERE state = 'pending';
  CREATE INDEX IF NOT EXISTS executions_counted ON executions (crew, state) WHERE ended_at IS NOT NULL;
  CREATE INDEX IF NOT EXISTS audit_of_execution ON audit (execution_id);
  CREATE INDEX IF NOT EXISTS executions_old ON executions (ended_at) WHERE ended_at IS NOT NULL;
`;

/** What earlier versions kept in openworkflow's tables. Also for a database that has none. @param cascade where tables depend on each other */
export const toVersion3 = (cascade: string) => `
  UPDATE executions SET is_prepared = 1 WHERE ended_at IS NULL AND EXISTS (SELECT 1 FROM attempts WHERE execution_id = id);
  UPDATE attempts SET part = 1 + (
    SELECT count(*) FROM flow_pauses JOIN attempts AS pauses USING (execution_id, task_index, attempt)
    WHERE flow_pauses.execution_id = attempts.execution_id AND pauses.decided_at <= attempts.started_at)
  WHERE execution_id IN (SELECT execution_id FROM flow_pauses);
  DROP INDEX IF EXISTS attempts_not_taken;
  DROP TABLE IF EXISTS workflow_signals${cascade};
  DROP TABLE IF EXISTS step_attempts${cascade};
  DROP TABLE IF EXISTS workflow_runs${cascade};
  DROP TABLE IF EXISTS openworkflow_migrations${cascade};
`;

/** What earlier versions kept of flows in tables of their own. */
export const toVersion5 = `
  UPDATE attempts SET review = '{"pause":' || pause || coalesce(',"answer":' || answer, '') || '}' FROM flow_pauses AS asked
  WHERE asked.execution_id = attempts.execution_id AND asked.task_index = attempts.task_index AND asked.attempt = attempts.attempt;
  INSERT INTO attempts (execution_id, task_index, attempt, task_id, state, output, started_at, finished_at)
  SELECT id, ${flowIndex}, 1, '', 'done', output, created_at, ended_at FROM flow_outputs JOIN executions ON id = execution_id;
  INSERT INTO attempts (execution_id, task_index, attempt, task_id, state, started_at, begins, failures)
  SELECT id, ${flowIndex}, part, '', 'running', created_at, begins, failures FROM flow_parts JOIN executions ON id = execution_id
  WHERE ended_at IS NULL;
  DROP TABLE flow_pauses;
  DROP TABLE flow_outputs;
  DROP TABLE flow_parts;
`;

/** Executions that have something to do. */
export const unfinished = `
  SELECT id, crew FROM executions WHERE ended_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM attempts WHERE execution_id = id AND attempts.state = 'waiting')`;
