import type { Clock } from "../base/clock.ts";
import type { Attention } from "./attention.ts";
import type { CrewLimits } from "./crew-limits.ts";
import type { ExecutionSummary } from "./model.ts";
import type { ExecutionStore } from "./store.ts";
import { canBeAsked, Watched } from "./watched.ts";

/** What a watch list needs. */
export interface WatchListOptions {
  readonly store: Pick<ExecutionStore, "summary">;
  readonly clock: Clock;
  readonly attention: Attention;
  readonly limits: CrewLimits;
}

/** An execution that is to be asked for, and when: milliseconds since 1970. */
export interface Due {
  readonly watched: Watched;
  readonly execution: ExecutionSummary;
  readonly due: number;
}

/** The executions that are followed, and which of them is to be asked for when. It asks nobody. */
export class WatchList {
  readonly #options: WatchListOptions;
  readonly #watched = new Map<string, Watched>();

  constructor(options: WatchListOptions) {
    this.#options = options;
  }

  /** Where asking for an execution stands; undefined for one that is not followed. */
  get(localId: string): Watched | undefined {
    return this.#watched.get(localId);
  }

  /** The same, and it is followed from now on. */
  add(execution: ExecutionSummary): Watched {
    const watched =
      this.#watched.get(execution.localId) ?? new Watched(execution, this.#options.clock.now());
    this.#watched.set(execution.localId, watched);
    return watched;
  }

  /**
   * Follows what came or became different, as long as an answer could change it, and what was removed no more.
   * @returns those whose problem is over, since another window got an answer
   */
  follow(
    executions: readonly ExecutionSummary[],
    removed: readonly ExecutionSummary[],
  ): readonly ExecutionSummary[] {
    for (const { localId } of removed) {
      this.drop(localId);
    }
    return executions.filter((execution) => {
      if (canBeAsked(execution)) {
        return this.add(execution).follow(execution, this.#options.clock.now());
      }
      this.drop(execution.localId);
      return false;
    });
  }

  /** Follows it no more: breaks off what is being asked, and lets go whoever waits for it. */
  drop(localId: string): void {
    const watched = this.#watched.get(localId);
    this.#watched.delete(localId);
    watched?.request?.abort();
    for (const resolve of watched?.waiters ?? []) {
      resolve();
    }
  }

  /** Nobody waits any longer for what a crew was to be asked by hand: the token that it would get was just refused. */
  callOff(crewId: string): void {
    for (const watched of this.#watched.values()) {
      if (this.#options.store.summary(watched.localId)?.crew.id === crewId) {
        watched.isForced = false;
        for (const resolve of watched.waiters.splice(0)) {
          resolve();
        }
      }
    }
  }

  /** Follows nothing any more. */
  dropAll(): void {
    for (const localId of [...this.#watched.keys()]) {
      this.drop(localId);
    }
  }

  /** Makes a change of what the person looks at. What comes into view by it is to be asked for soon. */
  look(change: () => void): void {
    const { attention, clock } = this.#options;
    const before = new Set([...this.#watched.keys()].filter((localId) => attention.isOn(localId)));
    change();
    for (const watched of this.#watched.values()) {
      if (attention.isOn(watched.localId) && !before.has(watched.localId)) {
        watched.hurry(clock.now());
      }
    }
  }

  /** What is to be asked for and can be now, the most urgent first; only what somebody asks for, unless `isPolling`. */
  waiting(isPolling: boolean): readonly Due[] {
    const { store, clock, attention, limits } = this.#options;
    const waiting = [...this.#watched.values()].flatMap((watched) => {
      const execution = store.summary(watched.localId);
      if (
        execution === undefined ||
        watched.request !== undefined ||
        limits.isFull(execution.crew.id)
      ) {
        return [];
      }
      if (watched.isForced) {
        return [{ watched, execution, due: clock.now() }];
      }
      const isOn =
        isPolling &&
        execution.watchingStoppedAt === undefined &&
        !limits.parked.has(execution.crew.id);
      const due = watched.due(execution, attention.isOn(watched.localId));
      return isOn
        ? [{ watched, execution, due: Math.max(due, limits.notBefore(execution.crew.id)) }]
        : [];
    });
    return waiting.sort((a, b) => a.due - b.due);
  }
}
