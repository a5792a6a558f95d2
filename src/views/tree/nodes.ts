import { keyOf, type ExecutionSummary } from "../../executions/model.ts";
import { partsOf } from "./grouping.ts";

/** A crew, connected or known from its executions; or the hint below one without executions. */
export type CrewNode = { readonly kind: "crew" | "hint"; readonly crew: string };
/** A group by its key, or the row that shows more of it. */
type GroupNode = { readonly kind: "group" | "more"; readonly group: string };
export type TreeNode = CrewNode | GroupNode | ExecutionNode | TaskNode;

export interface ExecutionNode {
  readonly kind: "execution";
  readonly group: string;
  readonly crew: string;
  readonly localId: string;
  /** The first kickoff ID, else the local ID. */
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
    case "execution":
      return `execution ${node.localId} in ${node.group}`;
    case "task":
      return `task ${node.localId} ${node.taskId} in ${node.group}`;
  }
}

/** VS Code identifies rows by object, so each is made once. */
export class KnownNodes {
  /** By local ID, or "" for other rows, then by row ID. */
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

  /** Its row, if VS Code has requested that. */
  rowOf(execution: ExecutionSummary, group: string): ExecutionNode | undefined {
    const id = idOf(executionNode(group, execution));
    return this.#rows.get(execution.localId)?.has(id) === true
      ? this.execution(group, execution)
      : undefined;
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
