import { isDeepStrictEqual } from "node:util";
import type { MaybeStartedError } from "../../sending/kickoff.ts";
import type { Prefill } from "../callbacks.ts";
import { asTyped, typedIn, withUnlisted, type FormField } from "./fields.ts";
import type { Draft, Origin, Taken } from "./messages.ts";
import { keptValues } from "./secrets.ts";
import { faultsIn } from "./validate.ts";
import { alignValues, fillIn, initialValues, toPrefill, type FormValues } from "./values.ts";

export interface GivenValues {
  /** Replace values of the same names. */
  readonly given?: Prefill;
  readonly instead?: Prefill;
}

export interface Seed extends GivenValues {
  readonly draft?: Draft;
  /** The stored outcome of a kickoff with the draft's ID. */
  readonly earlier?: "started" | MaybeStartedError;
  readonly last?: FormValues;
}

export class FormContent {
  readonly #newId: () => string;
  #id: string;
  #fields: readonly FormField[];
  #values: FormValues;
  #isEdited: boolean;
  #origin: Origin | undefined;
  #undo: (() => void) | undefined;

  constructor(
    fields: readonly FormField[],
    { draft, earlier, last, ...values }: Seed,
    newId: () => string,
  ) {
    this.#newId = newId;
    this.#id = draft === undefined || earlier === "started" ? newId() : draft.id;
    this.#fields = draft === undefined ? fields : withUnlisted(fields, typedNames(draft.values));
    this.#isEdited = draft !== undefined;
    if (draft !== undefined) {
      this.#values = alignValues(this.#fields, draft.values);
      this.#origin = originOf(earlier);
    } else if (last !== undefined) {
      this.#values = alignValues(this.#fields, last);
      this.#origin = { kind: "last" };
    } else {
      this.#values = initialValues(this.#fields);
    }
    this.give(values);
  }

  get draft(): Draft {
    return { id: this.#id, values: this.#values };
  }

  get fields(): readonly FormField[] {
    return this.#fields;
  }

  get values(): FormValues {
    return this.#values;
  }

  /** Without secrets; undefined if invalid, or if a value must not be stored. */
  get request(): Prefill | undefined {
    const faults = faultsIn(this.#fields, this.#values, () => undefined);
    return [...faults.values()].every(({ isMissing }) => isMissing)
      ? toPrefill(this.#fields, this.#values)
      : undefined;
  }

  get isEdited(): boolean {
    return this.#isEdited;
  }

  get origin(): Origin | undefined {
    return this.#origin;
  }

  get canUndo(): boolean {
    return this.#undo !== undefined;
  }

  get canClear(): boolean {
    const listed = this.#fields.filter((field) => field.listed);
    const isBlank = isDeepStrictEqual(alignValues(listed, this.#values), initialValues(listed));
    return !isBlank || listed.length < this.#fields.length;
  }

  edit(values: FormValues): void {
    const before = this.#values;
    this.#values = alignValues(this.#fields, values);
    const isTold = ["last", "given", "pasted"].some((kind) => kind === this.#origin?.kind);
    if (isTold && !isDeepStrictEqual(this.#values, before)) this.#origin = undefined;
    this.#isEdited = true;
  }

  /** If the kept values differ from what may be kept of these, a keystroke was lost. */
  restore(kept: FormValues): void {
    if (!isDeepStrictEqual(alignValues(this.#fields, kept), keptValues(this.#values)))
      this.edit(kept);
  }

  /** `given` replaces values of the same names, `instead` all. Unlisted inputs get a field. */
  give({ given, instead }: GivenValues, origin: Origin = { kind: "given" }): void {
    const listed = this.#fields.filter((field) => field.listed);
    for (const filled of [
      given && fillIn(this.#fields, this.#values, given),
      instead && fillIn(listed, initialValues(listed), instead),
    ]) {
      if (filled === undefined) continue;
      this.#replace(filled.fields, filled.values, origin);
      this.#isEdited = true;
    }
  }

  take(input: string, taken: Taken): void {
    const index = this.#fields.findIndex((field) => field.name === input);
    const field = this.#fields[index];
    const before = this.#values.inputs[index];
    if (field === undefined || before === undefined) return;
    const put = (values: FormValues, typed: FormValues["inputs"][number]) => ({
      ...values,
      inputs: values.inputs.map((old) => (old.name === input ? typed : old)),
    });
    const typed = "value" in taken ? asTyped(taken.value, field) : typedIn(taken.text, field);
    const origin = { kind: "taken", input, from: taken.from } as const;
    this.#replace(this.#fields, put(this.#values, { name: input, ...typed }), origin);
    // Undo keeps later edits of other fields.
    this.#undo = () => (this.#values = put(this.#values, before));
    this.#isEdited = true;
  }

  clear(): void {
    const listed = this.#fields.filter((field) => field.listed);
    this.#replace(listed, initialValues(listed), { kind: "cleared" });
    this.#isEdited = false;
  }

  undo(): void {
    if (this.#undo === undefined) return;
    this.#undo();
    this.#isEdited = true;
    this.renew();
    this.#undo = undefined;
    this.#origin = undefined;
  }

  require(names: readonly string[]): void {
    this.#fields = withUnlisted(this.#fields, names);
    this.#values = alignValues(this.#fields, this.#values);
  }

  renew(): void {
    this.#id = this.#newId();
  }

  #replace(fields: readonly FormField[], values: FormValues, origin: Origin): void {
    const before = { fields: this.#fields, values: this.#values };
    this.#fields = fields;
    this.#values = values;
    // The same values again, as by a double click, don't change Undo.
    const isMissed = this.#isEdited || this.#origin?.kind === "last";
    if (isMissed && !isDeepStrictEqual(before.values, values))
      this.#undo = () => ({ fields: this.#fields, values: this.#values } = before);
    this.#origin = origin;
    // A late message from the old page has the old ID and is ignored.
    this.renew();
  }
}

/** If it may have started, the outcome is shown instead. */
function originOf(earlier: Seed["earlier"]): Origin | undefined {
  if (earlier === undefined) return { kind: "draft" };
  return earlier === "started" ? { kind: "started" } : undefined;
}

function typedNames({ inputs }: FormValues): readonly string[] {
  const typed = inputs.filter(
    ({ mode, text }) => mode === "empty" || mode === "null" || (mode !== "omit" && text !== ""),
  );
  return typed.map(({ name }) => name);
}
