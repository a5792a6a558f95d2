import type { ExecutionSummary } from "./model.ts";
import { Titles } from "./titles.ts";

/** What became different, in one go. */
export interface ExecutionChange {
  readonly added: readonly ExecutionSummary[];
  readonly changed: readonly ExecutionSummary[];
  readonly removed: readonly ExecutionSummary[];
  /** Those whose title became another one, also because of others; absent where there are none. */
  readonly retitled?: readonly ExecutionSummary[];
}

/** One row as it was last read or written: its revision, and its summary unless that can't be read. */
interface Entry {
  readonly revision: number;
  readonly summary: ExecutionSummary | undefined;
}

/** What became different of one row; undefined for nothing. */
export type Step = { readonly kind: Kind; readonly summary: ExecutionSummary } | undefined;

type Kind = Exclude<keyof ExecutionChange, "retitled">;

/** The executions in memory, as last read or written: their order, their titles and their ids. */
export class Known {
  readonly #entries = new Map<string, Entry>();
  readonly #titles = new Titles();
  readonly #title: PropertyDescriptor;
  /** Local ids by kickoff id; made when it is first asked for. */
  #byKickoffId: Map<string, readonly string[]> | undefined;
  /** Made when it is first asked for, and kept up from then on: sorting ten thousand for every change would cost more than the change. */
  #sorted: readonly ExecutionSummary[] | undefined;

  constructor() {
    const titles = this.#titles;
    this.#title = {
      configurable: true,
      get(this: ExecutionSummary) {
        return titles.titleOf(this);
      },
    };
  }

  /** How many rows are known, those that can't be read among them. */
  get size(): number {
    return this.#entries.size;
  }

  localIds(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** 0 for a row that is not known. */
  revisionOf(localId: string): number {
    return this.#entries.get(localId)?.revision ?? 0;
  }

  get(localId: string): ExecutionSummary | undefined {
    return this.#entries.get(localId)?.summary;
  }

  /** Newest first. */
  list(): readonly ExecutionSummary[] {
    this.#sorted ??= [...this.#entries.values()]
      .flatMap(({ summary }) => summary ?? [])
      .sort(newestFirst);
    return this.#sorted;
  }

  /** The execution with this local id or kickoff id; of this crew, if one is given. Of several, the newest. */
  find(id: string, crewId: string | undefined): ExecutionSummary | undefined {
    if (this.#byKickoffId === undefined) {
      this.#byKickoffId = new Map();
      for (const { summary } of this.#entries.values())
        index(this.#byKickoffId, undefined, summary);
    }
    return [id, ...(this.#byKickoffId.get(id) ?? [])]
      .flatMap((localId) => this.get(localId) ?? [])
      .filter(({ crew }) => crewId === undefined || crew.id === crewId)
      .sort(newestFirst)[0];
  }

  /** Gives an execution the title that it has among the others, whenever that is asked for. */
  titled<T extends ExecutionSummary>(execution: T): T {
    return Object.defineProperty(execution, "title", this.#title);
  }

  /** Takes in a row, without a summary where that can't be read. A row that is not newer than the known one is skipped. */
  put(localId: string, revision: number, summary: ExecutionSummary | undefined): Step {
    return revision > this.revisionOf(localId)
      ? this.#replace(localId, { revision, summary })
      : undefined;
  }

  /** Forgets a row that is no longer there. */
  drop(localId: string): Step {
    return this.#replace(localId, undefined);
  }

  /** Executions whose title became another one since the last time this was asked. */
  takeRetitled(): readonly ExecutionSummary[] {
    return this.#titles.takeRetitled().flatMap((localId) => this.get(localId) ?? []);
  }

  #replace(localId: string, entry: Entry | undefined): Step {
    const before = this.get(localId);
    if (entry === undefined) this.#entries.delete(localId);
    else this.#entries.set(localId, entry);
    const after = entry?.summary;
    if (after !== undefined) this.titled(after);
    this.#sorted &&= resorted(this.#sorted, before, after);
    this.#titles.put(before, after);
    if (this.#byKickoffId !== undefined) index(this.#byKickoffId, before, after);
    if (after !== undefined)
      return { kind: before === undefined ? "added" : "changed", summary: after };
    return before && { kind: "removed", summary: before };
  }
}

/** Enters the kickoff ids of an execution in another one's place; one of the two may be missing. */
function index(
  ids: Map<string, readonly string[]>,
  before: ExecutionSummary | undefined,
  after: ExecutionSummary | undefined,
): void {
  for (const kickoffId of before?.kickoffIds ?? []) {
    const others = ids.get(kickoffId)?.filter((localId) => localId !== before?.localId) ?? [];
    if (others.length === 0) ids.delete(kickoffId);
    else ids.set(kickoffId, others);
  }
  if (after === undefined) return;
  for (const kickoffId of after.kickoffIds)
    ids.set(kickoffId, [...(ids.get(kickoffId) ?? []), after.localId]);
}

/** All steps as one change; undefined when nothing became different. */
export function join(steps: readonly Step[]): ExecutionChange | undefined {
  const of = (kind: Kind) => steps.flatMap((step) => (step?.kind === kind ? [step.summary] : []));
  const change = { added: of("added"), changed: of("changed"), removed: of("removed") };
  return change.added.length + change.changed.length + change.removed.length === 0
    ? undefined
    : change;
}

/** A sorted list with one execution in another's place; one of the two may be missing. */
function resorted(
  sorted: readonly ExecutionSummary[],
  before: ExecutionSummary | undefined,
  after: ExecutionSummary | undefined,
): readonly ExecutionSummary[] {
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
function placeOf(sorted: readonly ExecutionSummary[], execution: ExecutionSummary): number {
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

function newestFirst(a: ExecutionSummary, b: ExecutionSummary): number {
  return compare(b.startedAt, a.startedAt) || compare(a.localId, b.localId);
}

/** Times in ISO 8601 compare as text. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
