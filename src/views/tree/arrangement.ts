import type { ExecutionChange } from "../../executions/execution-list.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import {
  type Filter,
  type FindsInput,
  type Grouping,
  groupOf,
  isSet,
  noFilter,
  passes,
} from "./grouping.ts";

export interface Rules {
  readonly grouping: Grouping;
  readonly filter: Filter;
}

interface Rearranged {
  /** Groups that are new or gone. */
  readonly otherGroups: readonly string[];
  /** Groups whose rows changed or moved. */
  readonly groups: ReadonlySet<string>;
  readonly rows: readonly { readonly before: ExecutionSummary; readonly after: ExecutionSummary }[];
}

/** Without a group if the filter hides it. */
interface Placed {
  readonly execution: ExecutionSummary;
  readonly group: string | undefined;
}

/** VS Code requests all rows of a changed group, which takes most of a second for 10,000. */
const page = 500;

/** Which executions the tree shows, and in which group. */
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
    const hidden = [...this.#placed.values()].filter(({ group }) => group === undefined);
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
    this.#placed = new Map();
    const isShown = passes(rules.filter, this.#withInput);
    const pinned = executions.filter((each) => each.pinned === true);
    const others = pinned.length === 0 ? executions : executions.filter((each) => !each.pinned);
    for (const execution of [...pinned, ...others]) {
      const group = isShown(execution) ? groupOf(execution, rules.grouping) : undefined;
      this.#placed.set(execution.localId, { execution, group });
      if (group === undefined) continue;
      const members = this.#groups.get(group);
      if (members === undefined) this.#groups.set(group, [execution]);
      else members.push(execution);
    }
  }

  apply(executions: readonly ExecutionSummary[], change: ExecutionChange): Rearranged {
    const [groupsBefore, placedBefore] = [this.#groups, this.#placed];
    this.arrange(executions);
    const groups = new Set<string>();
    const rows: { before: ExecutionSummary; after: ExecutionSummary }[] = [];
    const all = [...change.added, ...change.changed, ...change.removed];
    for (const localId of new Set(all.map((each) => each.localId))) {
      const [before, after] = [placedBefore.get(localId), this.#placed.get(localId)];
      if (before !== undefined && after !== undefined && isSamePlace(before, after)) {
        if (after.group !== undefined)
          rows.push({ before: before.execution, after: after.execution });
      } else for (const placed of [before, after]) if (placed?.group) groups.add(placed.group);
    }
    const otherGroups = [...groups].filter((group) => groupsBefore.has(group) !== this.has(group));
    return { otherGroups, groups, rows };
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

  groupOf(localId: string): string | undefined {
    return this.#placed.get(localId)?.group;
  }

  #limitOf(group: string): number {
    return this.#limits.get(group) ?? page;
  }
}

function isSamePlace(one: Placed, other: Placed): boolean {
  const [a, b] = [one.execution, other.execution];
  return (
    one.group === other.group &&
    a.pinned === b.pinned &&
    a.startedAt === b.startedAt &&
    a.crew.id === b.crew.id
  );
}
