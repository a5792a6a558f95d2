import * as fs from "node:fs";
import path from "node:path";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import * as l10n from "@vscode/l10n";
import type { Clock } from "../base/clock.ts";
import type { ProblemLog } from "../base/errors.ts";
import { type Disposable, Emitter } from "../base/events.ts";
import { type Row, transaction } from "../base/sqlite.ts";
import { explained, isDamage } from "./errors.ts";
import { connect, exclusively, finishRepair, repair } from "./repair.ts";
import { migrate, versionOf } from "./schema.ts";

interface DatabaseOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly log: ProblemLog;
  /** Called in the window that replaced the file; the message is for a person. */
  onDamage?(message: string): void;
}

const lookEvery = { visible: 500, hidden: 5_000 };

/** Another window has replaced the open file. */
class ReplacedError extends Error {}

/** Shared by this machine's windows. A call is on disk when it returns, or throws a StoreError. */
export class Database implements Disposable {
  readonly #options: DatabaseOptions;
  readonly #file: string;
  readonly #changed = new Emitter<void>((error) =>
    this.#options.log.problem("A listener of the database failed.", error),
  );
  /** Fires when data in memory may be out of date: another process wrote, or replaced the file. */
  readonly onDidChangeElsewhere = this.#changed.event;
  #connection: DatabaseSync | undefined;
  #dataVersion: unknown;
  /** Of the file that is open, or was last. */
  #inode: bigint | undefined;
  #afterCommit: (() => void)[] | undefined;
  #isVisible = false;
  #isLookFailing = false;
  #hasOpenFailed = false;
  #isDisposed = false;
  #cancelLook: (() => void) | undefined;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.#file = path.join(options.folder, "crewdeck.db");
    this.#planLook();
  }

  /**
   * A nested `write` joins the transaction and must pass its error on. `work` runs twice if the
   * file was replaced.
   * @throws what `work` throws, and StoreError; then nothing was written
   */
  write<T>(work: () => T): T {
    if (this.#afterCommit !== undefined) return work();
    const [result, callbacks] = this.#use((connection) => this.#transact(connection, work));
    for (const callback of callbacks) {
      try {
        callback();
      } catch (error) {
        // Throwing it would look as if nothing was written.
        this.#options.log.problem("A callback after a change of the database failed.", error);
      }
    }
    return result;
  }

  /** Calls back when the transaction is on disk, or at once outside of one. */
  afterCommit(callback: () => void): void {
    if (this.#afterCommit === undefined) callback();
    else this.#afterCommit.push(callback);
  }

  all(sql: string, ...values: SQLInputValue[]): readonly Row[] {
    return this.#use((connection) => connection.prepare(sql).all(...values));
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#use((connection) => connection.prepare(sql).get(...values));
  }

  run(sql: string, ...values: SQLInputValue[]): number {
    return this.write(() =>
      this.#use((connection) => Number(connection.prepare(sql).run(...values).changes)),
    );
  }

  get files(): readonly [string, ...string[]] {
    const endings = ["-wal", "-shm", "-journal", "-lock"];
    return [this.#file, ...endings.map((ending) => `${this.#file}${ending}`)];
  }

  vacuum(): void {
    this.#use((connection) => connection.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)"));
  }

  /** Checks now whether another process wrote, or whether the database can be opened again. */
  look(): void {
    const isUnused = this.#connection === undefined && !this.#hasOpenFailed;
    if (isUnused || this.#afterCommit !== undefined) return;
    try {
      if (this.#connection !== undefined && inodeOf(this.#file) !== this.#inode) this.#forgetFile();
      else {
        const hadFailed = this.#hasOpenFailed;
        const version = this.#use(dataVersionOf);
        const isNew = hadFailed || version !== this.#dataVersion;
        this.#dataVersion = version;
        if (isNew) this.#changed.fire();
      }
      this.#isLookFailing = false;
    } catch (error) {
      // Report it once, not twice a second.
      const message = "Changes made by other windows could not be read; trying again.";
      if (!this.#isLookFailing) this.#options.log.problem(message, error);
      this.#isLookFailing = true;
    }
  }

  /** Other windows' changes are noticed faster while something shows the data. */
  setVisible(isVisible: boolean): void {
    if (isVisible === this.#isVisible) return;
    this.#isVisible = isVisible;
    this.look();
    this.#planLook();
  }

  /** A later use, as by a form that closes with the window, opens the database for that call. */
  dispose(): void {
    this.#isDisposed = true;
    this.#cancelLook?.();
    this.#changed.dispose();
    this.#close();
  }

  #planLook(): void {
    this.#cancelLook?.();
    // Opening may take long.
    const pause = lookEvery[this.#isVisible && !this.#hasOpenFailed ? "visible" : "hidden"];
    this.#cancelLook = this.#options.clock.after(pause, () => {
      this.look();
      this.#planLook();
    });
  }

  /** Calls `work` again if the file was damaged or replaced. */
  #use<T>(work: (connection: DatabaseSync) => T): T {
    // Inside a transaction, the outermost call handles errors.
    if (this.#afterCommit !== undefined) return work(this.#open());
    try {
      try {
        return work(this.#open());
      } catch (error) {
        if (!this.#isReplaced(error)) throw error;
        return work(this.#open());
      }
    } catch (error) {
      throw explained(error, this.#options.folder);
    } finally {
      if (this.#isDisposed) this.#close();
    }
  }

  #transact<T>(connection: DatabaseSync, work: () => T): [T, (() => void)[]] {
    const callbacks: (() => void)[] = [];
    try {
      return transaction(connection, () => {
        // A window that replaces the file has this lock meanwhile; later writes would be lost.
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
    this.#hasOpenFailed = true;
    const { folder } = this.#options;
    fs.mkdirSync(folder, { recursive: true });
    // SQLite would fail late, or without a reason.
    fs.accessSync(folder, fs.constants.W_OK);
    return exclusively(this.#file, () => this.#openFile());
  }

  #openFile(): DatabaseSync {
    const aside = finishRepair(this.#file);
    if (aside !== undefined) this.#reportDamage(aside);
    // For this user only: it holds inputs and outputs. SQLite gives its other files the same mode.
    if (!fs.existsSync(this.#file)) fs.closeSync(fs.openSync(this.#file, "a", 0o600));
    fs.accessSync(this.#file, fs.constants.W_OK);
    this.#inode = inodeOf(this.#file);
    const connection = connect(this.#file);
    try {
      // First: a newer database must not be changed.
      versionOf(connection);
      chooseJournal(connection);
      connection.exec("PRAGMA synchronous = FULL; PRAGMA secure_delete = ON");
      migrate(connection);
      this.#dataVersion = dataVersionOf(connection);
      this.#hasOpenFailed = false;
      return (this.#connection = connection);
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Whether the file was replaced, by another window or here because it is damaged. */
  #isReplaced(error: unknown): boolean {
    const isReplaced =
      error instanceof ReplacedError ||
      (isDamage(error) && exclusively(this.#file, () => this.#repair(error)));
    if (isReplaced) this.#forgetFile();
    return isReplaced;
  }

  /** @returns whether the file was replaced */
  #repair(error: unknown): boolean {
    // Another window may have just replaced it.
    if (inodeOf(this.#file) !== this.#inode) return true;
    const damaged = this.#connection ?? connect(this.#file);
    this.#connection = undefined;
    const aside = repair(this.#file, damaged, this.#options.clock.now());
    if (aside === undefined) return false;
    this.#options.log.problem("The database was damaged and is replaced.", error, aside);
    this.#reportDamage(aside);
    return true;
  }

  #reportDamage(aside: string): void {
    this.#options.onDamage?.(
      l10n.t(
        "Crewdeck's data on this machine was damaged. What could be read was kept. The damaged file is {0}.",
        aside,
      ),
    );
  }

  #forgetFile(): void {
    this.#close();
    this.#changed.fire();
  }

  #close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

/** WAL needs shared memory, which network drives don't have. */
export function chooseJournal(connection: DatabaseSync): void {
  if (connection.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"] !== "wal")
    connection.exec("PRAGMA journal_mode = TRUNCATE");
}

function dataVersionOf(connection: DatabaseSync): unknown {
  return connection.prepare("PRAGMA data_version").get()?.["data_version"];
}

function inodeOf(file: string): bigint | undefined {
  return fs.statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
}
