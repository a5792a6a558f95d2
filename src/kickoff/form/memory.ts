import * as v from "valibot";
import { defined } from "../../base/json.ts";
import type { Database } from "../../store/database.ts";
import { crewValues, type CrewValues } from "../../store/crew-values.ts";
import { draftSchema, type Draft } from "./messages.ts";
import { formValues, keptValues } from "./values.ts";

const stored = v.object({
  draft: v.exactOptional(draftSchema),
  last: v.exactOptional(formValues),
  /** The person knows that no callback can come. */
  hidesHint: v.exactOptional(v.literal(true)),
});
type Stored = Readonly<v.InferOutput<typeof stored>>;

/** Without secrets; see {@link keptValues}. Never throws: the form shows that nothing is kept. */
export class FormMemory {
  readonly #values: CrewValues<Stored>;
  readonly #onProblem: (message: string, error: unknown, about?: string) => void;
  /** Crews whose last read or write failed. */
  readonly #failing = new Set<string>();

  constructor(database: Database, onProblem: (message: string, error: unknown) => void) {
    this.#onProblem = onProblem;
    // An earlier version may have stored more.
    const parse = (raw: unknown) => kept(v.parse(stored, raw));
    this.#values = crewValues(database, "form", parse, (error) =>
      onProblem("The kickoff form's values are invalid and were set aside", error),
    );
  }

  keeps(crewId: string): boolean {
    return !this.#failing.has(crewId);
  }

  read(crewId: string): Stored {
    return this.#try(crewId, () => this.#values.get(crewId)) ?? {};
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
    this.#try(crewId, () => this.#values.set(crewId, undefined));
  }

  #change(crewId: string, change: (known: Stored) => Stored): void {
    this.#try(crewId, () => this.#values.change(crewId, (known = {}) => kept(change(known))));
  }

  /** Reports once until it works again, since each pause in typing tries it. */
  #try<Value>(crewId: string, action: () => Value): Value | undefined {
    try {
      const value = action();
      this.#failing.delete(crewId);
      return value;
    } catch (error) {
      if (this.keeps(crewId))
        this.#onProblem("The kickoff form's values can't be read or stored", error);
      this.#failing.add(crewId);
      return undefined;
    }
  }
}

/** Of the stored one and what the page kept: the extension host may have crashed before that was stored. */
export function newestDraft(stored: Draft | undefined, kept: Draft | undefined): Draft | undefined {
  if (stored === undefined || kept === undefined) return stored ?? kept;
  const isNewer = (kept.number ?? 0) > (stored.number ?? 0);
  return isNewer && kept.id === stored.id ? kept : stored;
}

function kept({ draft, last, ...others }: Stored): Stored {
  return defined({
    ...others,
    draft: draft && { ...draft, values: keptValues(draft.values) },
    last: last && keptValues(last),
  });
}

function withoutDraft(known: Stored, draftId: string): Stored {
  return known.draft?.id === draftId ? defined({ ...known, draft: undefined }) : known;
}
