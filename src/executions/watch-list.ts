import type { CrewApiError } from "../api/errors.ts";
import type { Clock } from "../base/clock.ts";
import type { ExecutionSummary } from "./model.ts";
import type { ExecutionStore } from "./store.ts";
import { canBeAsked, Watched } from "./watched.ts";

const atOnce = 4;

/** A crew's limits: simultaneous requests, `Retry-After`, a refused token. */
class CrewLimits {
  readonly #underWay = new Map<string, number>();
  readonly #notBefore = new Map<string, number>();
  /** Crews that refused their token, by id. */
  readonly parked = new Map<string, CrewApiError>();

  isFull(crewId: string): boolean {
    return (this.#underWay.get(crewId) ?? 0) >= atOnce;
  }

  count(crewId: string, change: 1 | -1): void {
    this.#underWay.set(crewId, (this.#underWay.get(crewId) ?? 0) + change);
  }

  /** When the crew may be polled again (milliseconds since 1970). */
  notBefore(crewId: string): number {
    return this.#notBefore.get(crewId) ?? 0;
  }

  pauseUntil(crewId: string, until: number): void {
    this.#notBefore.set(crewId, Math.max(until, this.notBefore(crewId)));
  }

  release(crewId: string): boolean {
    this.#notBefore.delete(crewId);
    return this.parked.delete(crewId);
  }
}

interface Due {
  readonly watched: Watched;
  readonly execution: ExecutionSummary;
  readonly due: number;
}

/** `open`: local ids of executions with a visible document. */
type View = Record<"isListVisible" | "isFocused", boolean> & { readonly open: ReadonlySet<string> };

export class WatchList {
  readonly limits = new CrewLimits();
  readonly #store: Pick<ExecutionStore, "summary">;
  readonly #clock: Clock;
  readonly #watched = new Map<string, Watched>();
  #view: View = { isListVisible: false, isFocused: false, open: new Set() };

  constructor(store: Pick<ExecutionStore, "summary">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  get isFocused(): boolean {
    return this.#view.isFocused;
  }

  get(localId: string): Watched | undefined {
    return this.#watched.get(localId);
  }

  add(execution: ExecutionSummary): Watched {
    const watched =
      this.#watched.get(execution.localId) ?? new Watched(execution, this.#clock.now());
    this.#watched.set(execution.localId, watched);
    return watched;
  }

  /** @returns those whose problem another window's answer has ended */
  follow(executions: readonly ExecutionSummary[]): readonly ExecutionSummary[] {
    return executions.filter((execution) => {
      if (canBeAsked(execution)) return this.add(execution).follow(execution, this.#clock.now());
      this.drop(execution.localId);
      return false;
    });
  }

  drop(localId: string): void {
    const watched = this.#watched.get(localId);
    this.#watched.delete(localId);
    watched?.request?.abort();
    for (const resolve of watched?.waiters ?? []) resolve();
  }

  dropAll(): void {
    for (const localId of [...this.#watched.keys()]) this.drop(localId);
  }

  /** The crew just refused its token. */
  cancelForced(crewId: string): void {
    for (const watched of this.#of(crewId)) {
      watched.isForced = false;
      for (const resolve of watched.waiters.splice(0)) resolve();
    }
  }

  pollSoon(crewId: string): void {
    for (const watched of this.#of(crewId)) watched.pollSoon(this.#clock.now());
  }

  setWindow(isListVisible: boolean, isFocused: boolean): void {
    this.#look({ ...this.#view, isListVisible, isFocused });
  }

  setOpen(localId: string, isOpen: boolean): void {
    const open = new Set(this.#view.open);
    if (isOpen) open.add(localId);
    else open.delete(localId);
    this.#look({ ...this.#view, open });
  }

  /** What can be polled, most urgent first; without `isPolling`, only on request. */
  waiting(isPolling: boolean): readonly Due[] {
    const { limits } = this;
    const waiting = [...this.#watched.values()].flatMap((watched): Due[] => {
      const execution = this.#store.summary(watched.localId);
      if (execution === undefined || watched.request !== undefined) return [];
      const { id } = execution.crew;
      if (limits.isFull(id)) return [];
      if (watched.isForced) return [{ watched, execution, due: this.#clock.now() }];
      if (!isPolling || execution.watchingStoppedAt !== undefined || limits.parked.has(id))
        return [];
      const due = watched.due(execution, this.#isLookedAt(watched.localId));
      return [{ watched, execution, due: Math.max(due, limits.notBefore(id)) }];
    });
    return waiting.sort((a, b) => a.due - b.due);
  }

  #of(crewId: string): readonly Watched[] {
    const isOfCrew = ({ localId }: Watched) => this.#store.summary(localId)?.crew.id === crewId;
    return [...this.#watched.values()].filter(isOfCrew);
  }

  #isLookedAt(localId: string, { isListVisible, isFocused, open } = this.#view): boolean {
    return isFocused && (isListVisible || open.has(localId));
  }

  /** What comes into view is polled soon. */
  #look(view: View): void {
    const before = this.#view;
    this.#view = view;
    for (const watched of this.#watched.values())
      if (this.#isLookedAt(watched.localId) && !this.#isLookedAt(watched.localId, before))
        watched.pollSoon(this.#clock.now());
  }
}
