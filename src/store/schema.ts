import type { DatabaseSync } from "node:sqlite";
import * as l10n from "@vscode/l10n";
import { StoreError } from "./errors.ts";
import { transaction } from "../base/sqlite.ts";

interface Step {
  /** The version that it leads to, from that of the step before. */
  readonly to: number;
  readonly sql: string;
}

/** Released steps never change. */
export const steps: readonly Step[] = [
  {
    to: 5,
    sql: `
  -- Counts every change of an execution, in all windows: a window reads only what is new to it.
  CREATE TABLE revisions (id INTEGER PRIMARY KEY CHECK (id = 1), last INTEGER NOT NULL) STRICT;
  INSERT INTO revisions VALUES (1, 0);

  -- What lists read, as JSON: in common what most executions of a crew have alike, in summary the
  -- rest. Inputs, outputs and feedback are in details.
  CREATE TABLE executions (
    local_id TEXT PRIMARY KEY,
    revision INTEGER NOT NULL UNIQUE,
    summary TEXT NOT NULL,
    common TEXT NOT NULL
  ) STRICT;
  CREATE TABLE details (
    local_id TEXT PRIMARY KEY REFERENCES executions ON DELETE CASCADE,
    -- The values of the inputs in lower case.
    search TEXT NOT NULL,
    json TEXT NOT NULL
  ) STRICT;

  -- Kickoffs and resumes that may have been sent. A row is written before the request is sent, in
  -- the transaction that records it. pid: the process that sends it; null after no response.
  CREATE TABLE sends (
    local_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('kickoff', 'resume')),
    task_id TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    pid INTEGER,
    PRIMARY KEY (local_id, kind, task_id, attempt)
  ) STRICT;

  -- What a window has shown a notification for, so that no other window does.
  CREATE TABLE notified (
    key TEXT PRIMARY KEY,
    local_id TEXT NOT NULL REFERENCES executions ON DELETE CASCADE
  ) STRICT;
  CREATE INDEX notified_by_execution ON notified (local_id);

  -- Which window asks for a token of a crew that refuses the current one.
  CREATE TABLE token_prompts (crew_id TEXT PRIMARY KEY, pid INTEGER NOT NULL, session TEXT NOT NULL) STRICT;

  -- Executions whose callbacks have secrets: SecretStorage can't list its entries.
  CREATE TABLE callback_secrets (local_id TEXT PRIMARY KEY) STRICT;

  -- Which window polls and notifies.
  CREATE TABLE lease (id INTEGER PRIMARY KEY CHECK (id = 1), owner TEXT NOT NULL, expires_at INTEGER NOT NULL) STRICT;

  -- Feedback that was not sent yet.
  CREATE TABLE drafts (
    local_id TEXT NOT NULL,
    task_id TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    is_approve INTEGER NOT NULL,
    text TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (local_id, task_id, attempt)
  ) STRICT;
  CREATE TRIGGER drafts_of_removed AFTER DELETE ON executions BEGIN
    DELETE FROM drafts WHERE local_id = old.local_id;
  END;

  -- One JSON value of each kind for each crew: form values, presets, accepted callbacks.
  CREATE TABLE crew_values (
    kind TEXT NOT NULL,
    crew_id TEXT NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (kind, crew_id)
  ) STRICT;

  CREATE TABLE local_crews (
    folder TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    port INTEGER NOT NULL,
    wanted INTEGER NOT NULL,
    failure TEXT,
    engine TEXT,
    is_engine_chosen INTEGER NOT NULL DEFAULT 0,
    interrupted INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  -- Deletions of all local data, so that other windows forget theirs.
  CREATE TABLE clearings (id INTEGER PRIMARY KEY AUTOINCREMENT, scope TEXT NOT NULL) STRICT;

  -- What happened in executions, one event a row. Without json: left out, since there were too many.
  CREATE TABLE events (
    local_id TEXT NOT NULL REFERENCES executions ON DELETE CASCADE,
    id TEXT NOT NULL,
    -- Milliseconds since 1970.
    at REAL NOT NULL,
    type TEXT NOT NULL,
    -- Whether it says which tasks, agents and persons were at work.
    is_frame INTEGER NOT NULL,
    json TEXT,
    PRIMARY KEY (local_id, id)
  ) STRICT;

  -- The port is kept, so that addresses stay valid. Who knows a path can post to it. A hash is SHA-256 of
  -- an Authorization header that a crew was asked to send. Of what was received, a repeat is ignored. Probes
  -- are requests of this machine to itself.
  CREATE TABLE receiver (id INTEGER PRIMARY KEY CHECK (id = 1), port INTEGER NOT NULL) STRICT;
  CREATE TABLE callback_paths (
    local_id TEXT PRIMARY KEY REFERENCES executions ON DELETE CASCADE,
    path TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE callback_authorizations (
    local_id TEXT NOT NULL REFERENCES executions ON DELETE CASCADE,
    hash TEXT NOT NULL,
    PRIMARY KEY (local_id, hash)
  ) STRICT;
  CREATE TABLE received_callbacks (
    local_id TEXT NOT NULL REFERENCES executions ON DELETE CASCADE,
    key TEXT NOT NULL,
    PRIMARY KEY (local_id, key)
  ) STRICT;
  -- The last callback of each relay's channel that was stored. channel: a hash of its address.
  CREATE TABLE relay_channels (channel TEXT PRIMARY KEY, last_id TEXT NOT NULL) STRICT;
  CREATE TABLE callback_probes (path TEXT PRIMARY KEY, at INTEGER NOT NULL, has_arrived INTEGER NOT NULL DEFAULT 0) STRICT;

  -- A random name, because SecretStorage is shared with other machines. It is sent nowhere.
  CREATE TABLE machine (id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL) STRICT;
  INSERT INTO machine VALUES (1, lower(hex(randomblob(16))));
  `,
  },
  {
    to: 10,
    sql: `
  -- Of folders with several crews: their classes, in order. Without code of a project, their rows are shown, too.
  CREATE TABLE local_classes (folder TEXT NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (folder, place)) STRICT;

  -- What it was for is no more.
  ALTER TABLE local_crews DROP COLUMN interrupted;

  -- Requests to stop are in the outbox, too.
  CREATE TABLE intents (
    local_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('kickoff', 'resume', 'stop')),
    task_id TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    pid INTEGER,
    PRIMARY KEY (local_id, kind, task_id, attempt)
  ) STRICT;
  INSERT INTO intents SELECT * FROM sends;
  DROP TABLE sends;
  `,
  },
];

/** @throws StoreError for a newer version */
export function migrate(connection: DatabaseSync, chain: readonly Step[] = steps): void {
  const last = chain.at(-1)?.to ?? 0;
  if (versionOf(connection, chain) === last) return;
  transaction(connection, () => {
    // Another window may have migrated it meanwhile.
    const version = versionOf(connection, chain);
    for (const { to, sql } of chain) if (to > version) connection.exec(sql);
    connection.exec(`PRAGMA user_version = ${last}`);
  });
}

/** @throws StoreError for a newer version */
export function versionOf(connection: DatabaseSync, chain: readonly Step[] = steps): number {
  const version = Number(connection.prepare("PRAGMA user_version").get()?.["user_version"]);
  if (version <= (chain.at(-1)?.to ?? 0)) return version;
  throw new StoreError(
    "newer",
    l10n.t(
      "Crewdeck's data on this machine was written by a newer version of the extension. It isn't read or changed. Update the extension, then reload the window.",
    ),
  );
}
