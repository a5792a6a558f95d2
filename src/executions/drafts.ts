import type { Clock } from "../base/clock.ts";
import { type Disposable, Emitter, type Event } from "../base/events.ts";
import { isAt, type ResumeTarget } from "./resumes.ts";
import type { Database } from "../store/database.ts";
import { integer, text } from "../base/sqlite.ts";

export interface Draft extends ResumeTarget {
  readonly localId: string;
  readonly text: string;
  readonly at: string;
}

export type DraftTarget = Pick<Draft, "localId" | "taskId" | "attempt">;

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

  of(localId: string): readonly Draft[] {
    const sql = "SELECT * FROM drafts WHERE local_id = ? ORDER BY at";
    return this.#database.all(sql, localId).map((row) => ({
      localId,
      taskId: text(row, "task_id"),
      attempt: integer(row, "attempt"),
      text: text(row, "text"),
      at: text(row, "at"),
    }));
  }

  find({ localId, taskId, attempt }: DraftTarget): Draft | undefined {
    return this.of(localId).find((draft) => isAt(draft, { taskId, attempt }));
  }

  remove({ localId, taskId, attempt }: DraftTarget): void {
    const sql = "DELETE FROM drafts WHERE local_id = ? AND task_id = ? AND attempt = ?";
    this.#change(sql, localId, taskId, attempt);
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

/** How long nothing is typed before the draft is stored (ms): each time is a write to the disk. */
const pause = 300;

interface Keystroke {
  readonly target: DraftTarget;
  readonly text: string;
  /** Milliseconds since 1970, later with each keystroke. */
  readonly number: number;
}

/** What a person types about an output: stored after a pause, and when the box or the page is left. */
export function typedDraft(
  drafts: Pick<Drafts, "keep" | "remove">,
  clock: Clock,
  onProblem: (error: unknown) => void,
) {
  let last: Keystroke | undefined;
  let cancel: (() => void) | undefined;
  const store = () => {
    if (cancel === undefined || last === undefined) return;
    cancel();
    cancel = undefined;
    const { target, text, number } = last;
    try {
      const at = new Date(number).toISOString();
      if (text.trim() === "") drafts.remove(target);
      else drafts.keep({ ...target, text, at });
    } catch (error) {
      onProblem(error);
    }
  };
  /** The newest keystroke about an output; 0 if nothing was typed. */
  const numberOf = (target: DraftTarget): number => {
    if (last === undefined || last.target.localId !== target.localId) return 0;
    return isAt(last.target, target) ? last.number : 0;
  };
  const typed = (keystroke: Keystroke) => {
    if (numberOf(keystroke.target) === 0) store();
    last = keystroke;
    cancel?.();
    cancel = clock.after(pause, store);
  };
  return { typed, numberOf, store, dispose: store };
}
