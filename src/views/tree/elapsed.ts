import type { Clock } from "../../base/clock.ts";
import { hasEnded, type ExecutionSummary } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import { elapsedLabel } from "../labels.ts";

/** Milliseconds between updates. */
const interval = 10_000;

/** Updates elapsed times on rows while they are visible and something runs. */
export class ElapsedTimes {
  readonly #store: Pick<ExecutionStore, "summary">;
  readonly #clock: Clock;
  readonly #onChange: (executions: readonly ExecutionSummary[]) => void;
  /** Times on rows that still change, by local id. */
  readonly #shown = new Map<string, string | undefined>();
  #cancel: (() => void) | undefined;

  constructor(
    store: Pick<ExecutionStore, "summary">,
    clock: Clock,
    onChange: (executions: readonly ExecutionSummary[]) => void,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** An execution's row is shown as it is now. */
  show(localId: string): void {
    const execution = this.#running(localId);
    if (execution === undefined) return;
    this.#shown.set(localId, elapsedLabel(execution, this.#clock.now()));
    this.#cancel ??= this.#clock.after(interval, () => this.#update());
  }

  /** Starts or stops updating. */
  plan(isVisible: boolean): void {
    for (const localId of this.#shown.keys())
      if (this.#running(localId) === undefined) this.#shown.delete(localId);
    if (this.#shown.size === 0 || !isVisible) this.dispose();
    else this.#cancel ??= this.#clock.after(interval, () => this.#update());
  }

  dispose(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #update(): void {
    this.#cancel = undefined;
    const now = this.#clock.now();
    const changed = [...this.#shown].flatMap(([localId, label]) => {
      const execution = this.#running(localId);
      return execution !== undefined && elapsedLabel(execution, now) !== label ? [execution] : [];
    });
    if (changed.length > 0) this.#onChange(changed);
    this.plan(true);
  }

  #running(localId: string): ExecutionSummary | undefined {
    const execution = this.#store.summary(localId);
    return execution === undefined ||
      hasEnded(execution) ||
      execution.watchingStoppedAt !== undefined
      ? undefined
      : execution;
  }
}
