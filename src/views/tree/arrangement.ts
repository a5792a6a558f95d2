import type { ExecutionSummary } from "../../executions/model.ts";
import type { ExecutionChange } from "../../executions/known.ts";
import { isSet, noFilter, passes, type Filter, type FindsInput } from "./filter.ts";
import { groupsOf, type Grouping } from "./grouping.ts";
import { standingOf } from "./standing.ts";

/** How a person wants to see the executions. */
export interface Rules {
  readonly grouping: Grouping;
  readonly filter: Filter;
}

/** What a change of executions means for the rows. */
export interface Rearranged {
  /** Groups that came or went. */
  readonly isOtherGroups: boolean;
  /** Groups that have other rows than before, or the same in another order. */
  readonly groups: ReadonlySet<string>;
  /** Executions that stand where they stood. */
  readonly rows: readonly { readonly before: ExecutionSummary; readonly after: ExecutionSummary }[];
}

/** Members of a group by local id, and their order while it is known. */
interface Group {
  readonly members: Map<string, ExecutionSummary>;
  order: readonly string[] | undefined;
}

/** Where each execution stands. Kept up with every change, so that no row costs a look at all the others. */
export class Arrangement {
  readonly #withInput: FindsInput;
  #rules: Rules = { grouping: "crew", filter: noFilter };
  readonly #groups = new Map<string, Group>();
  readonly #placed = new Map<
    string,
    { readonly execution: ExecutionSummary; readonly groups: readonly string[] }
  >();
  #hidden = new Set<string>();

  constructor(withInput: FindsInput) {
    this.#withInput = withInput;
  }

  get rules(): Rules {
    return this.#rules;
  }

  get isFiltered(): boolean {
    return isSet(this.#rules.filter);
  }

  /** How many executions there are, those that the filter hides among them. */
  get size(): number {
    return this.#placed.size;
  }

  /** Executions that the filter hides. */
  get hidden(): readonly ExecutionSummary[] {
    return [...this.#hidden].flatMap((localId) => this.#placed.get(localId)?.execution ?? []);
  }

  /** How many executions pass a filter, whatever the present one. */
  count(filter: Filter): number {
    const isSeen = passes(filter, this.#withInput);
    let count = 0;
    for (const { execution } of this.#placed.values()) if (isSeen(execution)) count += 1;
    return count;
  }

  /** Arranges everything anew. */
  arrange(executions: readonly ExecutionSummary[], rules: Rules = this.#rules): void {
    this.#rules = rules;
    this.#groups.clear();
    this.#placed.clear();
    this.#hidden = new Set();
    const groupsFor = this.#groupsFor();
    for (const execution of executions) this.#place(execution, groupsFor(execution));
  }

  /** Takes in what became different. */
  apply({ added, changed, removed }: ExecutionChange): Rearranged {
    const groups = new Set<string>();
    const rows: { before: ExecutionSummary; after: ExecutionSummary }[] = [];
    const known = new Set(this.#groups.keys());
    const groupsFor = this.#groupsFor();
    for (const after of [...added, ...changed]) {
      const before = this.#placed.get(after.localId);
      const next = groupsFor(after);
      if (
        before !== undefined &&
        isSamePlace(before.execution, after) &&
        next.join("\n") === before.groups.join("\n")
      ) {
        this.#replace(after, next);
        if (next.length > 0) rows.push({ before: before.execution, after });
        continue;
      }
      this.#remove(after.localId);
      this.#place(after, next);
      for (const group of new Set([...(before?.groups ?? []), ...next])) groups.add(group);
    }
    for (const { localId } of removed) {
      for (const group of this.groupsOf(localId)) groups.add(group);
      this.#remove(localId);
    }
    return {
      isOtherGroups: [...groups].some((group) => known.has(group) !== this.#groups.has(group)),
      groups,
      rows,
    };
  }

  /** The groups that hold anything, in no order. */
  groups(): readonly string[] {
    return [...this.#groups.keys()];
  }

  has(group: string): boolean {
    return this.#groups.has(group);
  }

  /** How many executions stand in a group. */
  sizeOf(group: string): number {
    return this.#groups.get(group)?.members.size ?? 0;
  }

  /** Some execution of a group; nothing where there is none. */
  someOf(group: string): ExecutionSummary | undefined {
    return this.#groups.get(group)?.members.values().next().value;
  }

  /** The executions of a group: pinned ones first, then the newest. */
  members(group: string): readonly ExecutionSummary[] {
    const found = this.#groups.get(group);
    if (found === undefined) return [];
    found.order ??= [...found.members.values()].sort(byPlace).map(({ localId }) => localId);
    return found.order.flatMap((localId) => found.members.get(localId) ?? []);
  }

  /** The groups in which an execution stands, its usual place last; none where the filter hides it. */
  groupsOf(localId: string): readonly string[] {
    return this.#placed.get(localId)?.groups ?? [];
  }

  /** Made for each change: what the inputs contain may be other executions than before. */
  #groupsFor(): (execution: ExecutionSummary) => readonly string[] {
    const { filter, grouping } = this.#rules;
    const isSeen = passes(filter, this.#withInput);
    return (execution) => (isSeen(execution) ? groupsOf(execution, grouping) : []);
  }

  #place(execution: ExecutionSummary, groups: readonly string[]): void {
    for (const key of groups) {
      const group = this.#groups.get(key) ?? {
        members: new Map<string, ExecutionSummary>(),
        order: undefined,
      };
      group.order = undefined;
      this.#groups.set(key, group);
    }
    this.#replace(execution, groups);
  }

  #replace(execution: ExecutionSummary, groups: readonly string[]): void {
    this.#placed.set(execution.localId, { execution, groups });
    if (groups.length === 0) this.#hidden.add(execution.localId);
    for (const key of groups) this.#groups.get(key)?.members.set(execution.localId, execution);
  }

  #remove(localId: string): void {
    for (const key of this.#placed.get(localId)?.groups ?? []) {
      const group = this.#groups.get(key);
      group?.members.delete(localId);
      if (group !== undefined) group.order = undefined;
      if (group?.members.size === 0) this.#groups.delete(key);
    }
    this.#placed.delete(localId);
    this.#hidden.delete(localId);
  }
}

/** How many of these executions wait for a person, or may. */
export function countWaiting(executions: readonly ExecutionSummary[]): number {
  return executions.filter((execution) => standingOf(execution) === "waiting").length;
}

function isSamePlace(a: ExecutionSummary, b: ExecutionSummary): boolean {
  return byPlace(a, b) === 0 && a.crew.id === b.crew.id;
}

/** Pinned first, then the newest; times in ISO 8601 compare as text. */
function byPlace(a: ExecutionSummary, b: ExecutionSummary): number {
  if (a.pinned !== b.pinned) return a.pinned === true ? -1 : 1;
  if (a.startedAt !== b.startedAt) return a.startedAt > b.startedAt ? -1 : 1;
  return a.localId < b.localId ? -1 : a.localId > b.localId ? 1 : 0;
}
