import { randomUUID } from "node:crypto";
import type { CrewProject } from "../projects/types.ts";
import type { Database, Work } from "./database/database.ts";
import type { StoredAttempt } from "./decisions.ts";
import type { Deliveries } from "./deliveries.ts";
import type { Dialect, Resumed } from "./dialects.ts";
import { ApiError, messageOf, unknownExecution } from "./errors.ts";
import type { Events } from "./events.ts";
import { answerTo, type FeedbackAnswer } from "./flow-answers.ts";
import type { FlowStore } from "./flow-store.ts";
import type {
  Attempt,
  AttemptKey,
  Caller,
  Decision,
  Execution,
  ExecutionView,
  StatusView,
} from "./model.ts";
import type { Log } from "./operations/log.ts";
import type { Kickoff, Resume } from "./requests.ts";
import { outputsToKeep } from "./run-again.ts";
import { signalOf } from "./steps.ts";
import type { ExecutionStore } from "./store.ts";

/** How long an approval waits for the end of the execution, to answer `completed` (ms). */
const endWaitMs = 1000;

export type Executions = ReturnType<typeof createExecutions>;

interface ExecutionsParts {
  readonly database: Database;
  readonly store: ExecutionStore;
  readonly events: Pick<Events, "of">;
  readonly deliveries: Pick<Deliveries, "undelivered">;
  readonly flows: FlowStore;
  readonly waker: DecisionWaker;
  /** Begins the durable run of an execution. */
  readonly start: (executionId: string) => Work<unknown>;
  /** Ends an execution for good. Returns the attempts that waited; undefined if it had ended. */
  readonly halt: (executionId: string) => Promise<readonly AttemptKey[] | undefined>;
  /** The name of the crew, for executions that begin. */
  readonly crew: string;
  /** Whether the crew's address knows an execution. */
  readonly isOwn: (execution: Execution) => boolean;
  /** Whether an execution waits for its turn to run. */
  readonly isQueued: (executionId: string) => boolean;
  readonly dialect: Dialect;
  /** Called when a person has decided about an output. @param waited how long it had waited (ms) */
  readonly onDecided?: ((waited: number) => void) | undefined;
}

export function createExecutions(parts: ExecutionsParts) {
  const { database, store, flows, waker, crew, isOwn, dialect } = parts;

  async function viewOf(id: string) {
    const view = await store.view(id);
    if (!view || !isOwn(view.execution)) return undefined;
    const { execution, attempts } = view;
    const flow = execution.project.kind === "flow" && (await flowOf(execution.id, attempts));
    return {
      ...view,
      ...(flow && { flow }),
      isQueued: attempts.length === 0 || parts.isQueued(execution.id),
    };
  }

  async function flowOf(id: string, attempts: readonly Attempt[]): Promise<ExecutionView["flow"]> {
    const waiting = attempts.find(({ state }) => state === "waiting");
    const pause = waiting && (await flows.pauseOf(waiting));
    return { output: (await flows.outputOf(id)) ?? "", ...(pause && { pause }) };
  }

  /** @throws {ApiError} 400, 403 */
  async function known(id: string, caller: Caller): Promise<ExecutionView> {
    const view = await viewOf(id);
    if (!view) throw new ApiError(400, "Invalid Request", "The execution to run again is unknown");
    authorise(view.execution, caller);
    return view;
  }

  /**
   * Whether somebody can have seen the output. A resume names a task, not an attempt: of two that reject an output at once,
   * the second must not decide about the next output.
   */
  function canBeSeen({ attempt, shown, finishedAt, startedAt }: StoredAttempt): boolean {
    // There is no earlier output to decide about.
    if (attempt === 1 || shown === 1) return true;
    // The clock may have been set back since.
    return Math.abs(database.now() - (finishedAt ?? startedAt)) >= assumedSeenMs;
  }

  return {
    /**
     * Resolves to its ID when a copy of the crew is stored and the run has started.
     * @param check comes first in the change that stores it, and may throw to refuse it
     */
    async kickoff(
      project: CrewProject,
      caller: Caller,
      { runAgain, ...kickoff }: Kickoff,
      check?: () => Work<unknown>,
    ): Promise<string> {
      const kept = runAgain
        ? outputsToKeep(await known(runAgain.executionId, caller), project, runAgain)
        : null;
      const id = randomUUID();
      const createdAt = database.now();
      const state = { state: "running", error: null, createdAt, endedAt: null } as const;
      const execution = { id, owner: caller.owner, crew, project, ...kickoff, kept, ...state };
      await store.add(execution, () => parts.start(id), check);
      return id;
    },

    /** @throws {ApiError} 403 */
    async view(id: string, caller: Caller): Promise<StatusView | undefined> {
      const view = await viewOf(id);
      if (!view) return undefined;
      const { execution, attempts } = view;
      authorise(execution, caller);
      const waiting = attempts.find(({ state }) => state === "waiting");
      if (waiting && !canBeSeen(waiting)) await store.setShown(waiting);
      const [activity, usage, undelivered] = await Promise.all([
        parts.events.of(execution.id),
        store.usageOf(execution.id),
        parts.deliveries.undelivered(execution.id),
      ]);
      return { ...view, activity, usage, undelivered };
    },

    /**
     * Stores a person's decision about the waiting task. Refuses one about an output that nobody
     * can know of.
     * @throws {ApiError} 404 for an unknown execution or task, 403, 400 if the task doesn't wait
     */
    async resume(resume: Resume, caller: Caller): Promise<Resumed> {
      const { executionId, taskId, feedback } = resume;
      // Bodies of these errors: vendor's OpenAPI file.
      const execution = await store.find(executionId);
      if (!execution || !isOwn(execution))
        throw new ApiError(404, "Not Found", "Execution ID not found");
      authorise(execution, caller);
      const { tasks } = execution.project;
      if (!tasks.some(({ id }) => id === taskId))
        throw new ApiError(404, "Not Found", "Task ID not found");
      const waiting = await store.waiting(execution.id, taskId);
      if (!waiting || !canBeSeen(waiting)) throw notWaiting();
      const pause = await flows.pauseOf(waiting);
      const verdict = resume.isAnswer ? undefined : resume.isApprove;
      const answer = pause && answerTo(pause, feedback, verdict);
      const isApprove = answer?.isApprove ?? resume.isApprove;
      const alias = dialect.renames ? randomUUID() : undefined;
      await decide(waiting, { ...resume, isApprove }, answer, alias);
      const isLast = isApprove && waiting.taskIndex === tasks.length - 1;
      const ended = isLast && (await store.waitForEnd(execution.id, endWaitMs));
      return { isRetried: !isApprove && !pause, ended, alias };
    },

    /** Answers a request of the feedback webhook, once. @throws {ApiError} 400 */
    async answer(key: AttemptKey, feedback: string): Promise<void> {
      const { execution, attempts = [] } = (await store.view(key.executionId)) ?? {};
      const waiting = attempts.find(
        ({ state, taskIndex, attempt }) =>
          state === "waiting" && taskIndex === key.taskIndex && attempt === key.attempt,
      );
      const pause = waiting && (await flows.pauseOf(waiting));
      if (!execution || !isOwn(execution) || !pause) throw notWaiting();
      const answer = answerTo(pause, feedback);
      const decision = {
        isApprove: answer.isApprove ?? true,
        feedback,
        callbacks: (await store.lastCallbacks(execution.id)) ?? execution.callbacks,
      };
      await decide(waiting, decision, answer, undefined);
    },

    /** @throws {ApiError} 404, 403, 400 if it has ended */
    async stop(id: string, caller: Caller): Promise<void> {
      const view = await viewOf(id);
      if (!view) throw unknownExecution(id);
      authorise(view.execution, caller);
      const waited = await parts.halt(view.execution.id);
      if (!waited) {
        // Published with the route (vendor's pull request 5208).
        const state = dialect.endOf((await viewOf(id)) ?? view);
        const message = `Cannot stop execution. Current state: ${state}`;
        throw new ApiError(400, "Invalid Request", message);
      }
      for (const key of waited) await waker.wake(key);
    },
  };

  /** @throws {ApiError} 400 if somebody else has decided about the attempt */
  async function decide(
    waiting: Attempt,
    decision: Decision,
    answer: FeedbackAnswer | undefined,
    alias: string | undefined,
  ): Promise<void> {
    const isDecided = await store.decide(waiting, decision, alias, function* () {
      if (answer) yield* flows.setAnswer(waiting, answer);
    });
    if (!isDecided) throw notWaiting();
    parts.onDecided?.(database.now() - (waiting.finishedAt ?? waiting.startedAt));
    await waker.wake(waiting);
  }
}

function notWaiting(): ApiError {
  return new ApiError(400, "Invalid Request", "Execution is not in pending human input state");
}

function authorise(execution: Execution, caller: Caller): void {
  if (caller.type === "bearer" || execution.owner === caller.owner) return;
  const message = "The user token has access only to executions that it started";
  throw new ApiError(403, "Forbidden", message);
}

/** An output counts as seen after this time, which is longer than a request takes (ms). On a busy disk, some took more than a second. */
const assumedSeenMs = 5000;

/** When to look again (ms): after a signal that no run has taken, while runs that have taken theirs can't begin yet, and after a failure. */
const lookAgainMs = { notTaken: 50, taken: 500, failed: 1000 };
const batch = 200;

type DecisionWaker = ReturnType<typeof createWaker>;

/**
 * Wakes runs whose task has a decision. A signal to a run that doesn't wait yet is lost, so it is
 * repeated until the run has read the decision.
 */
export function createWaker(
  store: Pick<ExecutionStore, "unreadDecisions">,
  signal: (name: string) => Promise<boolean>,
  wakeRun: (executionId: string) => Promise<unknown>,
  log: Log,
) {
  /** Signals that reached their run, which is about to read the decision. */
  let delivered = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let next = Infinity;
  let isStopped = false;

  const report = (error: unknown) =>
    log(`A run could not be woken for its decision yet: ${messageOf(error)}`);

  async function send(key: AttemptKey): Promise<void> {
    const name = signalOf(key);
    if (!delivered.has(name) && (await signal(name))) delivered.add(name);
    // The signal may have been delivered before a kill, which has left the run asleep.
    else await wakeRun(key.executionId);
  }

  async function wakeAll(): Promise<void> {
    const keys = await store.unreadDecisions(batch);
    delivered = new Set(keys.map(signalOf).filter((name) => delivered.has(name)));
    if (keys.length === 0) return;
    for (const key of keys) await send(key);
    const areTaken = keys.every((key) => delivered.has(signalOf(key)));
    plan(areTaken ? lookAgainMs.taken : lookAgainMs.notTaken);
  }

  function plan(pause = lookAgainMs.notTaken): void {
    const at = performance.now() + pause;
    if (isStopped || at >= next) return;
    clearTimeout(timer);
    next = at;
    timer = setTimeout(() => {
      next = Infinity;
      wakeAll().catch((error: unknown) => {
        report(error);
        plan(lookAgainMs.failed);
      });
    }, pause);
  }

  return {
    async wake(key: AttemptKey): Promise<void> {
      await send(key).catch(report);
      plan();
    },
    wakeAll,
    stop(): void {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
