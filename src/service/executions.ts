import { randomUUID } from "node:crypto";
import type { CrewProject } from "../projects/types.ts";
import type { DecisionWaker } from "./decisions.ts";
import type { Resumed } from "./dialect.ts";
import { forbidden, notFoundForResume, notPending } from "./errors.ts";
import type { Execution, ExecutionView, TokenType } from "./model.ts";
import type { Kickoff, Resume } from "./requests.ts";
import type { SeenOutputs } from "./seen-outputs.ts";
import type { ExecutionStore } from "./store.ts";

/** Milliseconds that the approval of a last task waits for the end, so that it can answer `completed`. */
const endWaitMs = 1000;

/** What kickoffs and resumes need. */
export interface ExecutionsOptions {
  readonly store: ExecutionStore;
  readonly waker: DecisionWaker;
  readonly seen: SeenOutputs;
  /** Whether status answers show the output that waits. */
  readonly showsOutputs: boolean;
  /** Begins the durable run of an execution. */
  readonly start: (executionId: string) => Promise<void>;
}

/** Kickoff, status and resume, whatever the dialect. */
export class Executions {
  readonly #options: ExecutionsOptions;

  constructor(options: ExecutionsOptions) {
    this.#options = options;
  }

  /** Stores a new execution with its copy of the crew, begins its run and resolves to its id. */
  async kickoff(project: CrewProject, owner: TokenType, kickoff: Kickoff): Promise<string> {
    const execution: Execution = {
      id: randomUUID(),
      owner,
      project,
      ...kickoff,
      state: "running",
      error: null,
      createdAt: Date.now(),
      endedAt: null,
    };
    this.#options.store.add(execution);
    await this.#options.start(execution.id);
    return execution.id;
  }

  /** An execution and how far it is; undefined for an unknown id. @throws {ApiError} 403 */
  view(id: string, caller: TokenType): ExecutionView | undefined {
    const view = this.#options.store.view(id);
    if (view) authorise(view.execution, caller);
    const waiting = view?.attempts.find(({ state }) => state === "waiting");
    if (waiting && this.#options.showsOutputs) this.#options.seen.show(waiting);
    return view;
  }

  /**
   * Takes a person's decision about the task that waits. Once it resolves the decision is stored and will be followed.
   * A decision about an output that is not there yet, or that nobody can have seen, is refused, never kept.
   * @throws {ApiError} 404 for an execution or task that is not there, 403, 400 when that task does not wait.
   */
  async resume(resume: Resume, caller: TokenType, rename: boolean): Promise<Resumed> {
    const { store, waker, seen } = this.#options;
    const execution = store.find(resume.executionId);
    if (!execution) throw notFoundForResume("Execution");
    authorise(execution, caller);
    const { tasks } = execution.project;
    if (!tasks.some(({ id }) => id === resume.taskId)) throw notFoundForResume("Task");
    const waiting = store.waiting(execution.id, resume.taskId);
    if (!waiting || !seen.isSeen(waiting, waiting.finishedAt ?? waiting.startedAt))
      throw notPending();
    const alias = rename ? randomUUID() : undefined;
    const decided = store.decide(execution.id, resume.taskId, resume, Date.now(), alias);
    if (!decided) throw notPending();
    await waker.wake(decided);
    const isLast = resume.isApprove && decided.taskIndex === tasks.length - 1;
    return {
      isApprove: resume.isApprove,
      ended: isLast && (await store.waitForEnd(execution.id, endWaitMs)),
      alias,
    };
  }
}

function authorise(execution: Execution, caller: TokenType): void {
  if (caller === "userBearer" && execution.owner !== "userBearer") throw forbidden();
}
