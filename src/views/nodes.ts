/** A row of the tree. It is the argument of the commands on it, too, so that its members are those of the commands' arguments. */
export type TreeNode = CrewNode | HintNode | ExecutionNode | TaskNode;

/** A crew, connected or only remembered by its executions. */
export interface CrewNode {
  readonly kind: "crew";
  /** The crew's id. */
  readonly crew: string;
}

/** Stands below a crew of which nothing is tracked, and says what to do next. */
export interface HintNode {
  readonly kind: "hint";
  readonly crew: string;
}

/** A tracked execution. The same object stays when the execution gets its id. */
export interface ExecutionNode {
  readonly kind: "execution";
  readonly crew: string;
  readonly localId: string;
  /** First kickoff id, or the local id until there is one. */
  kickoffId: string;
}

/** A task of an execution. */
export interface TaskNode {
  readonly kind: "task";
  readonly crew: string;
  readonly localId: string;
  readonly kickoffId: string;
  readonly taskId: string;
}
