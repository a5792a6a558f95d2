import { keyOf, type ExecutionSummary } from "../../executions/model.ts";
import { crewGroup, partsOf } from "./grouping.ts";
import type { CrewNode, ExecutionNode, GroupNode, HintNode, MoreNode, TaskNode } from "./nodes.ts";

/** The rows that were ever asked for. VS Code knows a row by its object, so that each is made once. */
export class KnownNodes {
  readonly #groups = new Map<string, CrewNode | GroupNode>();
  readonly #hints = new Map<string, HintNode>();
  readonly #more = new Map<string, MoreNode>();
  /** By local id, then by group. */
  readonly #executions = new Map<string, Map<string, ExecutionNode>>();
  readonly #tasks = new WeakMap<ExecutionNode, Map<string, TaskNode>>();

  group(group: string): CrewNode | GroupNode {
    const { kind, of } = partsOf(group);
    return keep<CrewNode | GroupNode>(this.#groups, group, () =>
      kind === "crew" ? { kind, crew: of } : { kind: "group", group },
    );
  }

  /** The row of a crew, if there was ever one. */
  knownCrew(crewId: string): CrewNode | GroupNode | undefined {
    return this.#groups.get(crewGroup(crewId));
  }

  hint(crew: string): HintNode {
    return keep(this.#hints, crew, () => ({ kind: "hint", crew }));
  }

  more(group: string): MoreNode {
    return keep(this.#more, group, () => ({ kind: "more", group }));
  }

  /** An execution's row in a group. Rows are the arguments of commands, so that they name its crew and id as they are now. */
  execution(group: string, execution: ExecutionSummary): ExecutionNode {
    const { localId, crew } = execution;
    const byGroup = keep(this.#executions, localId, () => new Map<string, ExecutionNode>());
    const node = keep<ExecutionNode>(byGroup, group, () => ({
      kind: "execution",
      group,
      crew: crew.id,
      localId,
      kickoffId: keyOf(execution),
    }));
    node.crew = crew.id;
    node.kickoffId = keyOf(execution);
    return node;
  }

  task(execution: ExecutionNode, taskId: string): TaskNode {
    const { group, crew, localId, kickoffId } = execution;
    const node = keep<TaskNode>(
      keep(this.#tasks, execution, () => new Map()),
      taskId,
      () => ({ kind: "task", group, crew, localId, kickoffId, taskId }),
    );
    node.crew = crew;
    node.kickoffId = kickoffId;
    return node;
  }

  /** The row above a task's. */
  executionOf({ localId, group }: TaskNode): ExecutionNode | undefined {
    return this.#executions.get(localId)?.get(group);
  }

  /** All rows of an execution that were asked for in these groups, with what they name brought up to date. */
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

/** The value under a key, made when it is missing. */
function keep<Value, Key = string>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
