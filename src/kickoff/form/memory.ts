import * as v from "valibot";
import type { Database } from "../../store/database.ts";
import { CrewValues } from "../crew-values.ts";
import { keptDraft, keptValues } from "./kept-values.ts";
import { draftSchema, formValues, type Draft } from "./parse.ts";
import type { FormValues } from "./values.ts";

const remembered = v.object({
  draft: v.exactOptional(draftSchema),
  last: v.exactOptional(formValues),
});

/** What is remembered of one crew's form. */
export interface Remembered {
  /** Typed and not sent. */
  readonly draft?: Draft;
  /** As sent last. */
  readonly last?: FormValues;
}

/**
 * Drafts and last sent values of each crew. Secrets in a JSON text or in an address are not kept; see {@link keptDraft}. A form goes
 * on without the database: what can't be written is held in this window, and nothing here throws.
 */
export class FormMemory {
  readonly #values: CrewValues<Remembered>;
  readonly #onProblem: (message: string, error: unknown, about?: string) => void;
  /** Crews whose values could not be read or written last. */
  readonly #failing = new Set<string>();
  /** What could not be written, newer than what the database holds. */
  readonly #held = new Map<string, Remembered>();

  constructor(options: {
    readonly database: Database;
    readonly onProblem: (message: string, error: unknown, about?: string) => void;
  }) {
    this.#onProblem = options.onProblem;
    this.#values = new CrewValues({
      database: options.database,
      kind: "form",
      // Another version may have written more.
      parse: (raw) => kept(v.parse(remembered, raw)),
      onUnreadable: (error, crewId) =>
        options.onProblem(
          "The kickoff form's values could not be understood and were set aside",
          error,
          crewId,
        ),
    });
  }

  /** Whether what is typed for a crew is kept on disk, as far as that was tried. */
  keeps(crewId: string): boolean {
    return !this.#failing.has(crewId);
  }

  /** What is remembered of a crew. */
  read(crewId: string): Remembered {
    try {
      return this.#held.get(crewId) ?? this.#values.get(crewId) ?? {};
    } catch (error) {
      this.#fail(crewId, "The kickoff form's values could not be read", error);
      return {};
    }
  }

  /** Keeps what is typed. */
  saveDraft(crewId: string, draft: Draft): void {
    this.#change(crewId, ({ last }) => ({ draft, ...(last && { last }) }));
  }

  /** Forgets what is typed, unless a newer draft (another id) has taken its place. */
  dropDraft(crewId: string, draftId: string): void {
    this.#change(crewId, (known) => (known.draft?.id === draftId ? withoutDraft(known) : known));
  }

  /** Keeps values as sent last; their draft is done. */
  sent(crewId: string, { id, values }: Draft): void {
    this.#change(crewId, (known) => ({ ...(known.draft?.id === id ? {} : known), last: values }));
  }

  /** Forgets a crew. */
  forget(crewId: string): void {
    this.#held.delete(crewId);
    try {
      this.#values.set(crewId, undefined);
    } catch (error) {
      this.#fail(crewId, "The kickoff form's values could not be deleted", error);
    }
  }

  /** Forgets what could not be written. */
  forgetHeld(): void {
    this.#held.clear();
  }

  /** A crew has another id now. */
  move(from: string, to: string): void {
    const known = this.read(from);
    this.#change(to, () => known);
    // What can't be read may be more, and where the other can't be written, this is all there is on disk.
    if (this.keeps(from) && this.keeps(to)) this.forget(from);
  }

  #change(crewId: string, change: (known: Remembered) => Remembered): void {
    let known = this.#held.get(crewId);
    try {
      known ??= this.#values.get(crewId);
      const next = kept(change(known ?? {}));
      this.#values.set(crewId, Object.keys(next).length === 0 ? undefined : next);
      this.#held.delete(crewId);
      this.#failing.delete(crewId);
    } catch (error) {
      this.#held.set(crewId, kept(change(known ?? {})));
      this.#fail(crewId, "The kickoff form's values could not be kept", error);
    }
  }

  /** Reported once until it works again: each pause in typing tries it. */
  #fail(crewId: string, problem: string, error: unknown): void {
    if (this.keeps(crewId)) this.#onProblem(problem, error);
    this.#failing.add(crewId);
  }
}

function kept({ draft, last }: Remembered): Remembered {
  return { ...(draft && { draft: keptDraft(draft) }), ...(last && { last: keptValues(last) }) };
}

function withoutDraft({ last }: Remembered): Remembered {
  return last === undefined ? {} : { last };
}
