import { withUnlisted, type FormField } from "./fields.ts";
import type { Draft, Notice } from "./messages.ts";
import { alignValues, fillIn, initialValues, type FormValues, type Prefill } from "./values.ts";

/** What a form begins with. */
export interface Seed {
  /** Typed before and not sent: nothing of it is dropped, an input that the crew no longer lists included. */
  readonly draft?: Draft;
  /** Sent last: what the crew no longer lists is left out. */
  readonly last?: FormValues;
  /** Given by a command; laid over the draft, else over the values sent last. */
  readonly given?: Prefill;
}

/** The fields of one form and what they hold. */
export class FormContent {
  readonly #newId: () => string;
  #id: string;
  #fields: readonly FormField[];
  #values: FormValues;
  #isEdited: boolean;
  #origin: Notice["kind"] | undefined;
  #before: FormValues | undefined;

  /** Holds a draft, else the values sent last, else the fields' initial values; given values are laid over them. */
  constructor(fields: readonly FormField[], { draft, last, given }: Seed, newId: () => string) {
    this.#newId = newId;
    this.#id = draft?.id ?? newId();
    this.#fields = draft === undefined ? fields : withUnlisted(fields, typedNames(draft.values));
    this.#values = initialValues(this.#fields);
    if (last !== undefined) this.#values = alignValues(this.#fields, last);
    if (draft !== undefined) this.#values = alignValues(this.#fields, draft.values);
    this.#isEdited = draft !== undefined;
    this.#origin = draft !== undefined ? "draft" : last !== undefined ? "last" : undefined;
    if (given !== undefined) this.fill(given);
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

  /** Whether it holds anything that was typed or given and would be missed. */
  get isEdited(): boolean {
    return this.#isEdited;
  }

  /** What to tell of where the values came from. */
  get notice(): Notice | undefined {
    return this.#origin === undefined ? undefined : { kind: this.#origin, canUndo: this.#before !== undefined };
  }

  /** A person typed. */
  edit(values: FormValues): void {
    this.#values = alignValues(this.#fields, values);
    this.#isEdited = true;
  }

  /** Lays given values over what is there. An input the crew does not list gets a field. */
  fill(given: Prefill): void {
    this.#replace(fillIn(this.#fields, this.#values, given), "given");
    this.#isEdited = true;
  }

  /** Everything as if nobody had touched it. */
  clear(): void {
    const listed = this.#fields.filter((field) => field.listed);
    this.#replace({ fields: listed, values: initialValues(listed) }, "cleared");
    this.#isEdited = false;
  }

  /** Brings back what {@link fill} or {@link clear} replaced. */
  undo(): void {
    if (this.#before === undefined) return;
    this.#fields = withUnlisted(this.#fields, typedNames(this.#before));
    this.edit(this.#before);
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

  #replace({ fields, values }: { fields: readonly FormField[]; values: FormValues }, origin: Notice["kind"]): void {
    if (this.#isEdited || this.#origin === "last") this.#before = this.#values;
    this.#fields = fields;
    this.#values = values;
    this.#origin = origin;
    // Another id, so that a late message of the page that showed the old values changes nothing.
    this.renew();
  }
}

function typedNames(values: FormValues): readonly string[] {
  return values.inputs.filter(({ mode, text }) => mode !== "omit" && text !== "").map(({ name }) => name);
}
