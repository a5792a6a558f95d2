import type { Clock } from "../base/clock.ts";
import { type Disposable, Emitter, type Event } from "../base/events.ts";
import { isAt, type ResumeTarget } from "./resumes.ts";
import type { Database } from "../store/database.ts";
import { integer, type Row, text } from "../base/sqlite.ts";

export interface Draft extends ResumeTarget {
  readonly localId: string;
  readonly text: string;
  readonly at: string;
}

export type DraftTarget = Pick<Draft, "localId" | "taskId" | "attempt">;

const ofTarget = "local_id = ? AND task_id = ? AND attempt = ?";

/** One per output; deleted when sent or discarded, and with its execution. Throws StoreErrors. */
export class Drafts implements Disposable {
  readonly #database: Database;
  readonly #changed: Emitter<void>;
  readonly onDidChange: Event<void>;
  readonly #elsewhere: Disposable;

  constructor(database: Database, onProblem: (message: string, error: unknown) => void) {
    this.#database = database;
    this.#changed = new Emitter((error) => onProblem("A listener of the drafts failed.", error));
    this.onDidChange = this.#changed.event;
    this.#elsewhere = database.onDidChangeElsewhere(() => this.#changed.fire());
  }

  keep({ localId, taskId, attempt, text, at }: Draft): void {
    this.#change(
      "INSERT OR REPLACE INTO drafts (local_id, task_id, attempt, is_approve, text, at) VALUES (?, ?, ?, 0, ?, ?)",
      ...[localId, taskId, attempt, text, at],
    );
  }

  /** Oldest first. */
  of(localId: string): readonly Draft[] {
    const sql = "SELECT * FROM drafts WHERE local_id = ? ORDER BY at";
    return this.#database.all(sql, localId).map(draftIn);
  }

  find({ localId, taskId, attempt }: DraftTarget): Draft | undefined {
    const sql = `SELECT * FROM drafts WHERE ${ofTarget}`;
    const row = this.#database.get(sql, localId, taskId, attempt);
    return row && draftIn(row);
  }

  remove({ localId, taskId, attempt }: DraftTarget): void {
    this.#change(`DELETE FROM drafts WHERE ${ofTarget}`, localId, taskId, attempt);
  }

  dispose(): void {
    this.#elsewhere.dispose();
    this.#changed.dispose();
  }

  #change(sql: string, ...values: readonly (string | number)[]): void {
    this.#database.run(sql, ...values);
    this.#database.afterCommit(() => this.#changed.fire());
  }
}

function draftIn(row: Row): Draft {
  return {
    localId: text(row, "local_id"),
    taskId: text(row, "task_id"),
    attempt: integer(row, "attempt"),
    text: text(row, "text"),
    at: text(row, "at"),
  };
}

/** How long nothing is typed before the draft is stored (ms): each time is a write to the disk. */
const pause = 300;

interface Keystroke {
  readonly target: DraftTarget;
  readonly text: string;
  /** Milliseconds since 1970, later with each keystroke. */
  readonly number: number;
}

/** What a person types about an output: stored after a pause, and when the box or the page is left. */
export class TypedDraft implements Disposable {
  readonly #drafts: Pick<Drafts, "keep" | "remove">;
  readonly #clock: Clock;
  readonly #onProblem: (error: unknown) => void;
  #last: Keystroke | undefined;
  #cancel: (() => void) | undefined;

  constructor(
    drafts: Pick<Drafts, "keep" | "remove">,
    clock: Clock,
    onProblem: (error: unknown) => void,
  ) {
    this.#drafts = drafts;
    this.#clock = clock;
    this.#onProblem = onProblem;
  }

  typed(keystroke: Keystroke): void {
    if (this.numberOf(keystroke.target) === 0) this.store();
    this.#last = keystroke;
    this.#cancel?.();
    this.#cancel = this.#clock.after(pause, () => this.store());
  }

  /** The newest keystroke about an output; 0 if nothing was typed. */
  numberOf(target: DraftTarget): number {
    const { target: last, number = 0 } = this.#last ?? {};
    return last?.localId === target.localId && isAt(last, target) ? number : 0;
  }

  store(): void {
    if (this.#cancel === undefined || this.#last === undefined) return;
    this.#cancel();
    this.#cancel = undefined;
    const { target, text, number } = this.#last;
    try {
      const at = new Date(number).toISOString();
      if (text.trim() === "") this.#drafts.remove(target);
      else this.#drafts.keep({ ...target, text, at });
    } catch (error) {
      this.#onProblem(error);
    }
  }

  dispose(): void {
    this.store();
  }
}
