import { isDeepStrictEqual } from "node:util";
import { keptAddress } from "../address.ts";
import type { Taken } from "../form-tools.ts";
import { typedIn, withUnlisted, type FormField } from "./fields.ts";
import { readJsonView, writeJsonView } from "./json-view.ts";
import { keptValues } from "./kept-values.ts";
import type { Draft, Notice } from "./messages.ts";
import type { MaybeStartedError } from "../../sending/kickoff.ts";
import {
  alignValues,
  asTyped,
  fillIn,
  initialValues,
  toPrefill,
  type FormValues,
  type Prefill,
} from "./values.ts";

/** Values that come from elsewhere. */
export interface Laid {
  /** Given by a command; laid over the draft, else over the values sent last. */
  readonly given?: Prefill;
  /** Given in the place of everything else, which Undo brings back. */
  readonly instead?: Prefill;
}

/** What a form begins with. */
export interface Seed extends Laid {
  /** Typed before and not sent: nothing of it is dropped, an input that the crew no longer lists included. */
  readonly draft?: Draft;
  /** What is stored of a kickoff under the draft's id: it started, or may have. */
  readonly earlier?: "started" | MaybeStartedError;
  /** Sent last: what the crew no longer lists is left out. */
  readonly last?: FormValues;
}

/** The fields of one form and what they hold. */
export class FormContent {
  readonly #newId: () => string;
  #id: string;
  #fields: readonly FormField[];
  #values: FormValues;
  #isEdited: boolean;
  #origin: Omit<Notice, "canUndo"> | undefined;
  #before: ((now: FormValues) => FormValues) | undefined;

  /** Holds a draft, else the values sent last, else the fields' initial values; given values are laid over them. */
  constructor(
    fields: readonly FormField[],
    { draft, earlier, last, ...laid }: Seed,
    newId: () => string,
  ) {
    this.#newId = newId;
    this.#id = draft === undefined || earlier === "started" ? newId() : draft.id;
    this.#fields = draft === undefined ? fields : withUnlisted(fields, typedNames(draft.values));
    this.#values = initialValues(this.#fields);
    if (last !== undefined) this.#values = asForm(alignValues(this.#fields, last));
    if (draft !== undefined) this.#values = alignValues(this.#fields, draft.values);
    this.#isEdited = draft !== undefined;
    this.#origin =
      draft !== undefined
        ? originOf(draft, earlier)
        : last !== undefined
          ? { kind: "last" }
          : undefined;
    this.lay(laid);
  }

  /** The values with the id under which they are sent at most once. */
  get draft(): Draft {
    return { id: this.#id, values: this.#values };
  }

  get fields(): readonly FormField[] {
    return this.#fields;
  }

  get values(): FormValues {
    return this.#values;
  }

  /** What it stands for as it is, without secrets; nothing where something in it can't be read, or may not be kept. */
  get request(): Prefill | undefined {
    const { json, callbacks, streaming } = this.#values;
    if (
      [...Object.values(callbacks), streaming.url].some(
        (address) => keptAddress(address) !== address,
      )
    )
      return undefined;
    if (json !== undefined && "fault" in readJsonView(this.#fields, this.#values, json))
      return undefined;
    return toPrefill(this.#fields, this.#values);
  }

  /** Whether it holds anything that was typed or given and would be missed. */
  get isEdited(): boolean {
    return this.#isEdited;
  }

  /** What to tell of where the values came from. */
  get notice(): Notice | undefined {
    return this.#origin === undefined
      ? undefined
      : { ...this.#origin, canUndo: this.#before !== undefined };
  }

  /** A person typed. */
  edit(values: FormValues): void {
    // In a JSON text a person may name an input that the crew does not, and take it out again.
    const names = new Set(values.inputs.map(({ name }) => name));
    this.#fields = withUnlisted(
      this.#fields.filter(({ listed, name }) => listed || names.has(name)),
      typedNames(values),
    );
    const before = this.#values;
    this.#values = alignValues(this.#fields, values);
    // Showing the same as JSON changes nothing.
    if (
      this.#origin?.kind === "last" &&
      !isDeepStrictEqual({ ...this.#values, json: "" }, { ...before, json: "" })
    )
      this.#origin = { kind: "changed" };
    this.#isEdited = true;
  }

  /**
   * A page that is made anew tells what it had kept. Where that is what may be kept of what is here, this is the same or more;
   * else a keystroke never arrived.
   */
  restore(kept: FormValues): void {
    if (!isDeepStrictEqual(alignValues(this.#fields, kept), keptValues(this.#values)))
      this.edit(kept);
  }

  /** Lays given values over what is there, or puts them in the place of everything. An input the crew does not list gets a field. */
  lay({ given, instead }: Laid): void {
    const listed = this.#fields.filter((field) => field.listed);
    if (given !== undefined) this.#give(fillIn(this.#fields, this.#values, given));
    if (instead !== undefined) this.#give(fillIn(listed, initialValues(listed), instead));
  }

  /** Puts a value from elsewhere into one input's field. Nothing where there is no such field. */
  take(input: string, taken: Taken): void {
    const index = this.#fields.findIndex((field) => field.name === input);
    const field = this.#fields[index];
    const before = this.#values.inputs[index];
    if (field === undefined || before === undefined) return;
    const put = (values: FormValues, name: string, typed: FormValues["inputs"][number]) => ({
      ...values,
      inputs: values.inputs.map((old) => (old.name === name ? typed : old)),
    });
    const values = put(this.#values, input, {
      name: input,
      ...("value" in taken ? asTyped(taken.value, field) : typedIn(taken.text, field)),
    });
    this.#replace(
      { fields: this.#fields, values },
      { kind: "taken", taken: { input, from: taken.from } },
    );
    // What was typed into other fields since stays.
    this.#before = (now) => put(now, input, before);
    this.#isEdited = true;
  }

  /** Everything as if nobody had touched it. */
  clear(): void {
    const listed = this.#fields.filter((field) => field.listed);
    this.#replace({ fields: listed, values: initialValues(listed) }, { kind: "cleared" });
    this.#isEdited = false;
  }

  /** Brings back what was replaced last. */
  undo(): void {
    if (this.#before === undefined) return;
    const before = this.#before(this.#values);
    this.edit(before);
    this.renew();
    this.#before = undefined;
    this.#origin = undefined;
  }

  /** Gives each of these inputs a field. */
  require(names: readonly string[]): void {
    this.#fields = withUnlisted(this.#fields, names);
    this.#values = alignValues(this.#fields, this.#values);
  }

  /** The same values as a new kickoff. */
  renew(): void {
    this.#id = this.#newId();
  }

  #give(filled: { fields: readonly FormField[]; values: FormValues }): void {
    this.#replace(filled, { kind: "given" });
    this.#isEdited = true;
  }

  #replace(
    { fields, values }: { fields: readonly FormField[]; values: FormValues },
    origin: Omit<Notice, "canUndo">,
  ): void {
    const before = this.#values;
    this.#fields = fields;
    // What is shown as JSON stays so.
    this.#values = before.json === undefined ? values : { ...values, json: writeJsonView(values) };
    // The same once more, as by a double click, leaves the way back that there is.
    if (
      (this.#isEdited || this.#origin?.kind === "last") &&
      !isDeepStrictEqual(before, this.#values)
    )
      this.#before = () => before;
    this.#origin = origin;
    // Another id, so that a late message of the page that showed the old values changes nothing.
    this.renew();
  }
}

/** What can be told of a draft that is brought back. Of one that may have started, the outcome tells. */
function originOf({ isCut }: Draft, earlier: Seed["earlier"]): Omit<Notice, "canUndo"> | undefined {
  if (isCut === true) return { kind: "cutDraft" };
  if (earlier === undefined) return { kind: "draft" };
  return earlier === "started" ? { kind: "started" } : undefined;
}

/** The same values, shown in fields. */
function asForm(values: FormValues): FormValues {
  const shown = { ...values };
  Reflect.deleteProperty(shown, "json");
  return shown;
}

function typedNames(values: FormValues): readonly string[] {
  return values.inputs
    .filter(
      ({ mode, text }) => mode === "empty" || mode === "null" || (mode !== "omit" && text !== ""),
    )
    .map(({ name }) => name);
}
