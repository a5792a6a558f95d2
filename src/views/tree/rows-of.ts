import { isDeepStrictEqual } from "node:util";
import { env } from "vscode";
import type { Clock } from "../../base/clock.ts";
import type { Crew, TokenState } from "../../crews/types.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import type { Tracker } from "../../executions/tracker.ts";
import type { Arrangement } from "./arrangement.ts";
import { crewRow } from "./crew-row.ts";
import { executionRow, taskRow, type ExecutionCircumstances } from "./execution-rows.ts";
import { groupRow, moreRow } from "./group-rows.ts";
import { crewGroup, partsOf } from "./grouping.ts";
import { showAttempt, type ExecutionNode, type TaskNode, type TreeNode } from "./nodes.ts";
import { goneCrewRow, hintRow, type Row } from "./rows.ts";

/** Where {@link RowsOf} looks. */
export interface RowSources {
  readonly store: Pick<ExecutionStore, "summary">;
  readonly tracker: Pick<Tracker, "problemOf" | "parkedCrews">;
  readonly clock: Clock;
  readonly arrangement: Arrangement;
  /** Connected crews by id. */
  readonly crews: () => ReadonlyMap<string, Crew>;
  readonly tokens: (crewId: string) => TokenState | undefined;
  /** How many executions of a group are not shown. */
  readonly hidden: (group: string) => number;
}

/** Makes the rows of the tree from everything that is known when they are asked for. */
export class RowsOf {
  readonly #sources: RowSources;

  constructor(sources: RowSources) {
    this.#sources = sources;
  }

  /** A node's row as it is now; nothing for what is no longer there. */
  node(node: TreeNode): Row | undefined {
    const { store, clock, arrangement, crews, hidden } = this.#sources;
    switch (node.kind) {
      case "crew":
        return this.#crew(node.crew);
      case "group":
        return groupRow(node.group, {
          size: arrangement.sizeOf(node.group),
          now: clock.now(),
          language: env.language,
        });
      case "hint":
        return hintRow(crews().get(node.crew)?.local?.running === false);
      case "more":
        return moreRow(hidden(node.group));
      case "execution":
      case "task": {
        const execution = store.summary(node.localId);
        return execution && this.#execution(node, execution);
      }
    }
  }

  /** Whether a person would see a difference. A row that is drawn anew for nothing loses the click that is on its way to it. */
  looksOther(before: ExecutionSummary, after: ExecutionSummary): boolean {
    const now = this.#sources.clock.now();
    const looks = (execution: ExecutionSummary) => {
      const circumstances = this.#circumstances(execution, crewGroup(execution.crew.id));
      return [
        executionRow(execution, now, circumstances),
        execution.tasks.map((task) => taskRow(task, execution, circumstances)),
      ];
    };
    return !isDeepStrictEqual(looks(before), looks(after));
  }

  #crew(id: string): Row | undefined {
    const { crews, tracker, tokens, arrangement } = this.#sources;
    const crew = crews().get(id);
    if (crew !== undefined)
      return crewRow(crew, { parked: tracker.parkedCrews().get(id), tokens: tokens(id) });
    const some = arrangement.someOf(crewGroup(id));
    return some && goneCrewRow(some.crew);
  }

  #execution(node: ExecutionNode | TaskNode, execution: ExecutionSummary): Row | undefined {
    showAttempt(node, execution);
    const circumstances = this.#circumstances(execution, node.group);
    if (node.kind === "execution")
      return executionRow(execution, this.#sources.clock.now(), circumstances);
    const task = execution.tasks.find(({ taskId }) => taskId === node.taskId);
    return task && taskRow(task, execution, circumstances);
  }

  #circumstances(execution: ExecutionSummary, group: string): ExecutionCircumstances {
    const { crews, tracker } = this.#sources;
    const crew = crews().get(execution.crew.id);
    const isRefusing = tracker.parkedCrews().has(execution.crew.id);
    return {
      group: partsOf(group).kind,
      crew:
        crew === undefined
          ? "gone"
          : crew.local?.running === false
            ? "stopped"
            : isRefusing
              ? "refusing"
              : "connected",
      problem: isRefusing ? undefined : tracker.problemOf(execution),
    };
  }
}
