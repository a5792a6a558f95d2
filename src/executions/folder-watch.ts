import { type FSWatcher, watch } from "node:fs";
import type { Clock } from "../base/clock.ts";
import type { Disposable } from "../base/events.ts";

/** Milliseconds for which further changes are waited for. */
const DEBOUNCE = 50;

/** What is watched, and what is done. */
export interface FolderWatchOptions {
  readonly folder: string;
  readonly clock: Clock;
  /** Whether a change of the file of this name matters. */
  matters(name: string): boolean;
  /** Milliseconds until the folder is looked at even if the system told nothing. */
  slowly(): number;
  /** Looks at the folder. Must not reject. */
  look(): Promise<void>;
}

/** Looks at a folder when the operating system tells of a change, and now and then where it does not (network folders, used-up watches). */
export class FolderWatch implements Disposable {
  readonly #options: FolderWatchOptions;
  #watcher: FSWatcher | undefined;
  #cancelSlow: (() => void) | undefined;
  #cancelSoon: (() => void) | undefined;
  #disposed = false;

  constructor(options: FolderWatchOptions) {
    this.#options = options;
    this.#watcher = this.#begin();
    this.#planSlow();
  }

  dispose(): void {
    this.#disposed = true;
    this.#watcher?.close();
    this.#cancelSlow?.();
    this.#cancelSoon?.();
  }

  /** Counts the slow look from now on, after what `slowly` depends on has changed. */
  replan(): void {
    this.#planSlow();
  }

  #begin(): FSWatcher | undefined {
    try {
      const watcher = watch(this.#options.folder, { persistent: false }, (_kind, name) => {
        if (name === null || this.#options.matters(name)) {
          this.#lookSoon();
        }
      });
      watcher.on("error", () => {
        watcher.close(); // The slow look goes on.
      });
      return watcher;
    } catch {
      return undefined; // No watches left, or a file system without them: the slow look remains.
    }
  }

  #lookSoon(): void {
    if (this.#disposed || this.#cancelSoon !== undefined) {
      return;
    }
    this.#cancelSoon = this.#options.clock.after(DEBOUNCE, () => {
      this.#cancelSoon = undefined;
      void this.#options.look();
    });
  }

  #planSlow(): void {
    this.#cancelSlow?.();
    this.#cancelSlow = this.#disposed
      ? undefined
      : this.#options.clock.after(this.#options.slowly(), () => {
          void this.#options.look().then(() => this.#planSlow());
        });
  }
}
