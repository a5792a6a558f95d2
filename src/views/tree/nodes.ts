import { keyOf, type ExecutionSummary } from "../../executions/model.ts";
import { crewGroup, partsOf } from "./grouping.ts";

/** A row of the tree, and the argument of the commands on it. */
export type TreeNode = CrewNode | GroupNode | HintNode | MoreNode | ExecutionNode | TaskNode;

/** A crew by its id, connected or only known from its executions. */
export type CrewNode = { readonly kind: "crew"; readonly crew: string };
/** What waits, or the executions of one state or day, by the group's key. */
export type GroupNode = { readonly kind: "group"; readonly group: string };
/** Below a crew without executions: what to do next. */
export type HintNode = { readonly kind: "hint"; readonly crew: string };
/** Below a part of a large group: shows more of it. */
export type MoreNode = { readonly kind: "more"; readonly group: string };

interface RowInGroup {
  readonly group: string;
  crew: string;
  readonly localId: string;
  /** The first kickoff id, or the local id until there is one. */
  kickoffId: string;
  /** The attempt that waits, as the row shows it: a command on the row answers no other. */
  attempt?: number;
}

export interface ExecutionNode extends RowInGroup {
  readonly kind: "execution";
}

export interface TaskNode extends RowInGroup {
  readonly kind: "task";
  readonly taskId: string;
}

/** Sets the attempt that waits as the row shows it. */
export function showAttempt(node: ExecutionNode | TaskNode, { waiting }: ExecutionSummary): void {
  if (waiting === undefined || (node.kind === "task" && node.taskId !== waiting.taskId))
    delete node.attempt;
  else node.attempt = waiting.attempt;
}

/** The same in every window and after every start: VS Code keeps selection and expansion by it. */
export function idOf(node: TreeNode): string {
  switch (node.kind) {
    case "crew":
    case "hint":
      return `${node.kind} ${node.crew}`;
    case "group":
    case "more":
      return `${node.kind} ${node.group}`;
    case "execution":
      return `execution ${node.localId} in ${node.group}`;
    case "task":
      return `task ${node.localId} ${node.taskId} in ${node.group}`;
  }
}

/** The rows that were requested. VS Code knows a row by its object, so each is made once. */
export class KnownNodes {
  readonly #groups = new Map<string, CrewNode | GroupNode>();
  readonly #hints = new Map<string, HintNode>();
  readonly #more = new Map<string, MoreNode>();
  /** By local id, then by group. */
  readonly #executions = new Map<string, Map<string, ExecutionNode>>();
  readonly #tasks = new WeakMap<ExecutionNode, Map<string, TaskNode>>();

  group(group: string): CrewNode | GroupNode {
    const { kind, of } = partsOf(group);
    const node = kind === "crew" ? { kind, crew: of } : { kind: "group" as const, group };
    return keep<CrewNode | GroupNode>(this.#groups, group, node);
  }

  /** The row of a crew if it was requested. */
  knownCrew(crewId: string): CrewNode | GroupNode | undefined {
    return this.#groups.get(crewGroup(crewId));
  }

  hint(crew: string): HintNode {
    return keep(this.#hints, crew, { kind: "hint", crew });
  }

  more(group: string): MoreNode {
    return keep(this.#more, group, { kind: "more", group });
  }

  /** An execution's row in a group, with its present crew and id. */
  execution(group: string, execution: ExecutionSummary): ExecutionNode {
    const { localId, crew } = execution;
    const present = { crew: crew.id, kickoffId: keyOf(execution) };
    const inGroups = keep(this.#executions, localId, new Map<string, ExecutionNode>());
    const node = keep(inGroups, group, { kind: "execution", group, localId, ...present });
    return Object.assign(node, present);
  }

  task(execution: ExecutionNode, taskId: string): TaskNode {
    const { group, crew, localId, kickoffId } = execution;
    const present = { crew, kickoffId };
    const tasks = keep(this.#tasks, execution, new Map<string, TaskNode>());
    const node = keep(tasks, taskId, { kind: "task", group, localId, ...present, taskId });
    return Object.assign(node, present);
  }

  /** The row above a task's. */
  executionOf({ localId, group }: TaskNode): ExecutionNode | undefined {
    return this.#executions.get(localId)?.get(group);
  }

  /** The rows of an execution that were requested in these groups. */
  rowsOf(execution: ExecutionSummary, groups: readonly string[]): readonly ExecutionNode[] {
    const known = this.#executions.get(execution.localId);
    return groups
      .filter((group) => known?.has(group))
      .map((group) => this.execution(group, execution));
  }

  forget(localId: string): void {
    this.#executions.delete(localId);
  }
}

/** The value of a key, at first this one. */
function keep<Value, Key = string>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  first: Value,
): Value {
  const known = map.get(key);
  if (known === undefined) map.set(key, first);
  return known ?? first;
}
