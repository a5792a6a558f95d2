import type { Clock } from "../base/clock.ts";
import type { Known, Step } from "./known.ts";
import type { Execution } from "./model.ts";
import { readRecord } from "./record.ts";
import type { Revisions } from "./revisions.ts";

/** Records read at once. */
const READERS = 16;

/** What a reader needs. */
export interface FolderReaderOptions {
  readonly revisions: Revisions;
  /** What is brought up to the folder. */
  readonly known: Known;
  readonly clock: Clock;
  /** Hears of records that cannot be read; `about` names the file, where it is about one. The message is for a person. */
  readonly onProblem: (message: string, error: unknown, about?: string) => void;
}

/** Brings what is known of the records up to what their folder holds, and sets aside there what cannot be understood. */
export class FolderReader {
  readonly #options: FolderReaderOptions;
  readonly #toldNewer = new Set<string>();

  constructor(options: FolderReaderOptions) {
    this.#options = options;
  }

  /** Reads what is new. `steps` is what became different, `arrived` the ids of records that were not known. Throws what listing the folder throws. */
  async readAll(): Promise<{
    readonly steps: readonly Step[];
    readonly arrived: readonly string[];
  }> {
    const { revisions, known } = this.#options;
    const before = known.revisions();
    const listed = await revisions.list();
    const gone = [...before.keys()].filter((localId) => !listed.has(localId));
    const steps = gone.map((localId) => known.drop(localId));
    const entries = listed.entries();
    const readers = Array.from({ length: READERS }, async () => {
      for (const [localId, found] of entries) {
        steps.push(await this.#readListed(localId, found, before.get(localId) ?? 0));
      }
    });
    await Promise.all(readers);
    return { steps, arrived: [...listed.keys()].filter((localId) => !before.has(localId)) };
  }

  /** Reads one record anew, even where its newest revision is older than the one known: that was set aside. Throws what the file system throws. */
  async readOne(localId: string): Promise<Step> {
    const listed = (await this.#options.revisions.list()).get(localId) ?? [];
    return await this.#load(localId, listed, true);
  }

  /** Reads a record if the folder has another newest revision than the one known when it was listed. */
  async #readListed(localId: string, listed: readonly number[], known: number): Promise<Step> {
    const { revisions, clock, onProblem } = this.#options;
    const newest = listed.at(-1) ?? 0;
    try {
      const step = newest === known ? undefined : await this.#load(localId, listed, newest < known);
      await revisions.prune(localId, listed, clock.now());
      return step;
    } catch (error) {
      onProblem("A tracked execution could not be read; trying again.", error);
      return undefined;
    }
  }

  /**
   * Takes over the newest of a record's revisions that can be understood, unless a newer one is known by now. With `force` the
   * folder is right even then.
   */
  async #load(localId: string, listed: readonly number[], force: boolean): Promise<Step> {
    const { known } = this.#options;
    const isOutdated = (revision: number) =>
      !force && (known.get(localId)?.revision ?? 0) >= revision;
    for (const revision of listed.toReversed()) {
      const found = isOutdated(revision)
        ? undefined
        : await this.#understand(localId, revision, listed.length === 1);
      if (isOutdated(revision)) {
        return undefined;
      }
      if (found !== undefined) {
        return known.put(localId, revision, found.execution);
      }
    }
    return force ? known.drop(localId) : undefined;
  }

  /** What a revision holds: an execution, or none to show. Undefined if it is not there (any more) or was set aside now. */
  async #understand(
    localId: string,
    revision: number,
    isOnly: boolean,
  ): Promise<{ readonly execution?: Execution } | undefined> {
    const { revisions, clock, onProblem } = this.#options;
    const now = clock.now();
    const text = await revisions.read(localId, revision);
    if (text === undefined) {
      return undefined;
    }
    const reading = readRecord(text, localId);
    switch (reading.kind) {
      case "execution":
        return reading;
      case "removed":
        if (isOnly) {
          await revisions.pruneRemoved(localId, revision, now); // Before that, an earlier revision would come back to life.
        }
        return {};
      case "newer":
        this.#tellNewer(localId);
        return {};
      case "corrupt":
        onProblem(
          "A tracked execution could not be read and was set aside.",
          new Error(reading.reason),
          await revisions.setAside(localId, revision, now),
        );
        return undefined;
    }
  }

  #tellNewer(localId: string): void {
    if (!this.#toldNewer.has(localId)) {
      this.#toldNewer.add(localId);
      this.#options.onProblem(
        "A tracked execution was written by a newer version of Crewdeck and is not shown here. Update the extension to see it.",
        new Error(localId),
      );
    }
  }
}
