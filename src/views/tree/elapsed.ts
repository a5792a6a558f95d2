import type { Clock } from "../../base/clock.ts";
import { hasEnded, type ExecutionSummary } from "../../executions/model.ts";
import { elapsedInWords } from "../words.ts";

/** Milliseconds between two looks at elapsed times. */
const step = 10_000;

/** What {@link ElapsedTimes} needs. */
export interface ElapsedOptions {
  readonly clock: Clock;
  readonly find: (localId: string) => ExecutionSummary | undefined;
  /** Whether anybody can see the rows. */
  readonly isSeen: () => boolean;
  /** Hears of executions whose elapsed time reads differently now. */
  readonly onMoved: (executions: readonly ExecutionSummary[]) => void;
}

/** Moves elapsed times on rows: slowly, while they are seen and something is under way. */
export class ElapsedTimes {
  readonly #options: ElapsedOptions;
  /** Times that still move, as they stand on the rows, by local id. */
  readonly #shown = new Map<string, string | undefined>();
  #stop: (() => void) | undefined;

  constructor(options: ElapsedOptions) {
    this.#options = options;
  }

  /** An execution's row is shown as it is now. */
  show(localId: string): void {
    const execution = this.#options.find(localId);
    if (execution === undefined || standsStill(execution)) return;
    this.#shown.set(localId, elapsedInWords(execution, this.#options.clock.now()));
    this.plan();
  }

  /** An execution changed or is no longer tracked: its time may stand still from now on. */
  follow(localId: string): void {
    const execution = this.#options.find(localId);
    if (execution === undefined || standsStill(execution)) this.#shown.delete(localId);
  }

  /** Begins to look, or stops, as it is needed now. */
  plan(): void {
    const { clock, isSeen } = this.#options;
    if (this.#shown.size === 0 || !isSeen()) this.dispose();
    else this.#stop ??= clock.after(step, () => this.#look());
  }

  dispose(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #look(): void {
    const { clock, find, onMoved } = this.#options;
    this.#stop = undefined;
    const moved: ExecutionSummary[] = [];
    for (const [localId, words] of this.#shown) {
      const execution = find(localId);
      if (execution !== undefined && elapsedInWords(execution, clock.now()) !== words)
        moved.push(execution);
    }
    onMoved(moved);
    this.plan();
  }
}

function standsStill(execution: ExecutionSummary): boolean {
  return hasEnded(execution) || execution.watchingStoppedAt !== undefined;
}
