import { randomUUID } from "node:crypto";
import { hashOf } from "../base/bearer.ts";
import { defined, textAt } from "../base/json.ts";
import { text } from "../base/sqlite.ts";
import type { CrewProject } from "../projects/types.ts";
import { auditOf, note, type Actor, type AuditEntry } from "./audit.ts";
import { createReporter, mayHaveArrived } from "./callbacks.ts";
import { callOf, callsOf, recordingOf } from "./calls.ts";
import { change, row, type Database } from "./database/database.ts";
import type { Deliveries } from "./deliveries.ts";
import type { Dialect, Resumed } from "./dialects.ts";
import { ApiError, unknownExecution } from "./errors.ts";
import { activityOf } from "./events.ts";
import { answerTo } from "./flow-answers.ts";
import type { Jobs } from "./jobs.ts";
import {
  isQueued,
  type Attempt,
  type AttemptKey,
  type Caller,
  type Decision,
  type Execution,
  type ExecutionView,
  type StatusView,
} from "./model.ts";
import { answerQuestion, questionsOf, textOf, type HeldCall, type Rules } from "./questions.ts";
import type { Kickoff, Resume } from "./requests.ts";
import { outputsToKeep } from "./run-again.ts";
import { sharing } from "./sharing.ts";
import { countAtWork, placeOf, usageOf, type Beginning, type ExecutionStore } from "./store.ts";

/** How long an approval waits for the end of the execution, to answer `completed` (ms). */
const endWaitMs = 1000;

export type Executions = ReturnType<typeof createExecutions>;

interface ExecutionsParts {
  readonly database: Database;
  readonly store: ExecutionStore;
  readonly deliveries: Deliveries;
  readonly jobs: Jobs;
  /** Ends an execution for good. Resolves to whether it had not ended. */
  readonly stop: (executionId: string, actor: Actor) => Promise<boolean>;
  readonly crew: string;
  readonly isOwn: (execution: Execution) => boolean;
  readonly dialect: Dialect;
  /** How many executions of the crew may be queued or running, in all processes together. */
  readonly mostAtWork: number;
  /** Called when a person has decided about an output. @param waited how long it had waited (ms) */
  readonly onDecided?: ((waited: number) => void) | undefined;
}

/** `Retry-After` of a kickoff that is refused because the crew has too many executions (s). */
const fullSeconds = 10;

export function createExecutions(parts: ExecutionsParts) {
  const { database, store, deliveries, jobs, crew, isOwn, dialect, mostAtWork } = parts;
  let beginnings: Beginning[] = [];
  /** Kickoffs that come while others are stored share the next change. Resolves to the IDs of those that began. */
  const begin = sharing(() => {
    const together = beginnings;
    beginnings = [];
    return database.transaction(function* () {
      // Changes at the same moment may exceed it.
      const room = mostAtWork - (mostAtWork < Infinity ? yield* countAtWork(crew, mostAtWork) : 0);
      const added = yield* store.add(together.slice(0, room));
      if (added.size > 0) yield* jobs.add(crew, ...added);
      return added;
    }, true);
  });

  /** The execution that this request has started already. @throws {ApiError} 422 if its key came with another body */
  async function startedWith({ key, body }: KickoffKey): Promise<string | undefined> {
    const started = await database.transaction(function* () {
      // An older one has given its key back.
      yield* change(
        "UPDATE executions SET kickoff_key = NULL WHERE kickoff_key = ? AND created_at <= ?",
        ...[key, database.now() - repeatedMs],
      );
      const sql = "SELECT id, kickoff_body AS body FROM executions WHERE kickoff_key = ?";
      return yield* row(sql, key);
    });
    if (started && text(started, "body") !== body) {
      const message = "This Idempotency-Key came with another request before. Send a new one";
      throw new ApiError(422, message);
    }
    return started && text(started, "id");
  }

  async function find(id: string) {
    const view = await store.view(id);
    return view && isOwn(view.execution) ? view : undefined;
  }

  /**
   * Whether somebody can have seen the output. A resume names a task, not an attempt: of two that reject an output at once,
   * the second must not decide about the next output.
   */
  async function canBeSeen(waiting: Attempt): Promise<boolean> {
    const { attempt, shown, finishedAt, startedAt } = waiting;
    // There is no earlier output to decide about.
    if (attempt === 1 || shown === 1) return true;
    if (database.now() - (finishedAt ?? startedAt) >= assumedSeenMs) return true;
    return await mayHaveArrived(waiting, deliveries);
  }

  async function readable(id: string, caller: Caller): Promise<Execution> {
    const found = await find(id);
    if (!found) throw unknownExecution(id);
    authorise(found.execution, caller);
    return found.execution;
  }

  return {
    startedWith,

    /** Resolves to its ID when a copy of the crew is stored and the run has started. @throws {ApiError} */
    async kickoff(
      project: CrewProject,
      caller: Caller,
      { runAgain, ...kickoff }: Kickoff,
      key?: KickoffKey,
    ): Promise<string> {
      const earlier = runAgain && (await find(runAgain.execution_id.toLowerCase()));
      if (runAgain && !earlier) throw new ApiError(400, "The execution to run again is unknown");
      if (earlier) authorise(earlier.execution, caller);
      const kept = earlier ? outputsToKeep(earlier, project, runAgain) : null;
      const id = randomUUID();
      const createdAt = database.now();
      beginnings.push({ id, owner: caller.owner, crew, project, ...kickoff, kept, createdAt, key });
      if ((await begin()).has(id)) return id;
      // The same request may arrive twice at once.
      const begun = key && (await startedWith(key));
      if (begun === undefined) throw tooMany(mostAtWork);
      return begun;
    },

    async view(id: string, caller: Caller): Promise<StatusView | undefined> {
      const view = await find(id);
      if (!view) return undefined;
      const { execution, attempts } = view;
      authorise(execution, caller);
      const waiting = attempts.find(({ state }) => state === "waiting");
      if (waiting && !(await canBeSeen(waiting))) await store.setShown(waiting);
      const isDecided = attempts.some(({ decidedAt }) => decidedAt !== null);
      const [activity, usage, place, undelivered, audit, calls] = await Promise.all([
        database.query(activityOf(execution.id)),
        database.query(usageOf(execution.id)),
        isQueued(view) ? database.query(placeOf(execution)) : undefined,
        deliveries.undelivered(execution.id, caller.type === "bearer"),
        isDecided ? database.query(auditOf(execution)) : [],
        execution.endedAt === null ? heldCallsOf(execution) : [],
      ]);
      const decisions = audit
        .filter(({ task_id }) => task_id !== undefined)
        .map((entry) => defined({ ...entry, feedback: undefined }));
      const heldCall = calls.find(({ answer }) => answer === undefined);
      const expected = execution.endedAt === null ? undefined : execution.rules?.test;
      const test = expected && (await testResultOf(view, expected, usage));
      return { ...view, activity, usage, place, undelivered, decisions, heldCall, test };
    },

    /**
     * Stores a person's decision about the waiting task, or about a call that waits. Refuses one about an output that nobody
     * can know of.
     * @throws {ApiError} 404 for an unknown execution or task, 403, 400 if the task doesn't wait
     */
    async resume(resume: Resume, caller: Caller): Promise<Resumed> {
      const { executionId, taskId, isAnswer, isApprove, ...given } = resume;
      // Bodies of these errors: vendor's OpenAPI file.
      const { execution, attempts } = (await find(executionId)) ?? {};
      if (!execution) throw new ApiError(404, "Execution ID not found");
      authorise(execution, caller);
      const held = (await heldCallsOf(execution)).find(({ callId }) => callId === taskId);
      if (held) {
        if (held.answer !== undefined) throw notWaiting();
        // Without an answer, so that the call doesn't go on before the stop.
        if (held.question.kind === "budget" && !isApprove) await this.stop(executionId, caller);
        else await answerCall(execution, held, resume, caller.owner);
        const alias = dialect.renames ? execution.id : undefined;
        return { isRetried: false, ended: false, alias };
      }
      const { tasks } = execution.project;
      if (!tasks.some(({ id }) => id === taskId)) throw new ApiError(404, "Task ID not found");
      const waiting = attempts?.find((one) => one.taskId === taskId && one.state === "waiting");
      if (!waiting || !(await canBeSeen(waiting))) throw notWaiting();
      const alias = dialect.renames ? randomUUID() : undefined;
      const isFlow = waiting.review?.pause !== undefined;
      const verdict = isFlow && isAnswer ? undefined : isApprove;
      await decide(execution, waiting, { ...given, isApprove: verdict }, caller.owner, alias);
      const isLast = isApprove && waiting.taskIndex === tasks.length - 1;
      const ended = isLast && (await store.waitForEnd(execution.id, endWaitMs));
      return { isRetried: !isApprove && !isFlow, ended, alias };
    },

    /** Answers a request of the feedback webhook, once. @throws {ApiError} 400 */
    async answer(key: AttemptKey, feedback: string): Promise<void> {
      const { execution, attempts } = (await find(key.executionId)) ?? {};
      const waiting = attempts?.find(
        ({ state, taskIndex, attempt }) =>
          state === "waiting" && taskIndex === key.taskIndex && attempt === key.attempt,
      );
      if (!execution || !waiting) throw notWaiting();
      const { callbacks } = execution;
      await decide(execution, waiting, { feedback, callbacks, isApprove: undefined }, "webhook");
    },

    async calls(id: string, caller: Caller) {
      return await database.query(callsOf((await readable(id, caller)).id));
    },

    async call(id: string, number: number, caller: Caller) {
      const call = await database.query(callOf((await readable(id, caller)).id, number));
      if (call) return call;
      throw new ApiError(404, `The execution keeps no call with the number ${number}`);
    },

    async recording(id: string, caller: Caller) {
      return await database.query(recordingOf((await readable(id, caller)).id));
    },

    async audit(id: string, { type }: Caller): Promise<readonly AuditEntry[]> {
      if (type !== "bearer")
        throw new ApiError(403, "Only the organization's token reads the audit");
      const found = await find(id);
      if (!found) throw unknownExecution(id);
      return await database.query(auditOf(found.execution));
    },

    async stop(id: string, caller: Caller): Promise<void> {
      const execution = await readable(id, caller);
      if (await parts.stop(execution.id, caller.owner)) return;
      // Published with the route (vendor's pull request 5208).
      const status = dialect.status(id, await this.view(id, caller));
      const message = `Cannot stop execution. Current state: ${textAt(status, "state", "status")}`;
      throw new ApiError(400, message);
    },
  };

  async function testResultOf(
    view: ExecutionView,
    test: NonNullable<Rules["test"]>,
    usage: StatusView["usage"],
  ) {
    const { resultOf } = await import("./testing/expectations.ts");
    return await database.query(resultOf(view, test, usage));
  }

  /** Only of an attempt that is under way, one waits. */
  async function heldCallsOf({ id, rules, phase }: Execution): Promise<readonly HeldCall[]> {
    return rules && phase === "running" ? await database.query(questionsOf(id)) : [];
  }

  async function answerCall(
    execution: Execution,
    held: HeldCall,
    { isApprove, isForRun, feedback: words }: Resume,
    actor: Actor,
  ): Promise<void> {
    const { id } = execution;
    const { now } = database;
    const answer = { isApprove, isForRun, words };
    const isAnswered = await database.transaction(function* () {
      if (!(yield* store.goesOn(id)) || !(yield* answerQuestion(id, held.callId, answer)))
        return false;
      const attempt = { taskId: held.callId, attempt: held.attempt, output: textOf(held) };
      const action = isApprove ? "approve" : "reject";
      yield* note(id, { action, actor, at: now(), decision: { attempt, feedback: words } });
      yield* createReporter(execution, deliveries, now).answered(held, answer);
      return true;
    }, true);
    if (!isAnswered) throw notWaiting();
  }

  /** @throws {ApiError} 400 if somebody else has decided about the attempt, or if a flow can't continue like this */
  async function decide(
    execution: Execution,
    waiting: Attempt,
    decision: Decision,
    actor: Actor,
    alias?: string,
  ): Promise<void> {
    const { id } = execution;
    const { feedback, callbacks } = decision;
    const { pause } = waiting.review ?? {};
    const answer = pause && answerTo(pause, feedback, decision.isApprove);
    const { isApprove, outcomes } = answer ?? { ...decision, outcomes: null };
    const review = answer ? { pause, answer } : isApprove === true ? waiting.review : undefined;
    const state = isApprove === false ? "rejected" : review?.draft ? "finishing" : "approved";
    const { now } = database;
    const reporter = createReporter({ ...execution, callbacks }, deliveries, now);
    const isDecided = await database.transaction(function* () {
      if (!(yield* store.decide(waiting, decision, { state, review }, alias))) return false;
      const action = isApprove === undefined ? "answer" : isApprove ? "approve" : "reject";
      yield* note(id, { action, actor, at: now(), decision: { attempt: waiting, feedback } });
      yield* reporter.decided(waiting, isApprove, feedback, {
        ...(pause && { method_name: waiting.taskId }),
        ...(outcomes?.length === 1 && { outcome: outcomes[0] ?? "" }),
      });
      if (!pause && state === "approved")
        yield* reporter.taskCompleted(waiting, waiting.output ?? "");
      yield* jobs.add(execution.crew, id);
      return true;
    }, true);
    if (!isDecided) throw notWaiting();
    parts.onDecided?.(database.now() - (waiting.finishedAt ?? waiting.startedAt));
  }
}

function tooMany(most: number): ApiError {
  const message = `The crew already has ${most} executions that are queued or running. Try again in ${fullSeconds} s`;
  return new ApiError(429, message, { retryAfter: fullSeconds });
}

function notWaiting(): ApiError {
  return new ApiError(400, "Execution is not in pending human input state");
}

function authorise(execution: Execution, caller: Caller): void {
  if (caller.type === "bearer" || execution.owner === caller.owner) return;
  const message = "The user token has access only to executions that it started";
  throw new ApiError(403, message);
}

/** An output counts as seen after this time, which is longer than a request takes (ms). On a busy disk, some took more than a second. */
const assumedSeenMs = 5000;

/** How long a client may repeat a kickoff (ms). */
const repeatedMs = 86_400_000;

/** By what a repeat of a kickoff is recognised: hashes. */
export interface KickoffKey {
  readonly key: string;
  readonly body: string;
}

/** @param header `Idempotency-Key` @param crew its path. Undefined without the header */
export function kickoffKey(
  header: string | undefined,
  { owner }: Caller,
  crew: string,
  body: string,
): KickoffKey | undefined {
  return header
    ? { key: hashOf(JSON.stringify([owner, crew, header])), body: hashOf(body) }
    : undefined;
}
