import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  statSync,
} from "node:fs";
import path from "node:path";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import * as l10n from "@vscode/l10n";
import type { Clock } from "../base/clock.ts";
import { type Disposable, Emitter, type Event } from "../base/events.ts";
import { explained, isDamage } from "./errors.ts";
import { exclusively, repair } from "./repair.ts";
import type { Row } from "./row.ts";
import { migrate, versionOf } from "./schema.ts";
import { openSqlite, transaction } from "../base/sqlite.ts";

export interface DatabaseOptions {
  /** Made when missing. */
  readonly folder: string;
  readonly clock: Clock;
  /** For the log; `about` names a file. */
  onProblem(doing: string, error: unknown, about?: string): void;
  /** A damaged file was replaced; the message is for a person. Called in the window that replaced it. */
  onDamage?(message: string): void;
}

/** How often to ask whether another process wrote (ms). */
const lookEvery = { visible: 500, hidden: 5_000 };

/**
 * How long to wait for another process (ms). The thread of the extension host waits, too. A transaction of ours takes milliseconds, so
 * only a process that hangs, or one that vacuums on a slow disk, takes longer than this.
 */
const busyTimeout = 5_000;

/** Another window has put another file in the place of the one that is open. */
class ReplacedError extends Error {}

/**
 * The SQLite database that all windows of this machine share. It opens at its first use. Calls are synchronous, and each of them, a
 * single statement or a whole `write`, is on disk when it returns. They throw StoreErrors where the database can't be used.
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
  /** Of the file that is open, or was opened last. */
  #inode: bigint | undefined;
  /** Defined during a transaction. */
  #afterCommit: (() => void)[] | undefined;
  #isVisible = false;
  #isLookFailing = false;
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
   * Runs `work` in one transaction. A `write` inside another joins it: an error in it must reach the outer one, which rolls back both.
   * `work` may run twice, after the file was replaced.
   * @throws what `work` throws, and StoreError; then nothing was written
   */
  write<T>(work: () => T): T {
    if (this.#afterCommit !== undefined) return work();
    const [result, callbacks] = this.#use((connection) => this.#transact(connection, work));
    for (const callback of callbacks) {
      try {
        callback();
      } catch (error) {
        // The caller must not take what is on disk for not written.
        this.#options.onProblem("What follows a change of the database failed.", error);
      }
    }
    return result;
  }

  /** Calls back when the current transaction is on disk, or at once outside of one. */
  afterCommit(callback: () => void): void {
    if (this.#afterCommit === undefined) callback();
    else this.#afterCommit.push(callback);
  }

  /** All rows of a query. */
  all(sql: string, ...values: SQLInputValue[]): readonly Row[] {
    return this.#use((connection) => this.#statement(connection, sql).all(...values));
  }

  /** The first row of a query. */
  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#use((connection) => this.#statement(connection, sql).get(...values));
  }

  /** Runs a statement that changes rows. @returns how many it changed */
  run(sql: string, ...values: SQLInputValue[]): number {
    return this.write(() =>
      this.#use((connection) => Number(this.#statement(connection, sql).run(...values).changes)),
    );
  }

  /** The file of the database, and those that SQLite keeps beside it. */
  get files(): readonly [string, ...string[]] {
    const file = this.#file;
    return [file, `${file}-wal`, `${file}-shm`, `${file}-journal`];
  }

  /** Removes deleted content from the files themselves. */
  vacuum(): void {
    this.#use((connection) => {
      connection.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    });
  }

  /** Asks at once whether another process wrote. */
  look(): void {
    // Nothing is asked of a database that nobody has used yet.
    if (this.#connection === undefined || this.#afterCommit !== undefined) return;
    try {
      if (inodeOf(this.#file) !== this.#inode) {
        this.#forgetFile();
        return;
      }
      const version = this.#use(dataVersionOf);
      this.#isLookFailing = false;
      if (version === this.#dataVersion) return;
      this.#dataVersion = version;
      this.#changed.fire();
    } catch (error) {
      // Once, not twice a second.
      if (!this.#isLookFailing)
        this.#options.onProblem(
          "Changes made by other windows could not be read; trying again.",
          error,
        );
      this.#isLookFailing = true;
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

  /** Hands the open connection to `work`, once more where the file turns out to be damaged or replaced. */
  #use<T>(work: (connection: DatabaseSync) => T): T {
    // Inside a transaction, the outermost call deals with errors.
    if (this.#afterCommit !== undefined) return work(this.#open());
    try {
      try {
        return work(this.#open());
      } catch (error) {
        if (!this.#isRenewed(error)) throw error;
        return work(this.#open());
      }
    } catch (error) {
      throw explained(error, this.#options.folder);
    }
  }

  #transact<T>(connection: DatabaseSync, work: () => T): [T, (() => void)[]] {
    const callbacks: (() => void)[] = [];
    try {
      return transaction(connection, () => {
        // Who replaces a damaged file has this lock meanwhile: what is written here after that would be lost.
        if (inodeOf(this.#file) !== this.#inode) throw new ReplacedError();
        this.#afterCommit = callbacks;
        return [work(), callbacks];
      });
    } finally {
      this.#afterCommit = undefined;
    }
  }

  #open(): DatabaseSync {
    if (this.#connection !== undefined) return this.#connection;
    mkdirSync(this.#options.folder, { recursive: true });
    // SQLite gives the files beside it the same mode. They hold inputs and outputs.
    if (!existsSync(this.#file)) closeSync(openSync(this.#file, "a", 0o600));
    // SQLite would fail late, or without saying why.
    for (const name of [this.#options.folder, this.#file]) accessSync(name, constants.W_OK);
    this.#inode = inodeOf(this.#file);
    const connection = openSqlite(this.#file);
    try {
      connection.exec(`PRAGMA busy_timeout = ${busyTimeout}`);
      // First, since a newer database stays as it is.
      versionOf(connection);
      chooseJournal(connection);
      connection.exec("PRAGMA synchronous = FULL; PRAGMA secure_delete = ON");
      migrate(connection);
      this.#dataVersion = dataVersionOf(connection);
      return (this.#connection = connection);
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Whether an error came of a file in whose place another one is now; a damaged file is replaced here. */
  #isRenewed(error: unknown): boolean {
    const isRenewed =
      error instanceof ReplacedError ||
      (isDamage(error) && exclusively(`${this.#file}-repair`, () => this.#repair(error)));
    if (isRenewed) this.#forgetFile();
    return isRenewed;
  }

  /** @returns whether there is another file now */
  #repair(error: unknown): boolean {
    // Another window may have replaced it just now.
    if (inodeOf(this.#file) !== this.#inode) return true;
    const damaged = this.#connection ?? openSqlite(this.#file);
    this.#connection = undefined;
    this.#statements.clear();
    const repaired = repair(this.#file, damaged, this.#options.clock.now());
    if (repaired === undefined) return false;
    const { aside, isLossy } = repaired;
    this.#options.onProblem("The database was damaged and is replaced.", error, aside);
    this.#options.onDamage?.(
      isLossy
        ? l10n.t(
            "Crewdeck's data on this machine was damaged. What could be read was kept. The damaged file is {0}.",
            aside,
          )
        : l10n.t(
            "Crewdeck's data on this machine was damaged. Nothing was lost. The damaged file is {0}.",
            aside,
          ),
    );
    return true;
  }

  /** The next use opens the file that is there then. */
  #forgetFile(): void {
    this.#close();
    this.#changed.fire();
  }

  #close(): void {
    this.#statements.clear();
    this.#connection?.close();
    this.#connection = undefined;
  }

  #statement(connection: DatabaseSync, sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** Network drives have no shared memory, which WAL needs. */
export function chooseJournal(connection: DatabaseSync): void {
  if (connection.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"] !== "wal")
    connection.exec("PRAGMA journal_mode = TRUNCATE");
}

/** A number that changes when another connection has written. */
function dataVersionOf(connection: DatabaseSync): unknown {
  return connection.prepare("PRAGMA data_version").get()?.["data_version"];
}

/** Names the file itself: another one in its place has another number. */
function inodeOf(file: string): bigint | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
}
