import { randomUUID } from "node:crypto";
import * as l10n from "@vscode/l10n";
import type { Clock } from "../base/clock.ts";
import { UserError } from "../base/errors.ts";
import { isRunning } from "../base/process.ts";
import { isStopping, type ExecutionSummary } from "../executions/model.ts";
import { withoutOldStop } from "../executions/reduce.ts";
import { resumeUnanswered, type ResumeTarget } from "../executions/resumes.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Database } from "../store/database.ts";
import { integer, type Row, text } from "../base/sqlite.ts";

/** A request that costs money and is sent at most once. */
export type Send =
  | { readonly kind: "kickoff"; readonly localId: string }
  | ({ readonly kind: "resume"; readonly localId: string } & ResumeTarget);

/** After this time a process with the same ID is another one (ms). */
const longestRequest = 10 * 60_000;

const underWay = new Set<string>();

/**
 * Requests that may have been sent and whose outcome is not recorded. A row is written and deleted
 * in the transactions that record its request and outcome. A kickoff without an answer keeps its
 * row.
 */
export class Sends {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /**
   * Sends at most once. `record` runs in one transaction with the row, and throws if the request
   * was sent before. `post` sends it when both are on disk.
   */
  async once<Recorded, Answer>(
    send: Send,
    record: () => Recorded,
    post: (recorded: Recorded) => Promise<Answer>,
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
      return await post(recorded);
    } finally {
      underWay.delete(id);
      try {
        this.#database.run("UPDATE sends SET pid = NULL WHERE id = ?", id);
      } catch {
        // Other windows notice when this process ends, or after `longestRequest`.
      }
    }
  }

  /** Records an outcome and deletes the request's row, in one transaction. */
  settle<T>(send: Send, outcome: () => T): T {
    return this.#database.write(() => {
      this.#database.run(`DELETE FROM sends WHERE ${isKey}`, ...keyOf(send));
      return outcome();
    });
  }

  /** As `settle`, but does nothing while the request is being sent. */
  settleLost(send: Send, outcome: () => void): void {
    this.#database.write(() => {
      if (!this.isUnderWay(send)) this.settle(send, outcome);
    });
  }

  has(send: Send): boolean {
    return this.#rowOf(send) !== undefined;
  }

  isUnderWay(send: Send): boolean {
    const row = this.#rowOf(send);
    return row !== undefined && this.#isSending(row);
  }

  underWay(): readonly Send[] {
    return this.#all({ areSending: true });
  }

  /** Requests that nobody is sending any more. */
  lost(): readonly Send[] {
    return this.#all({ areSending: false });
  }

  /** Forgets all requests. @throws UserError while a window sends one of a tracked execution */
  clear(): void {
    const tracked = "SELECT sends.* FROM sends JOIN executions USING (local_id)";
    if (this.#database.all(tracked).some((row) => this.#isSending(row)))
      throw new UserError(
        l10n.t(
          "Another window has begun to send a request, and the outcome must be stored. Try again when it is sent.",
        ),
      );
    this.#database.run("DELETE FROM sends");
  }

  #all({ areSending }: { readonly areSending: boolean }): readonly Send[] {
    const rows = this.#database.all("SELECT * FROM sends");
    return rows.filter((row) => this.#isSending(row) === areSending).map(sendIn);
  }

  #rowOf(send: Send): Row | undefined {
    return this.#database.get(`SELECT * FROM sends WHERE ${isKey}`, ...keyOf(send));
  }

  #isSending(row: Row): boolean {
    if (row["pid"] === null) return false;
    const pid = integer(row, "pid");
    // This process knows, also after the computer slept.
    if (pid === process.pid) return underWay.has(text(row, "id"));
    return this.#clock.now() - integer(row, "at") <= longestRequest && isRunning(pid);
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

/**
 * Marks feedback as unanswered if its sender is gone. A kickoff is `unconfirmed` until it is
 * answered. May run in any window at any time.
 */
export function recoverSends({
  store,
  sends,
}: {
  readonly store: Pick<ExecutionStore, "list" | "summary" | "update" | "refresh">;
  readonly sends: Pick<Sends, "lost" | "settleLost">;
}): void {
  store.refresh();
  for (const execution of store.list()) recoverResumes(store, sends, execution);
  for (const send of sends.lost())
    if (send.kind === "resume" && store.summary(send.localId) === undefined)
      sends.settleLost(send, () => undefined);
}

export function recoverResumes(
  store: Pick<ExecutionStore, "update">,
  sends: Pick<Sends, "settleLost">,
  { localId, resumes }: Pick<ExecutionSummary, "localId" | "resumes">,
): void {
  for (const { taskId, attempt, outcome } of resumes)
    if (outcome === "sending")
      sends.settleLost({ kind: "resume", localId, taskId, attempt }, () => {
        store.update(localId, (known) => resumeUnanswered(known, { taskId, attempt }));
      });
}

/** A window may have ended while it sent a request to stop. */
export function recoverStops(store: Pick<ExecutionStore, "list" | "update">, clock: Clock): void {
  for (const execution of store.list())
    if (isStopping(execution))
      store.update(execution.localId, (known) => withoutOldStop(known, clock.now()));
}
