import type { ExecutionChange } from "../../executions/known.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import {
  groupsOf,
  isSet,
  noFilter,
  passes,
  type Filter,
  type FindsInput,
  type Grouping,
} from "./grouping.ts";

/** How the executions are shown. */
export interface Rules {
  readonly grouping: Grouping;
  readonly filter: Filter;
}

/** What a change of executions means for the rows. */
export interface Rearranged {
  /** Groups were added or removed. */
  readonly isOtherGroups: boolean;
  /** Groups with other rows, or the same in another order. */
  readonly groups: ReadonlySet<string>;
  /** Executions that changed in place. */
  readonly rows: readonly { readonly before: ExecutionSummary; readonly after: ExecutionSummary }[];
}

interface Group {
  /** By local id. */
  readonly members: Map<string, ExecutionSummary>;
  /** Sorted local ids, if known. */
  order?: readonly string[] | undefined;
}

/** Executions of a group that are shown at first, and more at each request: VS Code requests every row of a group whenever one is added or removed, which takes most of a second for ten thousand. */
const page = 500;

/** The groups of the executions. Updated with every change, so that no row needs a look at all executions. */
export class Arrangement {
  readonly #withInput: FindsInput;
  #rules: Rules = { grouping: "crew", filter: noFilter };
  readonly #groups = new Map<string, Group>();
  /** By local id. An execution that the filter hides is in no group. */
  readonly #placed = new Map<
    string,
    { readonly execution: ExecutionSummary; readonly groups: readonly string[] }
  >();
  /** How many executions of a group are shown, if not a page. */
  readonly #limits = new Map<string, number>();

  constructor(withInput: FindsInput) {
    this.#withInput = withInput;
  }

  get rules(): Rules {
    return this.#rules;
  }

  get isFiltered(): boolean {
    return isSet(this.#rules.filter);
  }

  /** The number of executions, hidden ones included. */
  get size(): number {
    return this.#placed.size;
  }

  /** The executions that the filter hides. */
  get hidden(): readonly ExecutionSummary[] {
    return [...this.#placed.values()].flatMap(({ execution, groups }) =>
      groups.length === 0 ? [execution] : [],
    );
  }

  /** How many executions would pass a filter. */
  count(filter: Filter): number {
    const isShown = passes(filter, this.#withInput);
    return [...this.#placed.values()].filter(({ execution }) => isShown(execution)).length;
  }

  arrange(executions: readonly ExecutionSummary[], rules: Rules = this.#rules): void {
    this.#rules = rules;
    this.#groups.clear();
    this.#placed.clear();
    const groupsFor = this.#groupsFor();
    for (const execution of executions) this.#place(execution, groupsFor(execution));
  }

  apply({ added, changed, removed }: ExecutionChange): Rearranged {
    const groups = new Set<string>();
    const rows: { before: ExecutionSummary; after: ExecutionSummary }[] = [];
    const earlier = new Set(this.#groups.keys());
    const groupsFor = this.#groupsFor();
    for (const after of [...added, ...changed]) {
      const before = this.#placed.get(after.localId);
      const next = groupsFor(after);
      if (
        before !== undefined &&
        isSamePlace(before.execution, after) &&
        next.join("\n") === before.groups.join("\n")
      ) {
        this.#set(after, next);
        if (next.length > 0) rows.push({ before: before.execution, after });
      } else {
        this.#remove(after.localId);
        this.#place(after, next);
        for (const group of [...(before?.groups ?? []), ...next]) groups.add(group);
      }
    }
    for (const { localId } of removed) {
      for (const group of this.groupsOf(localId)) groups.add(group);
      this.#remove(localId);
    }
    const isOtherGroups = [...groups].some((group) => earlier.has(group) !== this.has(group));
    return { isOtherGroups, groups, rows };
  }

  /** The groups with executions, unsorted. */
  groups(): readonly string[] {
    return [...this.#groups.keys()];
  }

  has(group: string): boolean {
    return this.#groups.has(group);
  }

  sizeOf(group: string): number {
    return this.#groups.get(group)?.members.size ?? 0;
  }

  /** Any execution of a group. */
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

  /** The executions of a group that have rows. */
  shown(group: string): readonly ExecutionSummary[] {
    return this.members(group).slice(0, this.#limitOf(group));
  }

  /** How many executions of a group have no rows. */
  moreOf(group: string): number {
    return Math.max(0, this.sizeOf(group) - this.#limitOf(group));
  }

  /** Gives rows to more executions of a group; returns the first of them. */
  showMore(group: string): ExecutionSummary | undefined {
    const limit = this.#limitOf(group);
    this.#limits.set(group, limit + page);
    return this.members(group)[limit];
  }

  /** The groups of an execution, its usual one last; none if the filter hides it. */
  groupsOf(localId: string): readonly string[] {
    return this.#placed.get(localId)?.groups ?? [];
  }

  #limitOf(group: string): number {
    return this.#limits.get(group) ?? page;
  }

  /** Made for each change, since it remembers which inputs contain the filter's words. */
  #groupsFor(): (execution: ExecutionSummary) => readonly string[] {
    const { filter, grouping } = this.#rules;
    const isShown = passes(filter, this.#withInput);
    return (execution) => (isShown(execution) ? groupsOf(execution, grouping) : []);
  }

  #place(execution: ExecutionSummary, groups: readonly string[]): void {
    for (const key of groups) {
      const group = this.#groups.get(key);
      if (group === undefined) this.#groups.set(key, { members: new Map() });
      else group.order = undefined;
    }
    this.#set(execution, groups);
  }

  #set(execution: ExecutionSummary, groups: readonly string[]): void {
    this.#placed.set(execution.localId, { execution, groups });
    for (const key of groups) this.#groups.get(key)?.members.set(execution.localId, execution);
  }

  #remove(localId: string): void {
    for (const key of this.groupsOf(localId)) {
      const group = this.#groups.get(key);
      if (group === undefined) continue;
      group.members.delete(localId);
      group.order = undefined;
      if (group.members.size === 0) this.#groups.delete(key);
    }
    this.#placed.delete(localId);
  }
}

function isSamePlace(a: ExecutionSummary, b: ExecutionSummary): boolean {
  return byPlace(a, b) === 0 && a.crew.id === b.crew.id;
}

/** Pinned first, then the newest. ISO 8601 times compare as text. */
function byPlace(a: ExecutionSummary, b: ExecutionSummary): number {
  if (a.pinned !== b.pinned) return a.pinned === true ? -1 : 1;
  if (a.startedAt !== b.startedAt) return a.startedAt > b.startedAt ? -1 : 1;
  return a.localId < b.localId ? -1 : a.localId > b.localId ? 1 : 0;
}
