import type { ExecutionChange } from "../../executions/known.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import { groupsOf, isSet, noFilter, passes } from "./grouping.ts";
import type { Filter, FindsInput, Grouping } from "./grouping.ts";

export interface Rules {
  readonly grouping: Grouping;
  readonly filter: Filter;
}

interface Rearranged {
  readonly isOtherGroups: boolean;
  /** Groups whose rows changed or moved. */
  readonly groups: ReadonlySet<string>;
  readonly rows: readonly { readonly before: ExecutionSummary; readonly after: ExecutionSummary }[];
}

/** The usual group is last; none if the filter hides it. */
interface Placed {
  readonly execution: ExecutionSummary;
  readonly groups: readonly string[];
}

/** VS Code requests all rows of a changed group, which takes most of a second for 10,000. */
const page = 500;

export class Arrangement {
  readonly #withInput: FindsInput;
  #rules: Rules = { grouping: "crew", filter: noFilter };
  #groups = new Map<string, ExecutionSummary[]>();
  /** By local ID. */
  #placed = new Map<string, Placed>();
  /** How many are shown, if not one page. */
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

  /** Includes hidden executions. */
  get size(): number {
    return this.#placed.size;
  }

  get hidden(): readonly ExecutionSummary[] {
    const hidden = [...this.#placed.values()].filter(({ groups }) => groups.length === 0);
    return hidden.map(({ execution }) => execution);
  }

  count(filter: Filter): number {
    const isShown = passes(filter, this.#withInput);
    return [...this.#placed.values()].filter(({ execution }) => isShown(execution)).length;
  }

  /** `executions` are sorted, newest first; pinned ones go first in a group. */
  arrange(executions: readonly ExecutionSummary[], rules: Rules = this.#rules): void {
    this.#rules = rules;
    this.#groups = new Map();
    const placed = executions.map(this.#placing());
    this.#placed = new Map(placed.map((each) => [each.execution.localId, each]));
    const pinned = placed.filter(({ execution }) => execution.pinned === true);
    for (const { execution, groups } of [...pinned, ...placed])
      for (const group of groups) {
        const members = this.#groups.get(group);
        if (members === undefined) this.#groups.set(group, [execution]);
        else members.push(execution);
      }
    if (pinned.length === 0) return;
    for (const [group, members] of this.#groups) this.#groups.set(group, [...new Set(members)]);
  }

  apply(
    executions: readonly ExecutionSummary[],
    { added, changed, removed }: ExecutionChange,
  ): Rearranged {
    const next = [...added, ...changed].map(this.#placing());
    const isInPlace = (placed: Placed) => {
      const before = this.#placed.get(placed.execution.localId);
      return before !== undefined && isSamePlace(before, placed);
    };
    if (removed.length === 0 && next.every(isInPlace))
      return { isOtherGroups: false, groups: new Set(), rows: this.#replace(next) };
    const [groupsBefore, placedBefore] = [this.#groups, this.#placed];
    this.arrange(executions);
    const groups = new Set<string>();
    const rows: { before: ExecutionSummary; after: ExecutionSummary }[] = [];
    const all = [...added, ...changed, ...removed].map(({ localId }) => localId);
    for (const localId of new Set(all)) {
      const [before, after] = [placedBefore.get(localId), this.#placed.get(localId)];
      if (before === undefined || after === undefined || !isSamePlace(before, after))
        for (const each of [before, after]) each?.groups.forEach((group) => groups.add(group));
      else if (after.groups.length > 0)
        rows.push({ before: before.execution, after: after.execution });
    }
    const isOtherGroups = [...groups].some((group) => groupsBefore.has(group) !== this.has(group));
    return { isOtherGroups, groups, rows };
  }

  /** Unsorted. */
  groups(): readonly string[] {
    return [...this.#groups.keys()];
  }

  has(group: string): boolean {
    return this.#groups.has(group);
  }

  /** Pinned first, then newest. */
  members(group: string): readonly ExecutionSummary[] {
    return this.#groups.get(group) ?? [];
  }

  shown(group: string): readonly ExecutionSummary[] {
    return this.members(group).slice(0, this.#limitOf(group));
  }

  moreOf(group: string): number {
    return Math.max(0, this.members(group).length - this.#limitOf(group));
  }

  /** Returns the first of the added executions. */
  showMore(group: string): ExecutionSummary | undefined {
    const limit = this.#limitOf(group);
    this.#limits.set(group, limit + page);
    return this.members(group)[limit];
  }

  groupsOf(localId: string): readonly string[] {
    return this.#placed.get(localId)?.groups ?? [];
  }

  #placing(): (execution: ExecutionSummary) => Placed {
    const { filter, grouping } = this.#rules;
    const isShown = passes(filter, this.#withInput);
    return (execution) => ({
      execution,
      groups: isShown(execution) ? groupsOf(execution, grouping) : [],
    });
  }

  /** Faster than arranging all. */
  #replace(next: readonly Placed[]): Rearranged["rows"] {
    return next.flatMap((placed) => {
      const { execution: after, groups } = placed;
      const before = this.#placed.get(after.localId)?.execution;
      this.#placed.set(after.localId, placed);
      if (before === undefined || groups.length === 0) return [];
      for (const group of groups) {
        const members = this.#groups.get(group) ?? [];
        members[members.indexOf(before)] = after;
      }
      return [{ before, after }];
    });
  }

  #limitOf(group: string): number {
    return this.#limits.get(group) ?? page;
  }
}

function isSamePlace(a: Placed, b: Placed): boolean {
  const placeOf = ({ execution: { pinned, startedAt, crew }, groups }: Placed) =>
    [pinned, startedAt, crew.id, ...groups].join("\n");
  return placeOf(a) === placeOf(b);
}
