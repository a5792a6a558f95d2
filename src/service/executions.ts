import { randomUUID } from "node:crypto";
import type { CrewProject } from "../projects/types.ts";
import type { DecisionWaker, SeenOutputs } from "./decisions.ts";
import type { Resumed } from "./dialect.ts";
import { forbidden, notFoundForResume, notPending } from "./errors.ts";
import type { Execution, ExecutionView, TokenType } from "./model.ts";
import type { Kickoff, Resume } from "./requests.ts";
import type { ExecutionStore } from "./store.ts";

/** Milliseconds that the approval of a last task waits for the end, so that it can answer `completed`. */
const endWaitMs = 1000;

export class Executions {
  readonly #store: ExecutionStore;
  readonly #waker: DecisionWaker;
  readonly #seen: SeenOutputs;
  readonly #start: (executionId: string) => Promise<void>;
  readonly #showsOutputs: boolean;

  /** `start` begins the durable run of an execution; `showsOutputs` is the dialect's. */
  constructor(
    store: ExecutionStore,
    waker: DecisionWaker,
    seen: SeenOutputs,
    start: (executionId: string) => Promise<void>,
    showsOutputs: boolean,
  ) {
    this.#store = store;
    this.#waker = waker;
    this.#seen = seen;
    this.#start = start;
    this.#showsOutputs = showsOutputs;
  }

  /** Stores a new execution with a copy of the crew, starts its run and resolves to its id. */
  async kickoff(project: CrewProject, owner: TokenType, kickoff: Kickoff): Promise<string> {
    const id = randomUUID();
    const createdAt = Date.now();
    const state = { state: "running", error: null, createdAt, endedAt: null } as const;
    this.#store.add({ id, owner, project, ...kickoff, ...state });
    await this.#start(id);
    return id;
  }

  /** @throws {ApiError} 403 */
  view(id: string, caller: TokenType): ExecutionView | undefined {
    const view = this.#store.view(id);
    if (view) authorise(view.execution, caller);
    const waiting = view?.attempts.find(({ state }) => state === "waiting");
    if (waiting && this.#showsOutputs) this.#seen.addStatus(waiting);
    return view;
  }

  /**
   * Takes a person's decision about the waiting task. It is stored when this resolves, and will be followed. A decision
   * about an output that doesn't exist yet, or that nobody can have seen, is refused.
   * @throws {ApiError} 404 for an unknown execution or task, 403, 400 when the task doesn't wait
   */
  async resume(resume: Resume, caller: TokenType, rename: boolean): Promise<Resumed> {
    const execution = this.#store.find(resume.executionId);
    if (!execution) throw notFoundForResume("Execution");
    authorise(execution, caller);
    const { tasks } = execution.project;
    if (!tasks.some(({ id }) => id === resume.taskId)) throw notFoundForResume("Task");
    const waiting = this.#store.waiting(execution.id, resume.taskId);
    if (!waiting || !this.#seen.isSeen(waiting, waiting.finishedAt ?? waiting.startedAt))
      throw notPending();
    const alias = rename ? randomUUID() : undefined;
    const decided = this.#store.decide(execution.id, resume.taskId, resume, alias);
    if (!decided) throw notPending();
    await this.#waker.wake(decided);
    const isLast = resume.isApprove && decided.taskIndex === tasks.length - 1;
    return {
      isApprove: resume.isApprove,
      ended: isLast && (await this.#store.waitForEnd(execution.id, endWaitMs)),
      alias,
    };
  }
}

function authorise(execution: Execution, caller: TokenType): void {
  if (caller === "userBearer" && execution.owner !== "userBearer") throw forbidden();
}
