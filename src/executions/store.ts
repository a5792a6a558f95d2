import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../base/clock.ts";
import type { ProblemLog } from "../base/errors.ts";
import type { ActivityEvent, Picture } from "../api/types.ts";
import { type Disposable, Emitter } from "../base/events.ts";
import { asArray, defined } from "../base/json.ts";
import type { Database } from "../store/database.ts";
import { integer, optionalText, type Row, text } from "../base/sqlite.ts";
import { activityOf, type KeptEvents } from "./activity.ts";
import { type Execution, type ExecutionSummary, without } from "./model.ts";
import { readExecution, readSummaries, summaryOf, writeExecution } from "./record.ts";
import { keepEnd, withHistory } from "./reduce.ts";
import { withTimes } from "./times.ts";
import { newTitle } from "./title.ts";

export interface ExecutionChange {
  readonly added: readonly ExecutionSummary[];
  readonly changed: readonly ExecutionSummary[];
  readonly removed: readonly ExecutionSummary[];
}

interface Entry {
  readonly revision: number;
  readonly summary: ExecutionSummary;
}

/** `data`: what executions left on this machine; `everything`: also crews and tokens. */
export type ClearScope = "data" | "everything";

interface ExecutionStoreOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: ProblemLog;
}

/** After a failure, wait this long before reading again (ms). */
const again = 1_000;

const readWhole = `
  SELECT local_id, summary, common, json FROM executions LEFT JOIN details USING (local_id)
  WHERE local_id = ?`;

const writeSummary = `
  INSERT INTO executions VALUES (?, ?, ?, ?) ON CONFLICT (local_id) DO UPDATE
  SET revision = excluded.revision, summary = excluded.summary, common = excluded.common`;

const writeDetails = `
  INSERT INTO details VALUES (?, '', ?) ON CONFLICT (local_id) DO UPDATE SET json = excluded.json`;

/** One text of many summaries is read faster than many texts. */
const readNews = (isApart: boolean) => `
  SELECT common, ${isApart ? "local_id" : "NULL"} AS local_id, max(revision) AS last,
    '[' || group_concat(revision) || ']' AS revisions, '[' || group_concat(summary) || ']' AS summaries
  FROM (SELECT * FROM executions WHERE revision > ? ORDER BY revision LIMIT 1000)
  GROUP BY ${isApart ? "local_id" : "common"}`;

const readCounts = `
  SELECT (SELECT count(*) FROM executions) AS count, (SELECT last FROM revisions) AS last,
    (SELECT coalesce(max(id), 0) FROM clearings) AS clearing`;

/** Far above what other windows have seen, in case the last was lost with a damaged file. */
const nextRevision = `
  INSERT INTO revisions SELECT 1, coalesce(max(revision), 0) + 1000000 FROM executions WHERE true
  ON CONFLICT (id) DO UPDATE SET last = iif(last < excluded.last - 1000000, excluded.last, last + 1)
  RETURNING last`;

/** Whole executions are in the database, summaries in memory. A change is on disk when its method or the outer `write` returns. */
export class ExecutionStore implements Disposable {
  readonly #options: ExecutionStoreOptions;
  readonly #entries = new Map<string, Entry>();
  #sorted: readonly ExecutionSummary[] | undefined;
  /** Of the entries, since it was reported last. */
  #change: Record<keyof ExecutionChange, ExecutionSummary[]> = noChange();
  readonly #onError = (error: unknown) =>
    this.#options.log.problem("A listener of the executions failed.", error);
  readonly #changes = new Emitter<ExecutionChange>(this.#onError);
  readonly onDidChange = this.#changes.event;
  readonly #clears = new Emitter<ClearScope>(this.#onError);
  /** Fires when another window deleted everything, after `onDidChange`. */
  readonly onDidClear = this.#clears.event;
  #seen: { revision: number; clearing?: number } = { revision: 0 };
  #subscription: Disposable | undefined;
  #cancelAgain: (() => void) | undefined;

  constructor(options: ExecutionStoreOptions) {
    this.#options = options;
  }

  /** Reads the summaries, now and when others write. @throws StoreError if it can't read them */
  open(): void {
    // First, because the database may open later.
    this.#subscription = this.#options.database.onDidChangeElsewhere(() => this.#readNews());
    this.#readRows();
  }

  list(): readonly ExecutionSummary[] {
    this.#sorted ??= [...this.#entries.values()].map(({ summary }) => summary).sort(newestFirst);
    return this.#sorted;
  }

  /** By local id or any kickoff id; the newest of several. */
  summary(id: string, crewId?: string): ExecutionSummary | undefined {
    const isMeant = ({ crew }: ExecutionSummary) => crewId === undefined || crew.id === crewId;
    const direct = this.#entries.get(id)?.summary;
    return direct !== undefined && isMeant(direct)
      ? direct
      : this.list().find((each) => each.kickoffIds.includes(id) && isMeant(each));
  }

  find(id: string, crewId?: string): Execution | undefined {
    const execution = this.#read(this.summary(id, crewId)?.localId ?? id)?.execution;
    return crewId === undefined || execution?.crew.id === crewId ? execution : undefined;
  }

  /** Begins to track an execution. @throws Error if its local id exists */
  add(execution: Execution): Execution {
    const { database } = this.#options;
    const { localId } = execution;
    return database.write(() => {
      if (database.get("SELECT 1 FROM executions WHERE local_id = ?", localId) !== undefined)
        throw new Error(`The execution ${localId} is tracked already.`);
      const named = this.#named(execution);
      this.#write(named);
      return named;
    });
  }

  /** What happened in it, as far as the crew reported it; 10,000 events take some 100 ms. */
  events(localId: string): KeptEvents {
    // Parsing one text is faster than 10,000, and sorting here than there.
    const row = this.#options.database.get(
      `SELECT count(*) AS count, count(json) AS whole,
           (SELECT json ->> '$.eventCount' FROM details WHERE local_id = ?1) AS reported,
           '[' || coalesce(group_concat(iif(type = 'image_generated', json_remove(json, '$.picture.base64'), json)), '') || ']' AS json
         FROM events WHERE local_id = ?1`,
      localId,
    );
    if (row === undefined) return { events: [], left: 0 };
    // Only addEvents writes them.
    const events = JSON.parse(text(row, "json")) as ActivityEvent[];
    const all = Math.max(integer(row, "count"), Number(row["reported"] ?? 0));
    return {
      events: events.sort((one, other) => one.at - other.at),
      left: all - integer(row, "whole"),
    };
  }

  picture(localId: string, eventId: string): Required<Picture> | undefined {
    const row = this.#options.database.get(
      "SELECT json -> '$.picture' AS picture FROM events WHERE local_id = ? AND id = ?",
      localId,
      eventId,
    );
    const picture = optionalText(row ?? { picture: null }, "picture");
    return picture === undefined ? undefined : (JSON.parse(picture) as Required<Picture>);
  }

  /** `change` must be pure: it gets the newest state and may run twice. @param events kept with it; repeats are ignored */
  update(
    localId: string,
    change: (current: Execution) => Execution,
    events?: readonly ActivityEvent[],
  ): Execution | undefined {
    const { database, clock } = this.#options;
    return database.write(() => {
      const row = this.#read(localId);
      if (row === undefined) return undefined;
      const current = row.execution;
      const asked = change(current);
      const isRenamed = asked.label !== current.label;
      const changed = keepEnd(current, isRenamed ? this.#named(asked) : asked);
      const news = events && addEvents(database, localId, events);
      const isChanged = !isDeepStrictEqual(changed, current);
      if (news === undefined && !isChanged) return current;
      const seen = withHistory(current, changed, clock.now());
      const isTimed = news === "frame" || (events !== undefined && isChanged);
      const kept = isTimed && this.events(localId);
      const next = kept && kept.events.length > 0 ? withTimes(seen, activityOf(seen, kept)) : seen;
      this.#write(next, row.details);
      return next;
    });
  }

  /** Whether this window is to notify a person, or to send spans: none has, and the execution is tracked. */
  claim(event: string, localId: string): boolean {
    const insert =
      "INSERT OR IGNORE INTO notified SELECT ?, local_id FROM executions WHERE local_id = ?";
    return this.#options.database.run(insert, event, localId) === 1;
  }

  /** In all windows; the crew keeps running. */
  remove(localId: string): void {
    const { database } = this.#options;
    database.write(() => {
      database.run("DELETE FROM executions WHERE local_id = ?", localId);
      database.afterCommit(() => {
        this.#set(localId, undefined);
        this.#report();
      });
    });
  }

  clear(scope: ClearScope): void {
    const { database } = this.#options;
    database.write(() => {
      database.run("DELETE FROM executions");
      const row = database.get("INSERT INTO clearings (scope) VALUES (?) RETURNING id", scope);
      database.afterCommit(() => {
        if (row !== undefined) this.#seen.clearing = integer(row, "id");
        for (const localId of this.#entries.keys()) this.#set(localId, undefined);
        this.#report();
      });
    });
  }

  refresh(): void {
    this.#options.database.look();
  }

  dispose(): void {
    this.#subscription?.dispose();
    this.#cancelAgain?.();
    this.#changes.dispose();
    this.#clears.dispose();
  }

  #write(execution: Execution, details?: string): void {
    const { database } = this.#options;
    const { localId } = execution;
    const next = writeExecution(execution);
    const summary = summaryOf(execution);
    const revision = integer(database.get(nextRevision) ?? {}, "last");
    database.run(writeSummary, localId, revision, next.summary, next.common);
    if (next.details !== details) database.run(writeDetails, localId, next.details);
    database.afterCommit(() => {
      this.#set(localId, { revision, summary });
      this.#report();
    });
  }

  #named(execution: Execution): Execution {
    const title = newTitle(execution, this.list());
    return { ...without(execution, "title"), ...defined({ title }) };
  }

  #read(localId: string) {
    const row = this.#options.database.get(readWhole, localId);
    if (row === undefined) return undefined;
    try {
      const [summary, common] = [text(row, "summary"), text(row, "common")];
      const details = optionalText(row, "json") ?? "";
      return { execution: readExecution({ summary, common, details }), details };
    } catch (error) {
      this.#reportUnread(error, row);
      return undefined;
    }
  }

  #reportUnread(error: unknown, row: Row): void {
    const { log } = this.#options;
    log.problem("A tracked execution could not be read.", error, text(row, "local_id"));
  }

  #readNews(): void {
    this.#cancelAgain?.();
    try {
      this.#readRows();
      const clearings = this.#options.database.all(
        "SELECT id, scope FROM clearings WHERE id > ? ORDER BY id",
        this.#seen.clearing ?? 0,
      );
      for (const row of clearings) {
        this.#seen.clearing = integer(row, "id");
        this.#clears.fire(text(row, "scope") === "everything" ? "everything" : "data");
      }
    } catch (error) {
      this.#options.log.problem("Tracked executions could not be read; trying again.", error);
      this.#cancelAgain = this.#options.clock.after(again, () => this.#readNews());
    }
  }

  #readRows(): void {
    const { database } = this.#options;
    const counts = database.get(readCounts) ?? {};
    // Ignore what was deleted before this window could read.
    this.#seen.clearing ??= integer(counts, "clearing");
    // A damaged file was replaced by what could be recovered.
    if (Number(counts["last"]) < this.#seen.revision) this.#seen.revision = 0;
    try {
      while (this.#readPortion());
      if (integer(counts, "count") !== this.#entries.size) {
        const rows = database.all("SELECT local_id FROM executions");
        const there = new Set(rows.map((row) => text(row, "local_id")));
        for (const localId of this.#entries.keys())
          if (!there.has(localId)) this.#set(localId, undefined);
      }
    } finally {
      // Also after an error: what was read is not read again.
      this.#report();
    }
  }

  /** In portions, texts can be freed meanwhile. If a row can't be read, each is read apart. @returns whether there were rows */
  #readPortion(isApart = false): boolean {
    const groups = this.#options.database.all(readNews(isApart), this.#seen.revision);
    for (const group of groups) {
      try {
        const revisions = asArray(JSON.parse(text(group, "revisions")));
        const summaries = readSummaries(text(group, "summaries"), text(group, "common"));
        for (const [at, summary] of summaries.entries())
          this.#set(summary.localId, { revision: Number(revisions[at]), summary });
      } catch (error) {
        if (!isApart) return this.#readPortion(true);
        this.#reportUnread(error, group);
        this.#set(text(group, "local_id"), undefined);
      }
    }
    const last = groups.map((group) => integer(group, "last"));
    this.#seen.revision = Math.max(this.#seen.revision, ...last);
    return groups.length > 0;
  }

  #set(localId: string, entry: Entry | undefined): void {
    const before = this.#entries.get(localId);
    if (before !== undefined && entry !== undefined && entry.revision <= before.revision) return;
    if (entry === undefined) this.#entries.delete(localId);
    else this.#entries.set(localId, entry);
    this.#sorted = undefined;
    if (entry !== undefined) this.#change[before ? "changed" : "added"].push(entry.summary);
    else if (before !== undefined) this.#change.removed.push(before.summary);
  }

  #report(): void {
    const change = this.#change;
    if (Object.values(change).every((summaries) => summaries.length === 0)) return;
    this.#change = noChange();
    this.#changes.fire(change);
  }
}

function noChange() {
  return { added: [], changed: [], removed: [] };
}

function newestFirst(a: ExecutionSummary, b: ExecutionSummary): number {
  if (a.startedAt !== b.startedAt) return a.startedAt < b.startedAt ? 1 : -1;
  return a.localId < b.localId ? -1 : 1;
}

/** Events kept whole, and in all, of an execution. */
const most = { whole: 10_000, all: 100_000 };

/** Folded together, since each fold sorts all events. */
const foldedAtOnce = 200;

/** Events that show which tasks, agents and persons were at work, and when. All others are calls, or inside of them. */
const frame =
  /^(crew_kickoff|execution|flow|task|method_execution|(lite_)?agent_execution|human_feedback)_/;

/** A repeat may say more: a callback has outputs that a status answer leaves out. */
const add = `
  INSERT INTO events
  SELECT ?, value ->> 'id', value ->> 'at', value ->> 'type', ?, value FROM json_each(?)
  WHERE (SELECT count(*) FROM events WHERE local_id = ?) < ${most.all}
  ON CONFLICT (local_id, id) DO UPDATE SET json = excluded.json WHERE length(excluded.json) > length(json)`;

const count = "SELECT count(*) AS count FROM events WHERE local_id = ? AND json IS NOT NULL";

/** The oldest calls first. */
const fold = `
  UPDATE events SET json = NULL WHERE rowid IN (
    SELECT rowid FROM events WHERE local_id = ? AND json IS NOT NULL ORDER BY is_frame, at LIMIT ?)`;

/** @returns which of them are new, or say more than before: `frame` if tasks, agents or persons are among them */
function addEvents(
  database: Pick<Database, "run" | "get">,
  localId: string,
  events: readonly ActivityEvent[],
): "frame" | "calls" | undefined {
  const addOf = (isFrame: boolean) => {
    const some = events.filter(({ type }) => frame.test(type) === isFrame);
    if (some.length === 0) return false;
    return database.run(add, localId, Number(isFrame), JSON.stringify(some), localId) > 0;
  };
  const [hasCalls, hasFrame] = [addOf(false), addOf(true)];
  if (!hasCalls && !hasFrame) return undefined;
  const tooMany = integer(database.get(count, localId) ?? {}, "count") - most.whole;
  if (tooMany > 0) database.run(fold, localId, tooMany + foldedAtOnce);
  return hasFrame ? "frame" : "calls";
}
