import { randomUUID } from "node:crypto";
import type { CrewProject } from "../projects/types.ts";
import { outputCallbackIds, stableId, subjectOf } from "./callbacks.ts";
import { signalOf } from "./crew-run.ts";
import type { Dialect, Resumed } from "./dialects.ts";
import { ApiError, messageOf, unknownExecution } from "./errors.ts";
import type { Events } from "./events.ts";
import type { AttemptKey, Execution, ExecutionView, StatusView, TokenType } from "./model.ts";
import type { Kickoff, Resume } from "./requests.ts";
import { outputsToKeep } from "./run-again.ts";
import type { ExecutionStore } from "./store.ts";

/** How long an approval waits for the end of the execution, to answer `completed` (ms). */
const endWaitMs = 1000;

export type Executions = ReturnType<typeof createExecutions>;

interface Runs {
  /** Begins the durable run of an execution. */
  readonly start: (executionId: string) => Promise<void>;
  /** Whether one waits for its turn to run. */
  readonly isQueued: (executionId: string) => boolean;
  /** Ends an execution for good. Returns the attempts that waited; undefined if it had ended. */
  readonly halt: (executionId: string) => Promise<readonly AttemptKey[] | undefined>;
}

export function createExecutions(
  store: ExecutionStore,
  events: Events,
  waker: DecisionWaker,
  seen: SeenOutputs,
  { start, isQueued, halt }: Runs,
  dialect: Dialect,
) {
  function viewOf(id: string): ExecutionView | undefined {
    const view = store.view(id);
    return view && { ...view, isQueued: view.attempts.length === 0 || isQueued(view.execution.id) };
  }

  /** @throws {ApiError} 400, 403 */
  function known(id: string, caller: TokenType): ExecutionView {
    const view = viewOf(id);
    if (!view) throw new ApiError(400, "Invalid Request", "The execution to run again is unknown");
    authorise(view.execution, caller);
    return view;
  }

  return {
    /** Resolves to its ID when a copy of the crew is stored and the run has started. */
    async kickoff(
      project: CrewProject,
      owner: TokenType,
      { runAgain, ...kickoff }: Kickoff,
    ): Promise<string> {
      const kept = runAgain
        ? outputsToKeep(known(runAgain.executionId, owner), project, runAgain)
        : null;
      const id = randomUUID();
      const createdAt = Date.now();
      const state = { state: "running", error: null, createdAt, endedAt: null } as const;
      store.add({ id, owner, project, ...kickoff, kept, ...state });
      await start(id);
      return id;
    },

    /** @throws {ApiError} 403 */
    view(id: string, caller: TokenType): StatusView | undefined {
      const view = viewOf(id);
      if (!view) return undefined;
      const { execution, attempts } = view;
      authorise(execution, caller);
      const waiting = attempts.find(({ state }) => state === "waiting");
      if (waiting) seen.add(statusId(waiting));
      return { ...view, activity: events.of(execution.id), usage: store.usageOf(execution.id) };
    },

    /**
     * Stores a person's decision about the waiting task. Refuses one about an output that nobody
     * can know of.
     * @throws {ApiError} 404 for an unknown execution or task, 403, 400 if the task doesn't wait
     */
    async resume(resume: Resume, caller: TokenType): Promise<Resumed> {
      const { executionId, taskId, isApprove } = resume;
      // Bodies of these errors: vendor's OpenAPI file.
      const execution = store.find(executionId);
      if (!execution) throw new ApiError(404, "Not Found", "Execution ID not found");
      authorise(execution, caller);
      const { tasks } = execution.project;
      if (!tasks.some(({ id }) => id === taskId))
        throw new ApiError(404, "Not Found", "Task ID not found");
      const waiting = store.waiting(execution.id, taskId);
      const isSeen = waiting && seen.has(waiting, waiting.finishedAt ?? waiting.startedAt);
      const alias = dialect.renames ? randomUUID() : undefined;
      const decided = isSeen && store.decide(execution.id, taskId, resume, alias);
      if (!decided)
        throw new ApiError(400, "Invalid Request", "Execution is not in pending human input state");
      await waker.wake(decided);
      const isLast = isApprove && decided.taskIndex === tasks.length - 1;
      const ended = isLast && (await store.waitForEnd(execution.id, endWaitMs));
      return { isApprove, ended, alias };
    },

    /** @throws {ApiError} 404, 403, 400 if it has ended */
    async stop(id: string, caller: TokenType): Promise<void> {
      const view = viewOf(id);
      if (!view) throw unknownExecution(id);
      authorise(view.execution, caller);
      const waited = await halt(view.execution.id);
      if (!waited) {
        // Published with the route (vendor's pull request 5208).
        const state = dialect.endOf(viewOf(id) ?? view);
        const message = `Cannot stop execution. Current state: ${state}`;
        throw new ApiError(400, "Invalid Request", message);
      }
      for (const key of waited) await waker.wake(key);
    },
  };
}

function authorise(execution: Execution, caller: TokenType): void {
  if (caller === "bearer" || execution.owner === "userBearer") return;
  const message = "The user token has access only to executions that it started";
  throw new ApiError(403, "Forbidden", message);
}

/** After this time (ms) an output counts as seen: no request takes that long. On a busy disk, some took more than a second. */
const assumedSeenMs = 5000;

/**
 * Which outputs can have been seen. A resume names a task, not an attempt: of two that reject an
 * output at once, the second must not decide about the next output.
 */
export class SeenOutputs {
  /** IDs of statuses and callbacks, and when they showed the output; the oldest first. */
  readonly #shown = new Map<string, number>();

  add(id: string): void {
    const now = performance.now();
    for (const [old, at] of this.#shown) {
      if (now - at < 2 * assumedSeenMs) break;
      this.#shown.delete(old);
    }
    if (!this.#shown.has(id)) this.#shown.set(id, now);
  }

  /** `since` is when the output was stored. */
  has(key: AttemptKey, since: number): boolean {
    // There is no earlier output to decide about.
    if (key.attempt === 1) return true;
    // The clock may have been set back since.
    if (Math.abs(Date.now() - since) >= assumedSeenMs) return true;
    return [statusId(key), ...outputCallbackIds(key)].some((id) => this.#shown.has(id));
  }
}

function statusId(key: AttemptKey): string {
  return stableId("status", ...subjectOf(key));
}

const retryMs = 50;
const batch = 200;

export type DecisionWaker = ReturnType<typeof createWaker>;

/**
 * Wakes runs whose task has a decision. A signal to a run that doesn't wait yet is lost, so it is
 * repeated until the run has read the decision.
 */
export function createWaker(
  store: Pick<ExecutionStore, "unreadDecisions">,
  signal: (name: string) => Promise<boolean>,
  log: (line: string) => void,
) {
  /** Signals that reached their run, which is about to read the decision. */
  let delivered = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const report = (error: unknown) =>
    log(`A run could not be woken for its decision yet: ${messageOf(error)}`);

  async function send(name: string): Promise<void> {
    if (await signal(name)) delivered.add(name);
  }

  async function wakeAll(): Promise<void> {
    const names = store.unreadDecisions(batch).map(signalOf);
    delivered = new Set(names.filter((name) => delivered.has(name)));
    if (names.length === 0) return;
    for (const name of names) if (!delivered.has(name)) await send(name);
    plan();
  }

  function plan(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      wakeAll().catch((error: unknown) => {
        report(error);
        plan();
      });
    }, retryMs);
  }

  return {
    async wake(key: AttemptKey): Promise<void> {
      await send(signalOf(key)).catch(report);
      plan();
    },
    wakeAll,
    stop: () => clearTimeout(timer),
  };
}
