import * as v from "valibot";
import { defined } from "../../base/json.ts";
import type { Database } from "../../store/database.ts";
import { crewValues } from "../../store/crew-values.ts";
import { draftSchema, type Draft } from "./messages.ts";
import { formValues, keptValues } from "./values.ts";

const stored = v.object({
  draft: v.exactOptional(draftSchema),
  last: v.exactOptional(formValues),
  /** The person knows that no callback can come. */
  hidesHint: v.exactOptional(v.literal(true)),
});
type Stored = Readonly<v.InferOutput<typeof stored>>;

export type FormMemory = ReturnType<typeof formMemory>;

/** Without secrets; see {@link keptValues}. Never throws: the form shows that nothing is kept. */
export function formMemory(
  database: Database,
  onProblem: (message: string, error: unknown) => void,
) {
  /** Crews whose last read or write failed. */
  const failing = new Set<string>();
  // An earlier version may have stored more.
  const parse = (raw: unknown) => kept(v.parse(stored, raw));
  const values = crewValues(database, "form", parse, (error) =>
    onProblem("The kickoff form's values are invalid and were set aside", error),
  );
  /** Reports once until it works again, since each pause in typing tries it. */
  const attempt = <Value>(crewId: string, action: () => Value): Value | undefined => {
    try {
      const value = action();
      failing.delete(crewId);
      return value;
    } catch (error) {
      if (!failing.has(crewId))
        onProblem("The kickoff form's values can't be read or stored", error);
      failing.add(crewId);
      return undefined;
    }
  };
  const change = (crewId: string, change: (known: Stored) => Stored): void => {
    attempt(crewId, () => values.change(crewId, (known = {}) => kept(change(known))));
  };
  return {
    keeps: (crewId: string) => !failing.has(crewId),
    read: (crewId: string): Stored => attempt(crewId, () => values.get(crewId)) ?? {},
    saveDraft: (crewId: string, draft: Draft) => change(crewId, (known) => ({ ...known, draft })),
    /** Keeps a newer draft, which has another ID. */
    sent(crewId: string, { id, values }: Draft): void {
      const last = defined({ ...values, from: undefined });
      change(crewId, ({ draft, ...known }) =>
        defined({ ...known, last, draft: draft?.id === id ? undefined : draft }),
      );
    },
    hideHint: (crewId: string) => change(crewId, (known) => ({ ...known, hidesHint: true })),
    forget: (crewId: string) => attempt(crewId, () => values.set(crewId, undefined)),
  };
}

function kept({ draft, last, ...others }: Stored): Stored {
  return defined({
    ...others,
    draft: draft && { ...draft, values: keptValues(draft.values) },
    last: last && keptValues(last),
  });
}
