import type { ExecutionSummary } from "./model.ts";

export interface ExecutionChange {
  readonly added: readonly ExecutionSummary[];
  readonly changed: readonly ExecutionSummary[];
  readonly removed: readonly ExecutionSummary[];
}

export type Step =
  { readonly kind: keyof ExecutionChange; readonly summary: ExecutionSummary } | undefined;

/** A row as last read or written; without a summary if it is unreadable. */
interface Entry {
  readonly revision: number;
  readonly summary: ExecutionSummary | undefined;
}

export class Known {
  readonly #entries = new Map<string, Entry>();
  /** Kept sorted, since sorting 10,000 costs more than the change itself. */
  #sorted: readonly ExecutionSummary[] | undefined;

  get size(): number {
    return this.#entries.size;
  }

  localIds(): readonly string[] {
    return [...this.#entries.keys()];
  }

  revisionOf(localId: string): number {
    return this.#entries.get(localId)?.revision ?? 0;
  }

  get(localId: string): ExecutionSummary | undefined {
    return this.#entries.get(localId)?.summary;
  }

  list(): readonly ExecutionSummary[] {
    this.#sorted ??= [...this.#entries.values()]
      .map(({ summary }) => summary)
      .filter((summary) => summary !== undefined)
      .sort(newestFirst);
    return this.#sorted;
  }

  /** By local id or kickoff id; the newest of several. */
  find(id: string, crewId: string | undefined): ExecutionSummary | undefined {
    const isMeant = ({ crew }: ExecutionSummary) => crewId === undefined || crew.id === crewId;
    const direct = this.get(id);
    return direct !== undefined && isMeant(direct)
      ? direct
      : this.list().find((each) => each.kickoffIds.includes(id) && isMeant(each));
  }

  /** No summary: the row is unreadable. */
  put(localId: string, revision: number, summary: ExecutionSummary | undefined): Step {
    const before = this.#entries.get(localId);
    if (before !== undefined && revision <= before.revision) return undefined;
    return this.#replace(localId, before?.summary, { revision, summary });
  }

  drop(localId: string): Step {
    return this.#replace(localId, this.get(localId), undefined);
  }

  #replace(localId: string, before: ExecutionSummary | undefined, entry: Entry | undefined): Step {
    if (entry === undefined) this.#entries.delete(localId);
    else this.#entries.set(localId, entry);
    const after = entry?.summary;
    if (this.#sorted !== undefined) {
      const sorted = [...this.#sorted];
      if (before !== undefined) sorted.splice(placeOf(sorted, before), 1);
      if (after !== undefined) sorted.splice(placeOf(sorted, after), 0, after);
      this.#sorted = sorted;
    }
    if (after !== undefined)
      return { kind: before === undefined ? "added" : "changed", summary: after };
    return before && { kind: "removed", summary: before };
  }
}

export function join(steps: readonly Step[]): ExecutionChange | undefined {
  const all = steps.filter((step) => step !== undefined);
  const of = (kind: keyof ExecutionChange) =>
    all.filter((step) => step.kind === kind).map(({ summary }) => summary);
  return all.length === 0
    ? undefined
    : { added: of("added"), changed: of("changed"), removed: of("removed") };
}

function placeOf(sorted: readonly ExecutionSummary[], execution: ExecutionSummary): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = sorted[middle];
    if (other !== undefined && newestFirst(other, execution) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function newestFirst(a: ExecutionSummary, b: ExecutionSummary): number {
  if (a.startedAt !== b.startedAt) return a.startedAt < b.startedAt ? 1 : -1;
  if (a.localId === b.localId) return 0;
  return a.localId < b.localId ? -1 : 1;
}
