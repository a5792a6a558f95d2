import * as l10n from "@vscode/l10n";
import type * as vscode from "vscode";
import type { ExecutionChange } from "../../executions/store.ts";
import {
  type ExecutionState,
  type ExecutionSummary,
  keyOf,
  waitsForPerson,
} from "../../executions/model.ts";
import { titleOf } from "../../executions/title.ts";
import { formatDay, present, stateName } from "../../view/words.ts";

export const groupings = ["crew", "state", "day"] as const;
export type Grouping = (typeof groupings)[number];
/** Group keys: `waiting`, `crew <id>`, `state <state>`, `day 2026-10-21` (local calendar). */
export type GroupKind = "waiting" | Grouping;

export const groupStates = [
  "waiting",
  "running",
  "queued",
  "unconfirmed",
  "unknown",
  "failed",
  "completed",
  "stopped",
] as const satisfies readonly ExecutionState[];

export const waitingGroup = "waiting";

export function crewGroup(crewId: string): string {
  return `crew ${crewId}`;
}

export function partsOf(group: string): { readonly kind: GroupKind; readonly of: string } {
  const kind = groupings.find((each) => group.startsWith(`${each} `)) ?? "waiting";
  return { kind, of: group.slice(kind.length + 1) };
}

/** What waits is at the top, and nowhere else. */
export function groupOf(execution: ExecutionSummary, grouping: Grouping): string {
  if (waitsForPerson(execution)) return waitingGroup;
  switch (grouping) {
    case "crew":
      return crewGroup(execution.crew.id);
    case "state":
      return `state ${execution.state}`;
    case "day":
      return `day ${formatDay(new Date(execution.startedAt))}`;
  }
}

export function inOrder(groups: readonly string[], grouping: "state" | "day"): readonly string[] {
  if (grouping === "day") return groups.toSorted().reverse();
  return groupStates.map((state) => `state ${state}`).filter((group) => groups.includes(group));
}

export function groupingLabel(grouping: Grouping): string {
  return { crew: l10n.t("Crew"), state: l10n.t("State"), day: l10n.t("Day") }[grouping];
}

export interface Filter {
  readonly text: string;
  readonly states: readonly ExecutionState[];
}

export const noFilter: Filter = { text: "", states: [] };

export function filterLabel({ text, states }: Filter): string {
  return present(
    states.length > 0 && states.map(stateName).join(", "),
    text.trim() !== "" && l10n.t("“{0}”", text.trim()),
  ).join(" · ");
}

export function passes({ text, states }: Filter): (execution: ExecutionSummary) => boolean {
  const words = text.toLowerCase().match(/\S+/g) ?? [];
  return (execution) => {
    const state = waitsForPerson(execution) ? "waiting" : execution.state;
    if (states.length > 0 && !states.includes(state)) return false;
    if (words.length === 0) return true;
    const { crew, localId, kickoffIds, request } = execution;
    const inputs = Object.values(request?.inputs ?? {}).map((value) =>
      typeof value === "string" ? value : JSON.stringify(value),
    );
    const all = [titleOf(execution), crew.name, localId, ...kickoffIds, ...inputs];
    const searched = all.join("\n").toLowerCase();
    return words.every((word) => searched.includes(word));
  };
}

export interface Rules {
  readonly grouping: Grouping;
  readonly filter: Filter;
}

interface Placed {
  readonly execution: ExecutionSummary;
  readonly group: string | undefined;
}

/** In a group: VS Code requests all rows of one that changed, which takes most of a second for 10,000. */
const mostShown = 500;
type Memento = Pick<vscode.Memento, "get" | "update">;
const groupingKey = "crewdeck.grouping";

export class Arrangement {
  readonly #memento: Memento;
  readonly #rulesChanged: () => void;
  rules: Rules;
  #groups = new Map<string, ExecutionSummary[]>();
  #placed = new Map<string, Placed>();

  /** The workspace stores the grouping, not the filter, which hides executions. @param rulesChanged arranges anew */
  constructor(memento: Memento, rulesChanged: () => void) {
    this.#memento = memento;
    this.#rulesChanged = rulesChanged;
    const stored = memento.get<unknown>(groupingKey);
    const grouping = groupings.find((each) => each === stored) ?? "crew";
    this.rules = { grouping, filter: noFilter };
  }

  async groupBy(grouping: Grouping): Promise<void> {
    await this.#memento.update(groupingKey, grouping);
    this.rules = { ...this.rules, grouping };
    this.#rulesChanged();
  }

  setFilter(filter: Filter): void {
    this.rules = { ...this.rules, filter };
    this.#rulesChanged();
  }

  async reset(): Promise<void> {
    await this.#memento.update(groupingKey, undefined);
    this.rules = { grouping: "crew", filter: noFilter };
    this.#rulesChanged();
  }

  get isFiltered(): boolean {
    return filterLabel(this.rules.filter) !== "";
  }

  get hidden(): readonly ExecutionSummary[] {
    const hidden = [...this.#placed.values()].filter(({ group }) => group === undefined);
    return hidden.map(({ execution }) => execution);
  }

  /** `executions` are sorted, newest first; pinned ones go first in a group. */
  arrange(executions: readonly ExecutionSummary[], rules: Rules = this.rules): void {
    this.rules = rules;
    this.#groups = new Map();
    this.#placed = new Map();
    const isShown = passes(rules.filter);
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

  /** @returns the groups whose rows changed or moved, and the changed rows of others */
  apply(executions: readonly ExecutionSummary[], change: ExecutionChange) {
    const placedBefore = this.#placed;
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
    return { groups, rows };
  }

  groups(): readonly string[] {
    return [...this.#groups.keys()];
  }

  members(group: string): readonly ExecutionSummary[] {
    return this.#groups.get(group) ?? [];
  }

  shown(group: string): readonly ExecutionSummary[] {
    return this.members(group).slice(0, mostShown);
  }

  moreOf(group: string): number {
    return Math.max(0, this.members(group).length - mostShown);
  }

  groupOf(localId: string): string | undefined {
    return this.#placed.get(localId)?.group;
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

/** A crew, connected or known from its executions; or the hint below one without executions. */
type CrewNode = { readonly kind: "crew" | "hint"; readonly crew: string };
type GroupNode = { readonly kind: "group" | "more"; readonly group: string };
/** A project that isn't served: its row serves it, and opens the form (`here`). */
type ProjectNode = { readonly kind: "project"; readonly folder: string; readonly here: true };
export type TreeNode = CrewNode | GroupNode | ProjectNode | ExecutionNode | TaskNode;

export interface ExecutionNode {
  readonly kind: "execution";
  readonly group: string;
  readonly crew: string;
  readonly localId: string;
  readonly kickoffId: string;
  /** Commands on the row answer no other attempt. */
  attempt?: number;
}

export type TaskNode = Omit<ExecutionNode, "kind"> & {
  readonly kind: "task";
  readonly taskId: string;
};

export function showAttempt(node: ExecutionNode | TaskNode, { waiting }: ExecutionSummary): void {
  if (waiting === undefined || (node.kind === "task" && node.taskId !== waiting.taskId))
    delete node.attempt;
  else node.attempt = waiting.attempt;
}

/** The same in every window and session: VS Code keeps selection and expansion by it. */
export function idOf(node: TreeNode): string {
  switch (node.kind) {
    case "crew":
    case "hint":
      return `${node.kind} ${node.crew}`;
    case "group":
    case "more":
      return `${node.kind} ${node.group}`;
    case "project":
      return `${node.kind} ${node.folder}`;
    case "execution":
      return `execution ${node.localId} in ${node.group}`;
    case "task":
      return `task ${node.localId} ${node.taskId} in ${node.group}`;
  }
}

export function groupNode(group: string): CrewNode | GroupNode {
  const { kind, of } = partsOf(group);
  return kind === "crew" ? { kind, crew: of } : { kind: "group", group };
}

export function executionNode(group: string, execution: ExecutionSummary): ExecutionNode {
  const { localId, crew } = execution;
  return { kind: "execution", group, crew: crew.id, localId, kickoffId: keyOf(execution) };
}

/** VS Code identifies rows by object, so each is made once. */
export class KnownNodes {
  readonly #rows = new Map<string, TreeNode>();

  keep<Node extends TreeNode>(node: Node): Node {
    const known = Object.assign(this.#rows.get(idOf(node)) ?? {}, node);
    this.#rows.set(idOf(node), known);
    return known;
  }

  known<Node extends TreeNode>(node: Node): readonly Node[] {
    return this.#rows.has(idOf(node)) ? [this.keep(node)] : [];
  }

  forget(localIds: ReadonlySet<string>): void {
    for (const [id, node] of this.#rows)
      if ("localId" in node && localIds.has(node.localId)) this.#rows.delete(id);
  }
}
