import { randomUUID } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { isRunning } from "../base/process.ts";
import type { Database } from "../store/database.ts";
import { integer, type Row, text } from "../store/row.ts";

/** A request that costs money and is sent at most once. */
export type Send =
  | { readonly kind: "kickoff"; readonly localId: string }
  | {
      readonly kind: "resume";
      readonly localId: string;
      readonly taskId: string;
      readonly attempt: number;
    };

/** Milliseconds after which no request can still be under way, whichever process has its sender's id by then. */
const longestRequest = 10 * 60_000;

/** Ids of the rows of which this process is sending the request right now. */
const underWay = new Set<string>();

/**
 * The rows of `sends`: requests that left, or were about to, and whose outcome is not recorded. Each is written in the transaction
 * that records its request, and deleted in the one that records its outcome. A kickoff without an answer keeps its row.
 */
export class Sends {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /**
   * Sends a request at most once. `record` runs in one transaction with the row: it looks whether the request was sent before, throws
   * then, and writes it down. Only when both are on disk, `leave` sends it. What throws before that has sent nothing.
   */
  async once<Recorded, Answer>(
    send: Send,
    record: () => Recorded,
    leave: (recorded: Recorded) => Promise<Answer>,
  ): Promise<Answer> {
    const id = randomUUID();
    underWay.add(id);
    try {
      const recorded = this.#database.write(() => {
        const recorded = record();
        this.#database.run(
          "INSERT INTO sends (local_id, kind, task_id, attempt, id, at, pid) VALUES (?, ?, ?, ?, ?, ?, ?)",
          ...keyOf(send),
          id,
          this.#clock.now(),
          process.pid,
        );
        return recorded;
      });
      return await leave(recorded);
    } finally {
      underWay.delete(id);
      this.#abandon(id);
    }
  }

  /** Records the outcome of a request and deletes its row, in one transaction. */
  settle<T>(send: Send, outcome: () => T): T {
    return this.#database.write(() => {
      this.#database.run(`DELETE FROM sends WHERE ${isKey}`, ...keyOf(send));
      return outcome();
    });
  }

  /** As `settle`, for a request that nobody is sending any more; does nothing for one that is under way. */
  settleLost(send: Send, outcome: () => void): void {
    this.#database.write(() => {
      if (!this.isUnderWay(send)) this.settle(send, outcome);
    });
  }

  /** Whether a request was sent, or was about to be, and its outcome is not recorded. */
  has(send: Send): boolean {
    return this.#rowOf(send) !== undefined;
  }

  /** Whether a request is being sent right now, in whichever window. */
  isUnderWay(send: Send): boolean {
    const row = this.#rowOf(send);
    return row !== undefined && this.#isSending(row);
  }

  /** The requests that are being sent right now, in whichever window. */
  underWay(): readonly Send[] {
    return this.#rows()
      .filter((row) => this.#isSending(row))
      .map(sendIn);
  }

  /** The requests that nobody is sending any more, and whose outcome is not recorded. */
  lost(): readonly Send[] {
    return this.#rows()
      .filter((row) => !this.#isSending(row))
      .map(sendIn);
  }

  /** Forgets all requests. Not to be called while something is being sent. */
  clear(): void {
    this.#database.run("DELETE FROM sends");
  }

  #rows(): readonly Row[] {
    return this.#database.all("SELECT * FROM sends");
  }

  #rowOf(send: Send): Row | undefined {
    return this.#database.get(`SELECT * FROM sends WHERE ${isKey}`, ...keyOf(send));
  }

  #isSending(row: Row): boolean {
    if (row["pid"] === null || this.#clock.now() - integer(row, "at") > longestRequest)
      return false;
    const pid = integer(row, "pid");
    return pid === process.pid ? underWay.has(text(row, "id")) : isRunning(pid);
  }

  /** Tells other windows that a request is under way no more, where its outcome could not be recorded. */
  #abandon(id: string): void {
    try {
      this.#database.run("UPDATE sends SET pid = NULL WHERE id = ?", id);
    } catch {
      // They see it when this process ends, or after the longest time of a request.
    }
  }
}

const isKey = "local_id = ? AND kind = ? AND task_id = ? AND attempt = ?";

function keyOf(send: Send): [string, string, string, number] {
  return send.kind === "kickoff"
    ? [send.localId, send.kind, "", 0]
    : [send.localId, send.kind, send.taskId, send.attempt];
}

function sendIn(row: Row): Send {
  const localId = text(row, "local_id");
  return text(row, "kind") === "kickoff"
    ? { kind: "kickoff", localId }
    : { kind: "resume", localId, taskId: text(row, "task_id"), attempt: integer(row, "attempt") };
}
