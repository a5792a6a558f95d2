import { randomUUID } from "node:crypto";
import { type Disposable, Emitter } from "../base/events.ts";
import { messageOf, type ProblemLog } from "../base/errors.ts";
import type { KickoffRequest } from "../api/types.ts";
import type { TestKickoff } from "../base/window-protocol.ts";
import type { BatchCell, ExecutionSummary } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { approved } from "../executions/resumes.ts";
import { type CrewToStart, MaybeStartedError } from "./kickoff.ts";
import type { Senders } from "./senders.ts";

/** How many executions of a batch run at a time. */
export const mostAtOnce = 10;

export interface BatchRow {
  readonly label: string;
  readonly request: KickoffRequest;
  /** What is said about its outputs, without a person. */
  readonly answers?: TestKickoff["answers"];
}

/** What is left of a batch. Only its window knows it. */
export interface Batch {
  readonly name: string;
  readonly left: readonly (BatchRow & Pick<BatchCell, "row">)[];
  readonly isSending: boolean;
  readonly problem?: string | undefined;
}

interface Started extends Batch {
  readonly crew: CrewToStart;
  readonly answers: readonly BatchRow["answers"][];
  left: Batch["left"];
  isSending: boolean;
  problem?: string | undefined;
  /** Resolves when the last kickoff before a stop was sent. */
  sent: Promise<void>;
}

interface BatchesOptions {
  readonly sending: Pick<Senders, "send" | "giveFeedback">;
  readonly store: Pick<ExecutionStore, "find" | "list" | "onDidChange">;
  readonly log: ProblemLog;
}

/** Kicks off a crew for many rows, a few at a time. Each is sent once; after a problem, a person says whether the others follow. */
export class Batches implements Disposable {
  readonly #options: BatchesOptions;
  readonly #started = new Map<string, Started>();
  readonly #changed: Emitter<string>;
  readonly onDidChange: Emitter<string>["event"];
  readonly #subscription: Disposable;
  readonly #answered = new Set<string>();

  constructor(options: BatchesOptions) {
    this.#options = options;
    this.#changed = new Emitter((error) => options.log.problem("Showing a batch failed.", error));
    this.onDidChange = this.#changed.event;
    this.#subscription = options.store.onDidChange(({ changed }) => {
      for (const execution of changed) this.#answer(execution);
    });
  }

  /** Undefined if another window has started it, or this one before it was reloaded. */
  find(id: string): Batch | undefined {
    return this.#started.get(id);
  }

  start(crew: CrewToStart, name: string, rows: readonly BatchRow[]): string {
    const id = randomUUID();
    const left = rows.map((row, at) => ({ ...row, row: at + 1 }));
    const answers = rows.map((row) => row.answers);
    const sent = Promise.resolve();
    this.#started.set(id, { crew, name, left, answers, isSending: false, sent });
    this.goOn(id);
    return id;
  }

  /** Resolves when all rows were sent, or a stop or a problem came before. */
  async whenSent(id: string): Promise<void> {
    await this.#started.get(id)?.sent;
  }

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
    this.#subscription.dispose();
    for (const batch of this.#started.values()) batch.isSending = false;
  }

  async #send(id: string, batch: Started): Promise<void> {
    const { sending } = this.#options;
    while (this.#isWanted(id) && batch.left.length > 0) {
      await this.#untilRoom(id);
      const [next, ...left] = batch.left;
      // While it waited for room, a person may have stopped it.
      if (!this.#isWanted(id) || next === undefined) break;
      const { label, row, request } = next;
      batch.left = left;
      try {
        const cell = { id, name: batch.name, row, label };
        await sending.send(batch.crew, request, { batch: cell });
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

  /** As its row says; other outputs are approved. */
  #answer({ localId, batch, waiting, resumes }: ExecutionSummary): void {
    const answers = batch && this.#started.get(batch.id)?.answers[batch.row - 1];
    if (!answers || !waiting || waiting.call) return;
    const { taskId } = waiting;
    const output = JSON.stringify([localId, taskId, waiting.attempt]);
    const execution = this.#options.store.find(localId);
    if (this.#answered.has(output) || !execution) return;
    this.#answered.add(output);
    const before = resumes.filter((one) => one.taskId === taskId).length;
    const answer = answers[taskId]?.[before] ?? { approve: "" };
    const isApprove = "approve" in answer;
    const text = isApprove ? answer.approve || approved : answer.reject;
    this.#options.sending
      .giveFeedback({ execution, taskId, isApprove, text })
      .catch((error: unknown) => this.#options.log.problem("An answer was not sent.", error));
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
