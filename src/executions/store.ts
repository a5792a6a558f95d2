import { mkdir } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../base/clock.ts";
import { clearedBy, clearingMark, type ClearScope } from "./clearing.ts";
import { type Disposable, Emitter, type Event } from "../base/events.ts";
import { FolderReader } from "./folder-reader.ts";
import { FolderWatch } from "./folder-watch.ts";
import { withHistory } from "./history.ts";
import { type ExecutionChange, join, Known, type Step } from "./known.ts";
import type { Execution } from "./model.ts";
import { keepEnd, writeRecord, writeRemoved } from "./record.ts";
import { emptyFolder, type Unremoved } from "./remove-whole.ts";
import { isFileId, parseRevisionName, Revisions } from "./revisions.ts";

/** Milliseconds between two looks at the folder where the system tells nothing: while something runs, and otherwise. */
const SLOW = { active: 5_000, idle: 60_000 };

/** What a store needs. */
export interface ExecutionStoreOptions {
  /** Holds one file an execution; made when missing. Nothing else may live in it. */
  readonly folder: string;
  readonly clock: Clock;
  /** Hears of records that cannot be read and of a folder that cannot be looked at; `about` names the file, where it is about one. The message is for a person. */
  onProblem(message: string, error: unknown, about?: string): void;
}

/**
 * The tracked executions: on disk, shared by all windows of this machine, and in memory as they were last seen there.
 * Whatever returns has been written; a crash at any moment loses nothing that was.
 */
export class ExecutionStore implements Disposable {
  readonly #options: ExecutionStoreOptions;
  readonly #revisions: Revisions;
  readonly #known = new Known();
  readonly #reader: FolderReader;
  readonly #changes: Emitter<ExecutionChange>;
  /** Fires once for every change, whichever window made it. */
  readonly onDidChange: Event<ExecutionChange>;
  readonly #adds: Emitter<Execution>;
  /** Fires when this store, and no other window's, begins to track an execution; after `onDidChange`. */
  readonly onDidAdd: Event<Execution>;
  readonly #clears: Emitter<ClearScope>;
  /** Fires when another window has deleted what is kept; after `onDidChange`. */
  readonly onDidClear: Event<ClearScope>;
  readonly #writing = new Map<string, Promise<unknown>>();
  #watch: FolderWatch | undefined;
  #refreshing: Promise<void> | undefined;
  #refreshAgain: Promise<void> | undefined;
  #wasActive = false;
  #disposed = false;

  constructor(options: ExecutionStoreOptions) {
    this.#options = options;
    this.#revisions = new Revisions(options.folder);
    this.#reader = new FolderReader({ ...options, revisions: this.#revisions, known: this.#known });
    const onError = (error: unknown) =>
      options.onProblem("A listener of the executions failed.", error);
    this.#changes = new Emitter(onError);
    this.#adds = new Emitter(onError);
    this.onDidChange = this.#changes.event;
    this.onDidAdd = this.#adds.event;
    this.#clears = new Emitter(onError);
    this.onDidClear = this.#clears.event;
  }

  /** Reads what is there and begins to notice what other windows write. Rejects if the folder cannot be made or read. */
  async open(): Promise<void> {
    const { folder, clock } = this.#options;
    await mkdir(folder, { recursive: true });
    await this.#readAll();
    await this.#revisions.sweepUnfinished(clock.now());
    if (!this.#disposed) {
      this.#watch = new FolderWatch({
        folder,
        clock,
        matters: (name) => this.#isNew(name),
        slowly: () => (this.#known.isActive ? SLOW.active : SLOW.idle),
        look: () => this.refresh(),
      });
    }
  }

  /** All tracked executions, newest first. */
  list(): readonly Execution[] {
    return this.#known.list();
  }

  /** The execution with this local id, or any of its kickoff ids; of this crew, where one is given. */
  find(id: string, crewId?: string): Execution | undefined {
    return this.#known.find(id, crewId);
  }

  /** Begins to track an execution. Rejects if its local id is taken. */
  async add(execution: Execution): Promise<Execution> {
    const { localId } = execution;
    if (!isFileId(localId)) {
      throw new Error(
        `"${localId}" cannot be the local id of an execution: only letters, digits and hyphens, at most 64.`,
      );
    }
    return await this.#inTurn(localId, async () => {
      if (!(await this.#revisions.create(localId, writeRecord(execution)))) {
        throw new Error(`The execution ${localId} is tracked already.`);
      }
      await this.#tellWritten(this.#known.put(localId, 1, execution));
      this.#adds.fire(execution);
      return execution;
    });
  }

  /**
   * Changes an execution. `change` may be called again with what another window has written in the meantime; it must be pure.
   * Returns what is now stored, or undefined for an execution that is not tracked (any more). What has ended stays ended.
   */
  async update(
    localId: string,
    change: (current: Execution) => Execution,
  ): Promise<Execution | undefined> {
    return await this.#write(localId, (current) => {
      const next = keepEnd(current, change(current));
      return isDeepStrictEqual(next, current)
        ? current
        : withHistory(current, next, this.#options.clock.now());
    });
  }

  /** Stops tracking an execution, in all windows. The crew is not told: the API has no cancel. */
  async remove(localId: string): Promise<void> {
    await this.#write(localId, () => undefined);
  }

  /**
   * Deletes all that is kept, whatever it is, and tells the other windows. A record that is written meanwhile follows on a revision
   * that is gone, and so does not come back. @returns what could not be deleted
   */
  async clear(scope: ClearScope): Promise<readonly Unremoved[]> {
    const { folder } = this.#options;
    await emptyFolder(folder);
    // What was being written when its revision went is caught now; what is written from here on finds that it is gone.
    const left = await emptyFolder(folder);
    const mark = clearingMark(scope);
    this.#known.put(mark, 1, undefined); // This window knows.
    try {
      await this.#revisions.create(mark, writeRemoved());
    } catch (error) {
      this.#options.onProblem(
        "Other windows could not be told that tracked executions were deleted.",
        error,
      );
    }
    await this.refresh();
    return left;
  }

  /** Reads what other windows have written. Problems are told to `onProblem`. */
  async refresh(): Promise<void> {
    if (this.#refreshing !== undefined) {
      this.#refreshAgain ??= this.#refreshing.then(() => {
        this.#refreshAgain = undefined;
        return this.refresh();
      });
      await this.#refreshAgain;
      return;
    }
    this.#refreshing = this.#readAll().catch((error: unknown) => {
      this.#options.onProblem(
        "The folder of tracked executions could not be read; trying again.",
        error,
      );
    });
    await this.#refreshing;
    this.#refreshing = undefined;
  }

  dispose(): void {
    this.#disposed = true;
    this.#watch?.dispose();
    this.#changes.dispose();
    this.#adds.dispose();
    this.#clears.dispose();
  }

  /** Writes what `change` makes of the newest revision: another execution, or undefined to remove it. The same one means no change. */
  async #write(
    localId: string,
    change: (current: Execution) => Execution | undefined,
  ): Promise<Execution | undefined> {
    return await this.#inTurn(localId, async () => {
      if (this.#known.get(localId) === undefined) {
        await this.#readOne(localId);
      }
      for (;;) {
        const known = this.#known.get(localId);
        if (known?.execution === undefined) {
          return undefined;
        }
        const next = change(known.execution);
        if (next === known.execution) {
          return next;
        }
        const text = next === undefined ? writeRemoved() : writeRecord(next);
        if (await this.#revisions.follow(localId, known.revision, text)) {
          await this.#tellWritten(this.#known.put(localId, known.revision + 1, next));
          return next;
        }
        await this.#readOne(localId);
      }
    });
  }

  /** One change of a record at a time; those of other processes are met by revisions. */
  async #inTurn<T>(localId: string, action: () => Promise<T>): Promise<T> {
    const before = this.#writing.get(localId) ?? Promise.resolve();
    const turn = before.then(action, action);
    this.#writing.set(localId, turn);
    try {
      return await turn;
    } finally {
      if (this.#writing.get(localId) === turn) {
        this.#writing.delete(localId);
      }
    }
  }

  async #readOne(localId: string): Promise<void> {
    this.#tell(await this.#reader.readOne(localId));
  }

  async #readAll(): Promise<void> {
    const { steps, arrived } = await this.#reader.readAll();
    this.#tell(...steps);
    const scope = arrived.map(clearedBy).find((cleared) => cleared !== undefined);
    // What was there before this window opened is no news to it.
    if (scope !== undefined && this.#watch !== undefined) this.#clears.fire(scope);
  }

  #isNew(fileName: string): boolean {
    const parsed = parseRevisionName(fileName);
    return parsed !== undefined && parsed.revision > (this.#known.get(parsed.id)?.revision ?? 0);
  }

  /** Tells of what was just written. Where a look at the folder was quicker to take it over, that look tells of it, and is awaited: who wrote it relies on its being told. */
  async #tellWritten(step: Step): Promise<void> {
    if (step === undefined) await this.#refreshing;
    else this.#tell(step);
  }

  #tell(...steps: readonly Step[]): void {
    const change = join(steps);
    if (change === undefined) {
      return;
    }
    if (this.#known.isActive !== this.#wasActive) {
      this.#wasActive = this.#known.isActive;
      this.#watch?.replan();
    }
    const retitled = this.#known.takeRetitled();
    this.#changes.fire(retitled.length === 0 ? change : { ...change, retitled });
  }
}
