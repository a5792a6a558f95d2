import type { Execution } from "../../executions/model.ts";
import type { ExecutionChange } from "../../executions/known.ts";
import { isSet, noFilter, passes, type Filter } from "./filter.ts";
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
  readonly rows: readonly { readonly before: Execution; readonly after: Execution }[];
}

/** Members of a group by local id, and their order while it is known. */
interface Group {
  readonly members: Map<string, Execution>;
  order: readonly string[] | undefined;
}

/** Where each execution stands. Kept up with every change, so that no row costs a look at all the others. */
export class Arrangement {
  #rules: Rules = { grouping: "crew", filter: noFilter };
  #passes = passes(noFilter);
  readonly #groups = new Map<string, Group>();
  readonly #placed = new Map<
    string,
    { readonly execution: Execution; readonly groups: readonly string[] }
  >();
  #hidden = new Set<string>();

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
  get hidden(): readonly Execution[] {
    return [...this.#hidden].flatMap((localId) => this.#placed.get(localId)?.execution ?? []);
  }

  /** How many executions pass a filter, whatever the present one. */
  count(filter: Filter): number {
    const isSeen = passes(filter);
    let count = 0;
    for (const { execution } of this.#placed.values()) if (isSeen(execution)) count += 1;
    return count;
  }

  /** Arranges everything anew. */
  arrange(executions: readonly Execution[], rules: Rules = this.#rules): void {
    this.#rules = rules;
    this.#passes = passes(rules.filter);
    this.#groups.clear();
    this.#placed.clear();
    this.#hidden = new Set();
    for (const execution of executions) this.#place(execution);
  }

  /** Takes in what became different. */
  apply({ added, changed, removed }: ExecutionChange): Rearranged {
    const groups = new Set<string>();
    const rows: { before: Execution; after: Execution }[] = [];
    const known = new Set(this.#groups.keys());
    for (const after of [...added, ...changed]) {
      const before = this.#placed.get(after.localId);
      const next = this.#groupsFor(after);
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
      this.#place(after);
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
  someOf(group: string): Execution | undefined {
    return this.#groups.get(group)?.members.values().next().value;
  }

  /** The executions of a group: pinned ones first, then the newest. */
  members(group: string): readonly Execution[] {
    const found = this.#groups.get(group);
    if (found === undefined) return [];
    found.order ??= [...found.members.values()].sort(byPlace).map(({ localId }) => localId);
    return found.order.flatMap((localId) => found.members.get(localId) ?? []);
  }

  /** The groups in which an execution stands, its usual place last; none where the filter hides it. */
  groupsOf(localId: string): readonly string[] {
    return this.#placed.get(localId)?.groups ?? [];
  }

  #groupsFor(execution: Execution): readonly string[] {
    return this.#passes(execution) ? groupsOf(execution, this.#rules.grouping) : [];
  }

  #place(execution: Execution): void {
    const groups = this.#groupsFor(execution);
    for (const key of groups) {
      const group = this.#groups.get(key) ?? {
        members: new Map<string, Execution>(),
        order: undefined,
      };
      group.order = undefined;
      this.#groups.set(key, group);
    }
    this.#replace(execution, groups);
  }

  #replace(execution: Execution, groups: readonly string[]): void {
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
export function countWaiting(executions: readonly Execution[]): number {
  return executions.filter((execution) => standingOf(execution) === "waiting").length;
}

function isSamePlace(a: Execution, b: Execution): boolean {
  return byPlace(a, b) === 0 && a.crew.id === b.crew.id;
}

/** Pinned first, then the newest; times in ISO 8601 compare as text. */
function byPlace(a: Execution, b: Execution): number {
  if (a.pinned !== b.pinned) return a.pinned === true ? -1 : 1;
  if (a.startedAt !== b.startedAt) return a.startedAt > b.startedAt ? -1 : 1;
  return a.localId < b.localId ? -1 : a.localId > b.localId ? 1 : 0;
}
