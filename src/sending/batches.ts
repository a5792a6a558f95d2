import { randomUUID } from "node:crypto";
import { messageOf } from "../base/errors.ts";
import { type Disposable, Emitter } from "../base/events.ts";
import type { ProblemLog } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { BatchCell } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { type CrewToStart, MaybeStartedError } from "./kickoff.ts";
import type { Senders } from "./senders.ts";

/** How many executions of a batch run at a time. */
export const mostAtOnce = 10;

/** What is left of a batch. Only its window knows it. */
export interface Batch {
  readonly name: string;
  readonly left: readonly (Pick<BatchCell, "row" | "label"> & { readonly inputs: JsonObject })[];
  readonly isSending: boolean;
  /** Why it stopped. */
  readonly problem?: string | undefined;
}

interface Started extends Batch {
  readonly crew: CrewToStart;
  left: Batch["left"];
  isSending: boolean;
  problem?: string | undefined;
  /** Resolves when the last kickoff before a stop was sent. */
  sent: Promise<void>;
}

interface BatchesOptions {
  readonly sending: Pick<Senders, "send">;
  readonly store: Pick<ExecutionStore, "list" | "onDidChange">;
  readonly log: ProblemLog;
}

/** Kicks off a crew for many rows, a few at a time. Each is sent once; after a problem, a person says whether the others follow. */
export class Batches implements Disposable {
  readonly #options: BatchesOptions;
  readonly #started = new Map<string, Started>();
  readonly #changed: Emitter<string>;
  readonly onDidChange: Emitter<string>["event"];

  constructor(options: BatchesOptions) {
    this.#options = options;
    this.#changed = new Emitter((error) => options.log.problem("Showing a batch failed.", error));
    this.onDidChange = this.#changed.event;
  }

  /** Undefined if another window has started it, or this one before it was reloaded. */
  find(id: string): Batch | undefined {
    return this.#started.get(id);
  }

  /** Returns its ID. */
  start(
    crew: CrewToStart,
    name: string,
    rows: readonly { readonly label: string; readonly inputs: JsonObject }[],
  ): string {
    const id = randomUUID();
    const left = rows.map((row, at) => ({ ...row, row: at + 1 }));
    this.#started.set(id, { crew, name, left, isSending: false, sent: Promise.resolve() });
    this.goOn(id);
    return id;
  }

  /** What was sent goes on. */
  stop(id: string): void {
    const batch = this.#started.get(id);
    if (batch) batch.isSending = false;
    this.#changed.fire(id);
  }

  goOn(id: string): void {
    const batch = this.#started.get(id);
    if (!batch || batch.isSending) return;
    batch.isSending = true;
    batch.problem = undefined;
    batch.sent = batch.sent.then(() => this.#send(id, batch));
    this.#changed.fire(id);
  }

  dispose(): void {
    for (const batch of this.#started.values()) batch.isSending = false;
  }

  /** Never rejects. */
  async #send(id: string, batch: Started): Promise<void> {
    const { sending } = this.#options;
    while (this.#isWanted(id) && batch.left.length > 0) {
      await this.#untilRoom(id);
      const [next, ...left] = batch.left;
      // While it waited for room, a person may have stopped it.
      if (!this.#isWanted(id) || next === undefined) break;
      const { inputs, ...cell } = next;
      batch.left = left;
      try {
        const of = { id, name: batch.name, ...cell };
        await sending.send(batch.crew, { inputs }, { batch: of });
      } catch (error) {
        // What may have started is tracked.
        if (!(error instanceof MaybeStartedError)) batch.left = [next, ...left];
        batch.problem = messageOf(error);
        batch.isSending = false;
      }
      this.#changed.fire(id);
    }
    if (batch.left.length === 0) batch.isSending = false;
    this.#changed.fire(id);
  }

  #isWanted(id: string): boolean {
    return this.#started.get(id)?.isSending === true;
  }

  async #untilRoom(id: string): Promise<void> {
    const { store } = this.#options;
    const hasRoom = () =>
      !this.#isWanted(id) ||
      store.list().filter(({ batch: of, state }) => of?.id === id && atWork.has(state)).length <
        mostAtOnce;
    if (hasRoom()) return;
    await new Promise<void>((resolve) => {
      const look = () => {
        if (!hasRoom()) return;
        for (const subscription of subscriptions) subscription.dispose();
        resolve();
      };
      const subscriptions = [store.onDidChange(look), this.onDidChange(look)];
    });
  }
}

const atWork: ReadonlySet<string> = new Set(["queued", "running"]);
