import type { Clock } from "../base/clock.ts";

/** Ends one request: by its time-out, body included, or by the caller's signal. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #cancelTimer: () => void;
  readonly #caller: AbortSignal | undefined;
  #ended: "timeout" | "aborted" | undefined;

  constructor(clock: Clock, milliseconds: number, caller: AbortSignal | undefined) {
    this.#caller = caller;
    this.#cancelTimer = clock.after(milliseconds, () => this.#end("timeout"));
    caller?.addEventListener("abort", this.#onAbort);
    if (caller?.aborted) this.#onAbort();
  }

  /** Aborts when the request has to end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the request had to end; nothing while it may go on. */
  get ended(): "timeout" | "aborted" | undefined {
    return this.#ended;
  }

  /** Lets go of timer and caller, and of a connection that is still open. */
  dispose(): void {
    this.#cancelTimer();
    this.#caller?.removeEventListener("abort", this.#onAbort);
    this.#controller.abort();
  }

  readonly #onAbort = (): void => {
    this.#end("aborted");
  };

  #end(cause: "timeout" | "aborted"): void {
    this.#ended ??= cause;
    this.#controller.abort();
  }
}
