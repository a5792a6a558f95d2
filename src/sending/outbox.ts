import { randomUUID } from "node:crypto";
import * as l10n from "@vscode/l10n";
import { CrewApiError } from "../api/errors.ts";
import type { Clock } from "../base/clock.ts";
import { type ProblemLog, UserError } from "../base/errors.ts";
import { isRunning } from "../base/process.ts";
import { integer, type Row, text } from "../base/sqlite.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import { resumeUnanswered, type ResumeTarget } from "../executions/resumes.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Database } from "../store/database.ts";

export type Intent =
  | { readonly kind: "kickoff" | "stop"; readonly localId: string }
  | ({ readonly kind: "resume"; readonly localId: string } & ResumeTarget);

/** After this time a process with the same ID is another one (ms). */
const longestRequest = 10 * 60_000;

const underWay = new Set<string>();

/** Whether a request had no effect: the crew refused it, or it was never sent. */
export function hadNoEffect(error: unknown): boolean {
  return error instanceof CrewApiError ? error.sent === "no" : error instanceof UserError;
}

interface Outgoing<Recorded, Answer, Result> {
  readonly intent: Intent;
  /** In one transaction with the intent's row. Throws if the request must not be sent. */
  record(): Recorded;
  post(recorded: Recorded): Promise<Answer>;
  /** In one transaction with the end of the intent, as the next two. */
  answered(answer: Answer, recorded: Recorded): Result;
  refused(error: unknown): unknown;
  /** It may have arrived. Without this, the intent stays, and the request is never sent again. */
  unanswered?(error: unknown): unknown;
  inDoubt(error: unknown, recorded: Recorded): Error;
  /** What is thrown, or returned, if the answer can't be recorded. */
  unrecorded(error: unknown, answer: Answer, recorded: Recorded): Result;
}

interface OutboxOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly poll: (localId: string) => unknown;
  /** For what could not be recorded, when the person gets another message. */
  readonly log: ProblemLog;
}

export type Outbox = ReturnType<typeof outboxOf>;

/** A row is written with the request and deleted with its outcome; without an answer it stays. */
export function outboxOf({ database, clock, poll, log }: OutboxOptions) {
  const rowOf = (intent: Intent): Row | undefined =>
    database.get(`SELECT * FROM intents WHERE ${isKey}`, ...keyOf(intent));
  const isSending = (row: Row): boolean => {
    if (row["pid"] === null) return false;
    const pid = integer(row, "pid");
    // This process knows, also after the computer slept.
    if (pid === process.pid) return underWay.has(text(row, "id"));
    return clock.now() - integer(row, "at") <= longestRequest && isRunning(pid);
  };
  const isUnderWay = (intent: Intent): boolean => {
    const row = rowOf(intent);
    return row !== undefined && isSending(row);
  };
  /** Records an outcome and deletes the intent's row, in one transaction. */
  const settle = <T>(intent: Intent, outcome: () => T): T =>
    database.write(() => {
      database.run(`DELETE FROM intents WHERE ${isKey}`, ...keyOf(intent));
      return outcome();
    });
  /** As `settle`, but does nothing while the request is being sent. */
  const settleLost = (intent: Intent, outcome: () => void): void =>
    database.write(() => {
      if (!isUnderWay(intent)) settle(intent, outcome);
    });
  const post = async <Recorded, Answer, Result>(
    request: Outgoing<Recorded, Answer, Result>,
    recorded: Recorded,
  ): Promise<Result> => {
    const { intent } = request;
    const answer = await request.post(recorded).catch((error: unknown) => {
      const isRefused = hadNoEffect(error);
      try {
        if (isRefused) settle(intent, () => request.refused(error));
        else if (request.unanswered) settle(intent, () => request.unanswered?.(error));
      } catch (problem) {
        // It stays as if it were being sent, which recovery turns into "unanswered".
        log.problem("What became of a request could not be recorded.", problem);
      }
      throw isRefused ? error : request.inDoubt(error, recorded);
    });
    try {
      return settle(intent, () => request.answered(answer, recorded));
    } catch (error) {
      return request.unrecorded(error, answer, recorded);
    }
  };
  const recoverOne = (
    store: Pick<ExecutionStore, "update">,
    { localId, resumes, stop }: Pick<ExecutionSummary, "localId" | "resumes" | "stop">,
  ): void => {
    for (const { taskId, attempt, outcome } of resumes)
      if (outcome === "sending")
        settleLost({ kind: "resume", localId, taskId, attempt }, () => {
          store.update(localId, (known) => resumeUnanswered(known, { taskId, attempt }));
        });
    if (stop?.outcome === "sending")
      settleLost({ kind: "stop", localId }, () => {
        // Another window may have recorded its outcome meanwhile.
        store.update(localId, (known) =>
          known.stop?.outcome === "sending"
            ? { ...known, stop: { ...known.stop, outcome: "unanswered" } }
            : known,
        );
      });
  };
  return {
    /** Posts a request at most once, when it is recorded on disk. @throws the error of `post` if it certainly had no effect, otherwise `inDoubt` */
    async send<Recorded, Answer, Result>(
      request: Outgoing<Recorded, Answer, Result>,
    ): Promise<Result> {
      const id = randomUUID();
      underWay.add(id);
      try {
        const recorded = database.write(() => {
          const recorded = request.record();
          database.run(
            "INSERT INTO intents (local_id, kind, task_id, attempt, id, at, pid) VALUES (?, ?, ?, ?, ?, ?, ?)",
            ...[...keyOf(request.intent), id, clock.now(), process.pid],
          );
          return recorded;
        });
        try {
          return await post(request, recorded);
        } finally {
          poll(request.intent.localId);
        }
      } finally {
        underWay.delete(id);
        try {
          database.run("UPDATE intents SET pid = NULL WHERE id = ?", id);
        } catch {
          // Other windows notice when this process ends, or after `longestRequest`.
        }
      }
    },
    settle,
    has: (intent: Intent) => rowOf(intent) !== undefined,
    isUnderWay,
    /** The local IDs of executions for which any window is sending something. */
    underWay(): ReadonlySet<string> {
      const rows = database.all("SELECT * FROM intents").filter(isSending);
      return new Set(rows.map((row) => text(row, "local_id")));
    },
    /** Forgets all intents. @throws UserError while a window sends one of a tracked execution */
    clear(): void {
      const tracked = "SELECT intents.* FROM intents JOIN executions USING (local_id)";
      if (database.all(tracked).some(isSending))
        throw new UserError(l10n.t("A request is still being sent. Try again in a moment."));
      database.run("DELETE FROM intents");
    },
    /** Their sender is gone. A kickoff is `unconfirmed` anyway. May run in any window at any time. */
    recover(store: Pick<ExecutionStore, "list" | "update" | "refresh">): void {
      store.refresh();
      for (const execution of store.list()) recoverOne(store, execution);
      database.run(
        "DELETE FROM intents WHERE kind <> 'kickoff' AND local_id NOT IN (SELECT local_id FROM executions)",
      );
    },
    recoverOne,
  };
}

const isKey = "local_id = ? AND kind = ? AND task_id = ? AND attempt = ?";

function keyOf(intent: Intent): [string, string, string, number] {
  const { taskId, attempt } = intent.kind === "resume" ? intent : { taskId: "", attempt: 0 };
  return [intent.localId, intent.kind, taskId, attempt];
}
