import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createReporter } from "./callbacks.ts";
import { addCall } from "./calls.ts";
import type { Database, Work } from "./database/database.ts";
import type { Deliveries } from "./deliveries.ts";
import type { Engine, Reports, TokenUsage } from "./engine.ts";
import { messageOf } from "./errors.ts";
import type { FeedbackWebhook } from "./feedback-webhook.ts";
import type { Attempt } from "./model.ts";
import type { AttemptOutcome } from "./operations/metrics.ts";
import { addQuestion, answerOf, currentRules, endQuestions, type Answer } from "./questions.ts";
import { attemptsOf, usageOf, type ExecutionStore, type Turn } from "./store.ts";

/** How often an attempt that fails is tried in all, unless it would fail in the same way again. */
export const tries = 3;

/** The pause before an attempt is tried again (ms). It is doubled each time. */
const retryMs = 500;

/** How long what an engine reports waits for what it reports next (ms), and how much of it may wait. */
const gatheringMs = 50;
const mostReported = 100;

/** How often an attempt is begun in all. It is more than `tries`, because the service may restart for other reasons. */
const mostBegins = 10;

/** How often to look for an answer whose notice was lost (ms). */
const lookMs = 2000;

/** An attempt was begun too often, and must not cost money again. */
class BegunTooOften extends Error {}

/** The execution has ended, another process has it, or this process ends: nothing more may be stored about it. */
export class TurnLost extends Error {}

export interface RunParts {
  readonly database: Database;
  readonly store: ExecutionStore;
  readonly deliveries: Deliveries;
  readonly engine: Engine;
  /** Undefined where no address for requests of flows is configured. */
  readonly webhook: FeedbackWebhook | undefined;
  /** Called after each attempt. It is stopped if the execution has ended meanwhile, another process has it, or this one ends. */
  readonly onAttempt: (outcome: AttemptOutcome, usage?: TokenUsage) => void;
  /** Whether this process ends, or no longer has the execution's job: it begins nothing more. */
  readonly isStopping: () => boolean;
}

/** An execution that has its turn, as it was read before its next step. */
export type Run = NonNullable<Awaited<ReturnType<typeof readRun>>>;

export async function readRun(turn: Turn, parts: RunParts) {
  const { database, store, deliveries, engine } = parts;
  const view = await store.view(turn.id);
  if (!view || view.execution.endedAt !== null) return undefined;
  const reporter = createReporter(view.execution, deliveries, database.now);

  let reported: (() => Work<void>)[] = [];
  let storing: Promise<void> | undefined;
  /** The last change: they are made in their order. */
  let last: Promise<unknown> = Promise.resolve();

  /**
   * One change, which only who has the turn can make, and which outlasts a power cut. It includes what was reported before.
   * @throws {TurnLost}
   */
  function change<T>(work: () => Work<T>, isSynced = true): Promise<T> {
    const changing = last.then(() => changeNow(work, isSynced));
    last = changing.catch(() => undefined);
    return changing;
  }

  async function changeNow<T>(work: () => Work<T>, isSynced: boolean): Promise<T> {
    const before = reported;
    reported = [];
    const together = function* () {
      if (!(yield* store.holds(turn))) return undefined;
      for (const one of before) yield* one();
      return { made: yield* work() };
    };
    const changed = await database.transaction(together, isSynced).catch((error: unknown) => {
      reported = [...before, ...reported];
      throw error;
    });
    if (!changed)
      throw new TurnLost(`The execution ${turn.id} has ended, or another process has it.`);
    return changed.made;
  }

  /** Stores what an engine reports while it works, together with what it reports soon after. A power cut may undo it. */
  async function report(work: () => Work<void>): Promise<void> {
    if (reported.push(work) === 1) storing = storeReported();
    if (reported.length >= mostReported) await storing;
  }

  /** Never rejects: what can't be stored now is part of the next change, which says so. */
  async function storeReported(): Promise<void> {
    await sleep(gatheringMs);
    if (reported.length > 0) await change(function* () {}, false).catch(() => undefined);
  }

  /** @throws {TurnLost} if what failed is nothing that the execution did */
  async function check(error: unknown): Promise<void> {
    if (error instanceof TurnLost) throw error;
    if (parts.isStopping()) throw new TurnLost("This process ends.");
    await change(function* () {});
  }

  /** Of what an attempt asked. @throws {TurnLost} if the attempt has ended, or nobody may work for the execution any longer */
  async function answerTo(id: string): Promise<Answer> {
    for (;;) {
      const { promise: noticed, resolve: wake } = Promise.withResolvers<undefined>();
      const stopListening = database.onNotice((notice) => {
        if ("executionId" in notice && notice.executionId === turn.id) wake(undefined);
      });
      try {
        const answer = await change(() => answerOf(turn.id, id), false);
        if (answer) return answer;
        if (answer === null || parts.isStopping())
          throw new TurnLost("Nobody waits for an answer.");
        await Promise.race([noticed, sleep(lookMs)]);
      } finally {
        stopListening();
      }
    }
  }

  const { rules } = view.execution;
  // A process before this one may have asked.
  if (rules) await change(() => endQuestions(turn.id));

  return {
    ...view,
    ...{ parts, reporter, change, report, check },

    /** Ends the execution with its output, or an error. `also` is part of the change. */
    async end(
      { output = "", error }: { readonly output?: string; readonly error?: string },
      also: () => Work<unknown> = function* () {},
    ): Promise<void> {
      await change(function* () {
        yield* also();
        yield* store.close(turn.id, error === undefined ? "completed" : "error", error ?? null);
        const ended = yield* store.found(turn.id);
        if (!ended) return;
        const shown = { execution: ended, attempts: yield* attemptsOf(ended.id) };
        if (error === undefined) yield* reporter.completed(shown, output, yield* usageOf(ended.id));
        else yield* reporter.failed(ended);
        yield* store.forgetCallbacks(turn.id);
      });
    },

    /**
     * Lets the engine work, and again if it fails and another try may help. Resolves to what it made, or why it failed for good.
     * @throws {TurnLost}
     */
    async attempt<T extends { readonly usage?: TokenUsage }>(
      { executionId, taskIndex, taskId, attempt, state, begins, failures }: Attempt,
      work: (reports: Omit<Reports, "event">) => Promise<T>,
    ): Promise<{ readonly made: T } | { readonly problem: string }> {
      const key = { executionId, taskIndex, attempt };
      for (;;) {
        let [beginId, steps, calls] = ["", 0, 0];
        try {
          const made = await work({
            begin: async () => {
              if (begins >= mostBegins)
                throw new BegunTooOften(
                  `It was begun ${mostBegins} times, and each time the service ended before it was done. Because each time can cost money, it isn't begun again.`,
                );
              await store.setCount("begins", key, (begins += 1));
              beginId = randomUUID();
              if (rules) await change(() => endQuestions(executionId));
              return await database.query(currentRules(executionId, rules));
            },
            step: (step) => {
              // Once, because the change may be tried again.
              const name = `${beginId} ${(steps += 1)}`;
              return report(() => reporter.step(key, name, step));
            },
            call: (call) => {
              const ordinal = (calls += 1);
              const place = { executionId, taskId, attempt, state, begin: beginId, ordinal };
              return report(() => addCall(place, call));
            },
            ask: async (question) => {
              const [id, place] = [randomUUID(), { executionId, taskId, attempt }];
              await change(function* () {
                yield* reporter.asks(yield* addQuestion(id, place, question));
              });
              return await answerTo(id);
            },
          });
          parts.onAttempt("completed", made.usage);
          return { made };
        } catch (error) {
          await check(error).catch((lost: unknown) => {
            parts.onAttempt("stopped");
            throw lost;
          });
          parts.onAttempt("failed");
          await store.setCount("failures", key, (failures += 1));
          const isFinal = error instanceof BegunTooOften || engine.isFinal?.(error) === true;
          if (isFinal || failures >= tries) return { problem: messageOf(error) };
          await sleep(retryMs * 2 ** (failures - 1));
        }
      }
    },
  };
}
