import { isDeepStrictEqual } from "node:util";
import * as l10n from "@vscode/l10n";
import type { MaybeStartedError } from "../../sending/kickoff.ts";
import { type FormSecrets, type Prefill, type SecretName, secretNames } from "../callbacks.ts";
import { asTyped, hasText, typedIn, withUnlisted, type FormField } from "./fields.ts";
import type { Draft, FormFocus, Origin, Taken } from "./messages.ts";
import {
  carriedOver,
  type HeldSecret,
  type HeldSecrets,
  isMeantFor,
  secretsFor,
  targetOf,
  targetsIn,
} from "./secrets.ts";
import {
  alignValues,
  type Fault,
  fillIn,
  type FormPart,
  type FormValues,
  initialValues,
  missing,
  readForm,
} from "./values.ts";

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
  #secrets: HeldSecrets = {};
  /** Whether what is missing is marked, too. */
  #isStrict = false;
  /** What the crew reported as missing, with the inputs that it got. */
  #reported: { readonly names: readonly string[]; readonly inputs: FormValues["inputs"] } = {
    names: [],
    inputs: [],
  };

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
    const { faults, values } = readForm(this.#fields, this.#values);
    return [...faults.values()].every(({ isMissing }) => isMissing) ? values : undefined;
  }

  /** Of callbacks that are used and authenticate. */
  get secrets(): FormSecrets {
    return secretsFor(this.#values, this.#secrets);
  }

  get secretTargets(): Readonly<Partial<Record<SecretName, string>>> {
    return targetsIn(this.#secrets);
  }

  enter(name: SecretName, secret: HeldSecret): void {
    this.#secrets = { ...this.#secrets, [name]: secret };
  }

  get faults(): ReadonlyMap<FormPart, Fault> {
    return readForm(this.#fields, this.#values, (name) => {
      const { text = "", target } = this.#secrets[name] ?? {};
      if (text === "") return missing(l10n.t("Enter it. Secrets are not saved with the form."));
      return isMeantFor(targetOf(name, this.#values), target)
        ? undefined
        : missing(l10n.t("Enter it again: the earlier one was for another host or strategy."));
    }).faults;
  }

  /** What is marked, by part. */
  get problems(): Readonly<Partial<Record<FormPart, string>>> {
    const { names, inputs } = this.#reported;
    const reported = this.#fields.flatMap(({ name }, index) =>
      names.includes(name) && isDeepStrictEqual(this.#values.inputs[index], inputs[index])
        ? [[index, l10n.t("The crew reports that this input is missing.")] as const]
        : [],
    );
    const marked = [...this.faults]
      .filter(([, { isMissing }]) => this.#isStrict || isMissing !== true)
      .map(([part, { text }]) => [part, text] as const);
    return Object.fromEntries([...reported, ...marked]);
  }

  /** A missing secret if a command gave all inputs, else the first empty input, the first, or the button. */
  get firstPart(): FormFocus {
    const { faults } = this;
    const parts = [...this.#fields.keys()];
    const isGiven =
      this.#origin?.kind === "given" && !parts.some((part) => faults.get(part)?.isMissing);
    const secret = isGiven ? secretNames.find((name) => faults.has(name)) : undefined;
    const seen = parts.filter((index) => this.#fields[index]?.isOdd !== true);
    const isEmpty = (index: number) => {
      const value = this.#values.inputs[index];
      return value?.text === "" && hasText(value.mode);
    };
    return secret ?? seen.find(isEmpty) ?? seen[0] ?? "submit";
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

  /** `given` replaces values of the same names, `instead` all. Unlisted inputs get a field. */
  give(
    { given, instead }: GivenValues,
    origin: Origin = { kind: "given" },
    secrets: HeldSecrets = {},
  ): void {
    const listed = this.#fields.filter((field) => field.listed);
    for (const filled of [
      given && fillIn(this.#fields, this.#values, given),
      instead && fillIn(listed, initialValues(listed), instead),
    ]) {
      if (filled === undefined) continue;
      this.#replace(filled.fields, filled.values, origin);
      this.#isEdited = true;
    }
    this.#secrets = { ...this.#secrets, ...secrets };
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
    const before = this.#values;
    this.#undo();
    this.#secrets = carriedOver(this.#secrets, before, this.#values);
    this.#isEdited = true;
    this.renew();
    this.#undo = undefined;
    this.#origin = undefined;
  }

  require(names: readonly string[]): void {
    this.#fields = withUnlisted(this.#fields, names);
    this.#values = alignValues(this.#fields, this.#values);
    this.#reported = { names, inputs: this.#values.inputs };
  }

  markMissing(): void {
    this.#isStrict = true;
  }

  renew(): void {
    this.#id = this.#newId();
    this.#isStrict = false;
  }

  #replace(fields: readonly FormField[], values: FormValues, origin: Origin): void {
    const before = { fields: this.#fields, values: this.#values };
    this.#fields = fields;
    this.#values = values;
    this.#secrets = carriedOver(this.#secrets, before.values, values);
    // The same values again, as by a double click, don't change Undo.
    const isMissed = this.#isEdited || this.#origin?.kind === "last";
    if (isMissed && !isDeepStrictEqual(before.values, values))
      this.#undo = () => ({ fields: this.#fields, values: this.#values } = before);
    this.#origin = origin;
    this.#reported = { names: [], inputs: [] };
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
