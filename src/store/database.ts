import { existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import path from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import * as l10n from "@vscode/l10n";
import type { Clock } from "../base/clock.ts";
import { type Disposable, Emitter, type Event } from "../base/events.ts";
import { isDamage, StoreError } from "./errors.ts";
import type { Row } from "./row.ts";
import { salvage } from "./salvage.ts";
import { migrate } from "./schema.ts";

export interface DatabaseOptions {
  /** Made when missing. */
  readonly folder: string;
  readonly clock: Clock;
  /** The message is for a person; `about` names a file. */
  onProblem(message: string, error: unknown, about?: string): void;
}

/** How often to ask whether another process wrote (ms). */
const lookEvery = { visible: 500, hidden: 5_000 };

/**
 * The SQLite database that all windows of this machine share. It opens at its first use. Calls are synchronous, and each of them, a
 * single statement or a whole `write`, is on disk when it returns.
 */
export class Database implements Disposable {
  readonly #options: DatabaseOptions;
  readonly #file: string;
  readonly #statements = new Map<string, StatementSync>();
  readonly #changed: Emitter<void>;
  /** Fires when another process wrote, or the file was replaced: what is held in memory may be out of date. */
  readonly onDidChangeElsewhere: Event<void>;
  #connection: DatabaseSync | undefined;
  #dataVersion: unknown;
  #inode: bigint | undefined;
  #afterCommit: (() => void)[] | undefined;
  #isVisible = false;
  #cancelLook: (() => void) | undefined;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.#file = path.join(options.folder, "crewdeck.db");
    this.#changed = new Emitter((error) =>
      options.onProblem("A listener of the database failed.", error),
    );
    this.onDidChangeElsewhere = this.#changed.event;
    this.#planLook();
  }

  /**
   * Runs `work` in one transaction; a `write` inside another joins it. `work` may run twice, after a damaged file was replaced.
   * @throws what `work` throws, StoreError where the database can't be used, and SQLite's errors; then nothing was written
   */
  write<T>(work: () => T): T {
    if (this.#afterCommit !== undefined) return work();
    const [result, committed] = this.#use((connection) => {
      const callbacks: (() => void)[] = [];
      connection.exec("BEGIN IMMEDIATE");
      this.#afterCommit = callbacks;
      try {
        const result = work();
        connection.exec("COMMIT");
        return [result, callbacks] as const;
      } catch (error) {
        // SQLite itself has rolled back after some errors, such as a full disk.
        if (connection.isTransaction) connection.exec("ROLLBACK");
        throw error;
      } finally {
        this.#afterCommit = undefined;
      }
    });
    for (const callback of committed) callback();
    return result;
  }

  /** Calls back when the current transaction is on disk, or at once outside of one. */
  afterCommit(callback: () => void): void {
    if (this.#afterCommit === undefined) callback();
    else this.#afterCommit.push(callback);
  }

  /** All rows of a query. */
  all(sql: string, ...values: SQLInputValue[]): readonly Row[] {
    return this.#use(() => this.#statement(sql).all(...values));
  }

  /** The first row of a query. */
  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#use(() => this.#statement(sql).get(...values));
  }

  /** Runs a statement that changes rows. @returns how many it changed */
  run(sql: string, ...values: SQLInputValue[]): number {
    return this.#use(() => Number(this.#statement(sql).run(...values).changes));
  }

  /** Removes deleted content from the file itself. */
  vacuum(): void {
    this.#use((connection) => {
      connection.exec("VACUUM");
      connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    });
  }

  /** Asks at once whether another process wrote. */
  look(): void {
    // Nothing is asked of a database that nobody has used yet.
    if (this.#connection === undefined || this.#afterCommit !== undefined) return;
    try {
      if (inodeOf(this.#file) === this.#inode) {
        const version = dataVersionOf(this.#use((connection) => connection));
        if (version === this.#dataVersion) return;
        this.#dataVersion = version;
      } else {
        this.#close();
      }
      this.#changed.fire();
    } catch (error) {
      this.#options.onProblem(
        "Changes made by other windows could not be read; trying again.",
        error,
      );
    }
  }

  /** While something that shows the data is visible, other windows' changes are noticed within half a second. */
  setVisible(isVisible: boolean): void {
    if (isVisible === this.#isVisible) return;
    this.#isVisible = isVisible;
    this.look();
    this.#planLook();
  }

  dispose(): void {
    this.#cancelLook?.();
    this.#changed.dispose();
    this.#close();
  }

  #planLook(): void {
    this.#cancelLook?.();
    this.#cancelLook = this.#options.clock.after(
      this.#isVisible ? lookEvery.visible : lookEvery.hidden,
      () => {
        this.look();
        this.#planLook();
      },
    );
  }

  /** Hands the open connection to `work`. A file that turns out to be damaged is replaced, and `work` runs once more. */
  #use<T>(work: (connection: DatabaseSync) => T): T {
    const connection = (this.#connection ??= this.#open());
    try {
      return work(connection);
    } catch (error) {
      // Inside a transaction, the outermost call replaces the file.
      if (this.#afterCommit !== undefined || !isDamage(error) || !this.#isDamaged(connection))
        throw error;
      this.#replace(error);
      return work((this.#connection ??= this.#open()));
    }
  }

  #open(): DatabaseSync {
    try {
      mkdirSync(this.#options.folder, { recursive: true });
      return this.#connect();
    } catch (error) {
      if (error instanceof StoreError) throw error;
      if (isDamage(error)) {
        this.#replace(error);
        return this.#connect();
      }
      const reason = error instanceof Error ? error.message : String(error);
      throw new StoreError(
        l10n.t(
          "Crewdeck's data on this machine can't be opened ({0}). Check that the folder {1} can be written to.",
          reason,
          this.#options.folder,
        ),
        { cause: error },
      );
    }
  }

  #connect(): DatabaseSync {
    const connection = new DatabaseSync(this.#file);
    try {
      connection.exec("PRAGMA busy_timeout = 10000");
      // Network drives have no shared memory, which WAL needs.
      if (connection.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"] !== "wal")
        connection.exec("PRAGMA journal_mode = TRUNCATE");
      connection.exec("PRAGMA synchronous = FULL");
      connection.exec("PRAGMA secure_delete = ON");
      migrate(connection);
      this.#dataVersion = dataVersionOf(connection);
      this.#inode = inodeOf(this.#file);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  #isDamaged(connection: DatabaseSync): boolean {
    try {
      return connection.prepare("PRAGMA quick_check(1)").get()?.["quick_check"] !== "ok";
    } catch (error) {
      return isDamage(error);
    }
  }

  /** Sets a damaged file aside and carries over what can be read of it, unless another window has done so. */
  #replace(error: unknown): void {
    const isReplaced = this.#connection !== undefined && inodeOf(this.#file) !== this.#inode;
    this.#close();
    if (isReplaced) return;
    const aside = `${this.#file}.corrupt-${this.#options.clock.now()}`;
    for (const ending of ["-wal", "-shm", ""])
      renameIfThere(`${this.#file}${ending}`, `${aside}${ending}`);
    this.#connection = this.#connect();
    const lost = salvage(aside, this.#connection);
    this.#options.onProblem(
      lost
        ? "Crewdeck's data on this machine was damaged. What could be read was kept, and the damaged file was set aside."
        : "Crewdeck's data on this machine was damaged. All of it could be read, and the damaged file was set aside.",
      error,
      aside,
    );
    this.#changed.fire();
  }

  #close(): void {
    this.#statements.clear();
    this.#connection?.close();
    this.#connection = undefined;
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#use((connection) => connection.prepare(sql));
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** A number that changes when another connection has written. */
function dataVersionOf(connection: DatabaseSync): unknown {
  return connection.prepare("PRAGMA data_version").get()?.["data_version"];
}

/** Names the file itself: another one in its place has another number. */
function inodeOf(file: string): bigint | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
}

function renameIfThere(from: string, to: string): void {
  if (existsSync(from)) renameSync(from, to);
}
