import { keyOf, type ExecutionSummary } from "../../executions/model.ts";
import { partsOf } from "./arrangement.ts";

/** A crew, connected or known from its executions; or the hint below one without executions. */
type CrewNode = { readonly kind: "crew" | "hint"; readonly crew: string };
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
  /** By row ID. */
  readonly #rows = new Map<string, TreeNode>();

  keep<Node extends TreeNode>(node: Node): Node {
    const known = Object.assign(this.#rows.get(idOf(node)) ?? {}, node);
    this.#rows.set(idOf(node), known);
    return known;
  }

  /** Updated, if VS Code has requested its row. */
  known<Node extends TreeNode>(node: Node): readonly Node[] {
    return this.#rows.has(idOf(node)) ? [this.keep(node)] : [];
  }

  forget(localIds: ReadonlySet<string>): void {
    for (const [id, node] of this.#rows)
      if ("localId" in node && localIds.has(node.localId)) this.#rows.delete(id);
  }
}
