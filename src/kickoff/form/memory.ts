import * as v from "valibot";
import { defined } from "../../base/json.ts";
import type { Database } from "../../store/database.ts";
import { crewValues, type CrewValues } from "../crew-values.ts";
import { draftSchema, formValues, type Draft } from "./parse.ts";
import { keptDraft, keptValues } from "./secrets.ts";

const stored = v.object({
  draft: v.exactOptional(draftSchema),
  last: v.exactOptional(formValues),
  /** The person knows that no callback can come. */
  hidesHint: v.exactOptional(v.literal(true)),
});
type Stored = Readonly<v.InferOutput<typeof stored>>;
type OnProblem = (message: string, error: unknown, about?: string) => void;

/** Without secrets; see {@link keptDraft}. Never throws: what can't be stored stays in memory. */
export class FormMemory {
  readonly #values: CrewValues<Stored>;
  readonly #onProblem: OnProblem;
  /** Crews whose last read or write failed. */
  readonly #failing = new Set<string>();
  /** What could not be stored; newer than the database. */
  readonly #held = new Map<string, Stored>();

  constructor(database: Database, onProblem: OnProblem) {
    this.#onProblem = onProblem;
    // An earlier version may have stored more.
    const parse = (raw: unknown) => kept(v.parse(stored, raw));
    this.#values = crewValues(database, "form", parse, (error, crewId) =>
      onProblem("The kickoff form's values are invalid and were set aside", error, crewId),
    );
  }

  keeps(crewId: string): boolean {
    return !this.#failing.has(crewId);
  }

  read(crewId: string): Stored {
    try {
      return this.#held.get(crewId) ?? this.#values.get(crewId) ?? {};
    } catch (error) {
      this.#fail(crewId, "The kickoff form's values could not be read", error);
      return {};
    }
  }

  saveDraft(crewId: string, draft: Draft): void {
    this.#change(crewId, (known) => ({ ...known, draft }));
  }

  /** Keeps a newer draft, which has another ID. */
  dropDraft(crewId: string, draftId: string): void {
    this.#change(crewId, (known) => withoutDraft(known, draftId));
  }

  sent(crewId: string, { id, values }: Draft): void {
    const last = defined({ ...values, from: undefined });
    this.#change(crewId, (known) => ({ ...withoutDraft(known, id), last }));
  }

  hideHint(crewId: string): void {
    this.#change(crewId, (known) => ({ ...known, hidesHint: true }));
  }

  forget(crewId: string): void {
    this.#held.delete(crewId);
    try {
      this.#values.set(crewId, undefined);
    } catch (error) {
      this.#fail(crewId, "The kickoff form's values could not be deleted", error);
    }
  }

  forgetHeld(): void {
    this.#held.clear();
  }

  move(from: string, to: string): void {
    const known = this.read(from);
    this.#change(to, () => known);
    // Otherwise it is the only copy on disk.
    if (this.keeps(from) && this.keeps(to)) this.forget(from);
  }

  #change(crewId: string, change: (known: Stored) => Stored): void {
    let known = this.#held.get(crewId);
    try {
      this.#values.change(crewId, (stored) => {
        known ??= stored;
        const next = kept(change(known ?? {}));
        return Object.keys(next).length === 0 ? undefined : next;
      });
      this.#held.delete(crewId);
      this.#failing.delete(crewId);
    } catch (error) {
      this.#held.set(crewId, kept(change(known ?? {})));
      this.#fail(crewId, "The kickoff form's values could not be stored", error);
    }
  }

  /** Reports once until it works again, since each pause in typing tries it. */
  #fail(crewId: string, problem: string, error: unknown): void {
    if (this.keeps(crewId)) this.#onProblem(problem, error);
    this.#failing.add(crewId);
  }
}

function kept({ draft, last, hidesHint }: Stored): Stored {
  return {
    ...(draft && { draft: keptDraft(draft) }),
    ...(last && { last: keptValues(last) }),
    ...defined({ hidesHint }),
  };
}

function withoutDraft(known: Stored, draftId: string): Stored {
  return known.draft?.id === draftId ? defined({ ...known, draft: undefined }) : known;
}
