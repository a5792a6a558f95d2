import type { ExecutionSummary } from "../../executions/model.ts";

/** A row of the tree. It is the argument of the commands on it, too, so that its members are those of the commands' arguments. */
export type TreeNode = CrewNode | GroupNode | HintNode | MoreNode | ExecutionNode | TaskNode;

/** A crew, connected or only remembered by its executions. */
export interface CrewNode {
  readonly kind: "crew";
  /** The crew's id. */
  readonly crew: string;
}

/** What waits for a person, or the executions of one state or day. */
export interface GroupNode {
  readonly kind: "group";
  /** The group's key, as in `grouping.ts`. */
  readonly group: string;
}

/** Stands below a crew of which nothing is tracked, and says what to do next. */
export interface HintNode {
  readonly kind: "hint";
  readonly crew: string;
}

/** Stands below the executions of a large group that are shown, and shows more of them. */
export interface MoreNode {
  readonly kind: "more";
  readonly group: string;
}

/** A tracked execution, in one of the groups it stands in. The same object stays when the execution gets its id, or another crew. */
export interface ExecutionNode {
  readonly kind: "execution";
  readonly group: string;
  crew: string;
  readonly localId: string;
  /** First kickoff id, or the local id until there is one. */
  kickoffId: string;
  /** The attempt whose output waits, as the row shows it: a command on the row answers no other. Absent where nothing waits. */
  attempt?: number;
}

/** A task of an execution. */
export interface TaskNode {
  readonly kind: "task";
  readonly group: string;
  crew: string;
  readonly localId: string;
  kickoffId: string;
  readonly taskId: string;
  /** As in {@link ExecutionNode}; absent where this task does not wait. */
  attempt?: number;
}

/** Notes on a row which attempt waits as it is shown. VS Code knows rows by their objects, so that the same one is changed. */
export function showAttempt(node: ExecutionNode | TaskNode, { waiting }: ExecutionSummary): void {
  if (waiting === undefined || (node.kind === "task" && node.taskId !== waiting.taskId))
    delete node.attempt;
  else node.attempt = waiting.attempt;
}

/** The same for the same row in every window and after every start, and another for the same execution in another group: selection and expansion stay by it. */
export function idOf(node: TreeNode): string {
  switch (node.kind) {
    case "crew":
      return `crew ${node.crew}`;
    case "group":
      return `group ${node.group}`;
    case "hint":
      return `hint ${node.crew}`;
    case "more":
      return `more ${node.group}`;
    case "execution":
      return `execution ${node.localId} in ${node.group}`;
    case "task":
      return `task ${node.localId} ${node.taskId} in ${node.group}`;
  }
}
