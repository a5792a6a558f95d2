import { keyOf, type ExecutionSummary } from "../../executions/model.ts";
import { partsOf } from "./grouping.ts";

/** A crew by its id, connected or only known from its executions; below one without executions, a hint what to do next. */
export type CrewNode = { readonly kind: "crew" | "hint"; readonly crew: string };
/** What waits, or the executions of one state or day, by the group's key; below a part of a large group, what shows more of it. */
export type GroupNode = { readonly kind: "group" | "more"; readonly group: string };
/** A row of the tree, and the argument of the commands on it. */
export type TreeNode = CrewNode | GroupNode | ExecutionNode | TaskNode;

export interface ExecutionNode {
  readonly kind: "execution";
  readonly group: string;
  readonly crew: string;
  readonly localId: string;
  /** The first kickoff id, or the local id until there is one. */
  readonly kickoffId: string;
  /** The attempt that waits, as the row shows it: a command on the row answers no other. */
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

/** The rows that were requested. VS Code knows a row by its object, so each is made once; crew and id of an execution may change. */
export class KnownNodes {
  /** By local id, or "" for rows of no execution, then by the row's id. */
  readonly #rows = new Map<string, Map<string, TreeNode>>();

  group(group: string): CrewNode | GroupNode {
    const { kind, of } = partsOf(group);
    return kind === "crew"
      ? this.#keep("", { kind, crew: of })
      : this.#keep("", { kind: "group", group });
  }

  knownCrew(crew: string): TreeNode | undefined {
    return this.#rows.get("")?.get(idOf({ kind: "crew", crew }));
  }

  hint(crew: string): CrewNode {
    return this.#keep("", { kind: "hint", crew });
  }

  more(group: string): GroupNode {
    return this.#keep("", { kind: "more", group });
  }

  execution(group: string, execution: ExecutionSummary): ExecutionNode {
    return this.#keep(execution.localId, executionNode(group, execution));
  }

  task({ group, crew, localId, kickoffId }: ExecutionNode, taskId: string): TaskNode {
    return this.#keep(localId, { kind: "task", group, crew, localId, kickoffId, taskId });
  }

  executionOf(task: TaskNode): TreeNode | undefined {
    return this.#rows.get(task.localId)?.get(idOf({ ...task, kind: "execution" }));
  }

  /** The rows of an execution that were requested in these groups. */
  rowsOf(execution: ExecutionSummary, groups: readonly string[]): readonly ExecutionNode[] {
    const rows = this.#rows.get(execution.localId);
    return groups
      .filter((group) => rows?.has(idOf(executionNode(group, execution))))
      .map((group) => this.execution(group, execution));
  }

  forget(localId: string): void {
    this.#rows.delete(localId);
  }

  #keep<Node extends TreeNode>(owner: string, node: Node): Node {
    const rows = this.#rows.get(owner) ?? new Map<string, TreeNode>();
    const known = Object.assign(rows.get(idOf(node)) ?? {}, node);
    this.#rows.set(owner, rows.set(idOf(node), known));
    return known;
  }
}

function executionNode(group: string, execution: ExecutionSummary): ExecutionNode {
  const { localId, crew } = execution;
  return { kind: "execution", group, crew: crew.id, localId, kickoffId: keyOf(execution) };
}
