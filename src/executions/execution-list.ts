import type { ExecutionSummary } from "./model.ts";

export interface ExecutionChange {
  readonly added: readonly ExecutionSummary[];
  readonly changed: readonly ExecutionSummary[];
  readonly removed: readonly ExecutionSummary[];
}

/** A row as last read or written; without a summary if it is unreadable. */
interface Entry {
  readonly revision: number;
  readonly summary: ExecutionSummary | undefined;
}

export class ExecutionList {
  readonly #entries = new Map<string, Entry>();
  #change: Record<keyof ExecutionChange, ExecutionSummary[]> = noChange();
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
  put(localId: string, revision: number, summary: ExecutionSummary | undefined): void {
    const before = this.#entries.get(localId);
    if (before !== undefined && revision <= before.revision) return;
    this.#entries.set(localId, { revision, summary });
    this.#replace(before?.summary, summary);
  }

  drop(localId: string): void {
    const before = this.get(localId);
    this.#entries.delete(localId);
    this.#replace(before, undefined);
  }

  /** What changed since it was taken last. */
  takeChange(): ExecutionChange | undefined {
    const change = this.#change;
    this.#change = noChange();
    return Object.values(change).some((summaries) => summaries.length > 0) ? change : undefined;
  }

  #replace(before: ExecutionSummary | undefined, after: ExecutionSummary | undefined): void {
    if (this.#sorted !== undefined) {
      const sorted = [...this.#sorted];
      if (before !== undefined) sorted.splice(placeOf(sorted, before), 1);
      if (after !== undefined) sorted.splice(placeOf(sorted, after), 0, after);
      this.#sorted = sorted;
    }
    if (after !== undefined) this.#change[before === undefined ? "added" : "changed"].push(after);
    else if (before !== undefined) this.#change.removed.push(before);
  }
}

function noChange() {
  return { added: [], changed: [], removed: [] };
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
