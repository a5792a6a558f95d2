import { isDeepStrictEqual } from "node:util";
import { type Execution, type ExecutionSummary, hasEnded } from "./model.ts";
import { titledBy } from "./title.ts";
import { Titles } from "./titles.ts";

/** What became different, in one go. */
export interface ExecutionChange {
  readonly added: readonly ExecutionSummary[];
  readonly changed: readonly ExecutionSummary[];
  readonly removed: readonly ExecutionSummary[];
  /** Those whose title became another one, also because of others; absent where there are none. */
  readonly retitled?: readonly ExecutionSummary[];
}

/** One record as it was last seen: its revision, and its execution unless that was removed or cannot be shown. */
interface Entry {
  readonly revision: number;
  readonly execution?: Execution;
}

/** What became different of one record; undefined for nothing. */
export type Step = { readonly kind: Kind; readonly execution: Execution } | undefined;

type Kind = Exclude<keyof ExecutionChange, "retitled">;

/** The executions in memory: as last read or written, found by any of their ids. */
export class Known {
  readonly #entries = new Map<string, Entry>();
  readonly #byKickoffId = new Map<string, Set<string>>();
  /** Those that have not ended, by local id. */
  readonly #open = new Set<string>();
  readonly #titles = new Titles();
  /** Made when it is first asked for, and kept up from then on: sorting ten thousand for every change would cost more than the change. */
  #sorted: readonly Execution[] | undefined;

  /** Whether an execution has not ended. */
  get isActive(): boolean {
    return this.#open.size > 0;
  }

  get(localId: string): Entry | undefined {
    return this.#entries.get(localId);
  }

  /** The revision of each record. */
  revisions(): ReadonlyMap<string, number> {
    return new Map([...this.#entries].map(([localId, entry]) => [localId, entry.revision]));
  }

  /** Newest first. */
  list(): readonly Execution[] {
    this.#sorted ??= [...this.#entries.values()]
      .flatMap(({ execution }) => (execution === undefined ? [] : [execution]))
      .sort(newestFirst);
    return this.#sorted;
  }

  /** The execution with this local id or kickoff id; of this crew, where one is given. Of several, the newest. */
  find(id: string, crewId: string | undefined): Execution | undefined {
    const ids = [id, ...(this.#byKickoffId.get(id) ?? [])];
    return ids
      .flatMap((localId) => this.#entries.get(localId)?.execution ?? [])
      .filter((execution) => crewId === undefined || execution.crew.id === crewId)
      .sort((a, b) => compare(b.startedAt, a.startedAt))[0];
  }

  /** Takes over a revision: an execution, or undefined for a record that is not shown. */
  put(localId: string, revision: number, execution: Execution | undefined): Step {
    const before = this.#entries.get(localId)?.execution;
    this.#forget(before);
    this.#entries.set(localId, { revision, ...(execution === undefined ? {} : { execution }) });
    this.#sorted &&= resorted(this.#sorted, before, execution);
    this.#titles.put(before, execution);
    if (execution !== undefined) {
      titledBy(execution, this.#titles);
    }
    if (execution !== undefined && !hasEnded(execution)) {
      this.#open.add(localId);
    }
    for (const kickoffId of execution?.kickoffIds ?? []) {
      const localIds = this.#byKickoffId.get(kickoffId) ?? new Set();
      this.#byKickoffId.set(kickoffId, localIds.add(localId));
    }
    return difference(before, execution);
  }

  /** Forgets a record that is no longer there. */
  drop(localId: string): Step {
    const before = this.#entries.get(localId)?.execution;
    this.#forget(before);
    this.#entries.delete(localId);
    this.#sorted &&= resorted(this.#sorted, before, undefined);
    this.#titles.put(before, undefined);
    return difference(before, undefined);
  }

  /** Executions whose title became another one since the last time this was asked. */
  takeRetitled(): readonly Execution[] {
    return this.#titles
      .takeRetitled()
      .flatMap((localId) => this.#entries.get(localId)?.execution ?? []);
  }

  #forget(execution: Execution | undefined): void {
    this.#open.delete(execution?.localId ?? "");
    for (const kickoffId of execution?.kickoffIds ?? []) {
      const localIds = this.#byKickoffId.get(kickoffId);
      localIds?.delete(execution?.localId ?? "");
      if (localIds?.size === 0) {
        this.#byKickoffId.delete(kickoffId);
      }
    }
  }
}

/** All steps as one change; undefined when nothing became different. */
export function join(steps: readonly Step[]): ExecutionChange | undefined {
  const of = (kind: Kind) => steps.flatMap((step) => (step?.kind === kind ? [step.execution] : []));
  const change = { added: of("added"), changed: of("changed"), removed: of("removed") };
  return change.added.length + change.changed.length + change.removed.length === 0
    ? undefined
    : change;
}

function difference(before: Execution | undefined, after: Execution | undefined): Step {
  if (after === undefined) {
    return before === undefined ? undefined : { kind: "removed", execution: before };
  }
  if (before === undefined) {
    return { kind: "added", execution: after };
  }
  return isDeepStrictEqual(before, after) ? undefined : { kind: "changed", execution: after };
}

/** A sorted list with one execution in another's place; one of the two may be missing. */
function resorted(
  sorted: readonly Execution[],
  before: Execution | undefined,
  after: Execution | undefined,
): readonly Execution[] {
  const next = [...sorted];
  const from = before === undefined ? next.length : placeOf(next, before);
  if (before !== undefined && after !== undefined && newestFirst(before, after) === 0) {
    next[from] = after;
    return next;
  }
  next.splice(from, before === undefined ? 0 : 1);
  if (after !== undefined) {
    next.splice(placeOf(next, after), 0, after);
  }
  return next;
}

/** Where an execution stands in a sorted list, or would stand, found by halving. */
function placeOf(sorted: readonly Execution[], execution: Execution): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = sorted[middle];
    if (other !== undefined && newestFirst(other, execution) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

function newestFirst(a: Execution, b: Execution): number {
  return compare(b.startedAt, a.startedAt) || compare(a.localId, b.localId);
}

/** Times in ISO 8601 compare as text. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
