import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createReporter, type Reporter } from "./callbacks.ts";
import type { Database, Work } from "./database/database.ts";
import type { Deliveries } from "./deliveries.ts";
import type { AgentStep, Engine } from "./engine.ts";
import { messageOf } from "./errors.ts";
import type { FeedbackWebhook } from "./feedback-webhook.ts";
import type { Execution, StoredAttempt } from "./model.ts";
import { found, usageOf, type ExecutionStore, type Turn } from "./store.ts";

/** How often an attempt that fails is tried in all, unless it would fail in the same way again. */
export const tries = 3;

/** The pause before an attempt is tried again (ms). It is doubled each time. */
const retryMs = 500;

/** How often an attempt is begun in all. It is more than `tries`, because the service may restart for other reasons. */
const mostBegins = 10;

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
  /** Whether this process ends, or no longer has the execution's job: it begins nothing more. */
  readonly isStopping: () => boolean;
}

/** What an engine reports while it works, each as a change. */
interface Reports {
  readonly begin: () => Promise<void>;
  readonly step: (step: AgentStep) => Promise<void>;
}

/** An execution that has its turn, as it was read before its next step. */
export class Run {
  readonly parts: RunParts;
  readonly turn: Turn;
  readonly execution: Execution;
  readonly attempts: readonly StoredAttempt[];
  readonly reporter: Reporter;

  private constructor(
    parts: RunParts,
    turn: Turn,
    execution: Execution,
    attempts: readonly StoredAttempt[],
    reporter: Reporter,
  ) {
    this.parts = parts;
    this.turn = turn;
    this.execution = execution;
    this.attempts = attempts;
    this.reporter = reporter;
  }

  /** Undefined if the execution has ended. */
  static async read(turn: Turn, parts: RunParts): Promise<Run | undefined> {
    const view = await parts.store.view(turn.id);
    if (!view || view.execution.endedAt !== null) return undefined;
    const { execution, attempts } = view;
    const callbacks = await parts.store.callbacksOf(execution);
    const reporter = createReporter(execution, callbacks, parts.deliveries, () =>
      parts.database.now(),
    );
    return new Run(parts, turn, execution, attempts, reporter);
  }

  /** One change, which only who has the turn can make, and which outlasts a power cut. @throws {TurnLost} */
  async change<T>(work: () => Work<T>, isSynced = true): Promise<T> {
    const { database, store } = this.parts;
    const { turn } = this;
    const changed = await database.transaction(function* () {
      return (yield* store.holds(turn)) ? { result: yield* work() } : undefined;
    }, isSynced);
    if (!changed)
      throw new TurnLost(`The execution ${turn.id} has ended, or another process has it.`);
    return changed.result;
  }

  /** A change that a power cut may undo: what an engine reports while it works. @throws {TurnLost} */
  async report(work: () => Work<void>): Promise<void> {
    await this.change(work, false);
  }

  /** Ends the execution with its result. `also` is part of the change. */
  async complete(output: string, also?: () => Work<void>): Promise<void> {
    const { reporter } = this;
    await this.#end("completed", null, also, function* (ended) {
      yield* reporter.completed(ended, output, yield* usageOf(ended.id));
    });
  }

  /** Ends the execution. `also` is part of the change. */
  async fail(error: string, also?: () => Work<void>): Promise<void> {
    await this.#end("error", error, also, (ended) => this.reporter.failed(ended));
  }

  /**
   * Lets the engine work, and again if it fails and another try may help. Resolves to what it made, or why it failed for good.
   * @throws {TurnLost}
   */
  async attempt<T>(
    { executionId, taskIndex, attempt, begins, failures }: StoredAttempt,
    work: (reports: Reports) => Promise<T>,
  ): Promise<{ readonly made: T } | { readonly problem: string }> {
    const key = { executionId, taskIndex, attempt };
    const { store, engine } = this.parts;
    for (;;) {
      let [beginId, steps] = ["", 0];
      try {
        const made = await work({
          begin: async () => {
            if (begins >= mostBegins)
              throw new BegunTooOften(
                `It was begun ${mostBegins} times, and each time the service ended before it was done. Because each time can cost money, it isn't begun again.`,
              );
            await store.setCount("begins", key, (begins += 1));
            beginId = randomUUID();
          },
          step: (step) =>
            this.report(() => this.reporter.step(key, `${beginId} ${(steps += 1)}`, step)),
        });
        return { made };
      } catch (error) {
        await this.check(error);
        await store.setCount("failures", key, (failures += 1));
        const isFinal = error instanceof BegunTooOften || engine.isFinal?.(error) === true;
        if (isFinal || failures >= tries) return { problem: messageOf(error) };
        await sleep(retryMs * 2 ** (failures - 1));
      }
    }
  }

  async #end(
    state: Execution["state"],
    error: string | null,
    also: (() => Work<void>) | undefined,
    report: (ended: Execution) => Work<void>,
  ): Promise<void> {
    const { id } = this.turn;
    const { store } = this.parts;
    await this.change(function* () {
      if (also) yield* also();
      yield* store.close(id, state, error);
      const ended = yield* found(id);
      if (ended) yield* report(ended);
    });
  }

  /** @throws {TurnLost} if what failed is nothing that the execution did */
  async check(error: unknown): Promise<void> {
    if (error instanceof TurnLost) throw error;
    if (this.parts.isStopping()) throw new TurnLost("This process ends.");
    await this.change(function* () {});
  }
}
