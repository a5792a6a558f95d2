import { isDeepStrictEqual } from "node:util";
import type { MaybeStartedError } from "../../sending/kickoff.ts";
import { keptAddress, type Prefill } from "../callbacks.ts";
import { asTyped, typedIn, withUnlisted, type FormField } from "./fields.ts";
import { readJsonView, writeJsonView } from "./json-view.ts";
import type { Draft, Notice, Taken } from "./messages.ts";
import { keptValues } from "./secrets.ts";
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

type Origin = Omit<Notice, "canUndo">;

export class FormContent {
  readonly #newId: () => string;
  #id: string;
  #fields: readonly FormField[];
  #values: FormValues;
  #isEdited: boolean;
  #origin: Origin | undefined;
  #before: ((now: FormValues) => FormValues) | undefined;

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
      this.#origin = originOf(draft, earlier);
    } else if (last !== undefined) {
      // Without the JSON view.
      const { inputs, meta, callbacks, humanInput, streaming } = alignValues(this.#fields, last);
      this.#values = { inputs, meta, callbacks, humanInput, streaming };
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
    const { json, callbacks, streaming } = this.#values;
    const addresses = [...Object.values(callbacks), streaming.url];
    if (addresses.some((address) => keptAddress(address) !== address)) return undefined;
    if (json !== undefined && "fault" in readJsonView(this.#fields, this.#values, json))
      return undefined;
    return toPrefill(this.#fields, this.#values);
  }

  get isEdited(): boolean {
    return this.#isEdited;
  }

  get notice(): Notice | undefined {
    return this.#origin && { ...this.#origin, canUndo: this.#before !== undefined };
  }

  edit(values: FormValues): void {
    // In the JSON view, a person can add unlisted inputs and remove them again.
    const names = new Set(values.inputs.map(({ name }) => name));
    this.#fields = withUnlisted(
      this.#fields.filter(({ listed, name }) => listed || names.has(name)),
      typedNames(values),
    );
    const before = this.#values;
    this.#values = alignValues(this.#fields, values);
    // Switching to the JSON view changes nothing.
    const isSame = isDeepStrictEqual({ ...this.#values, json: "" }, { ...before, json: "" });
    const isNotice = this.#origin?.kind === "last" || this.#origin?.kind === "given";
    if (isNotice && !isSame) this.#origin = { kind: "changed" };
    this.#isEdited = true;
  }

  /** If the kept values differ from what may be kept of these, a keystroke was lost. */
  restore(kept: FormValues): void {
    if (!isDeepStrictEqual(alignValues(this.#fields, kept), keptValues(this.#values)))
      this.edit(kept);
  }

  /** `given` replaces values of the same names, `instead` all. Unlisted inputs get a field. */
  give({ given, instead }: GivenValues): void {
    const listed = this.#fields.filter((field) => field.listed);
    for (const filled of [
      given && fillIn(this.#fields, this.#values, given),
      instead && fillIn(listed, initialValues(listed), instead),
    ]) {
      if (filled === undefined) continue;
      this.#replace(filled.fields, filled.values, { kind: "given" });
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
    const origin = { kind: "taken", taken: { input, from: taken.from } } as const;
    this.#replace(this.#fields, put(this.#values, { name: input, ...typed }), origin);
    // Undo keeps later edits of other fields.
    this.#before = (now) => put(now, before);
    this.#isEdited = true;
  }

  clear(): void {
    const listed = this.#fields.filter((field) => field.listed);
    this.#replace(listed, initialValues(listed), { kind: "cleared" });
    this.#isEdited = false;
  }

  undo(): void {
    if (this.#before === undefined) return;
    this.edit(this.#before(this.#values));
    this.renew();
    this.#before = undefined;
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
    const before = this.#values;
    this.#fields = fields;
    this.#values = before.json === undefined ? values : { ...values, json: writeJsonView(values) };
    // The same values again, as by a double click, don't change Undo.
    const isMissed = this.#isEdited || this.#origin?.kind === "last";
    if (isMissed && !isDeepStrictEqual(before, this.#values)) this.#before = () => before;
    this.#origin = origin;
    // A late message from the old page has the old ID and is ignored.
    this.renew();
  }
}

/** If it may have started, the outcome is shown instead. */
function originOf({ isCut }: Draft, earlier: Seed["earlier"]): Origin | undefined {
  if (isCut === true) return { kind: "cutDraft" };
  if (earlier === undefined) return { kind: "draft" };
  return earlier === "started" ? { kind: "started" } : undefined;
}

function typedNames({ inputs }: FormValues): readonly string[] {
  const typed = inputs.filter(
    ({ mode, text }) => mode === "empty" || mode === "null" || (mode !== "omit" && text !== ""),
  );
  return typed.map(({ name }) => name);
}
