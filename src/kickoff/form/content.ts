import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import * as l10n from "@vscode/l10n";
import { defined } from "../../base/json.ts";
import { oneLine } from "../../base/text.ts";
import type { MaybeStartedError } from "../../sending/kickoff.ts";
import { type Prefill, type SecretName, secretNames, targetOf } from "../callbacks.ts";
import type { PastedKickoff } from "../request-files/request-file.ts";
import { asTyped, isOdd, typedIn, usableExamples, withUnlisted, type FormField } from "./fields.ts";
import type { Draft, FormFocus, ShownForm, Taken } from "./messages.ts";
import {
  alignValues,
  type Fault,
  fillIn,
  type FormPart,
  type FormValues,
  initialValues,
  readForm,
  requestOf,
} from "./values.ts";

/** Values from elsewhere, which replace those of the same names or all. */
export interface Given {
  readonly values: Prefill;
  readonly replaces: boolean;
}

export interface Seed {
  readonly draft?: Draft;
  /** The stored outcome of a kickoff with the draft's ID. */
  readonly earlier?: "started" | MaybeStartedError;
  readonly last?: FormValues;
  readonly given?: Given;
}

/** What a form holds. Its ID becomes the execution's local ID, so that a draft is sent at most once. */
export class FormContent {
  #id: string;
  #fields: readonly FormField[];
  #values: FormValues;
  isEdited: boolean;
  /** Says where the values are from, until one is changed, and what Undo would undo. */
  #origin: string | undefined;
  #undo: (() => void) | undefined;
  /** With what each was entered for. */
  #secrets = new Map<SecretName, { readonly text: string; readonly target: string }>();
  #isStrict = false;
  /** What the crew reported as missing, with the inputs that it got. */
  #reported: { readonly names: readonly string[]; readonly inputs: FormValues["inputs"] } = {
    names: [],
    inputs: [],
  };

  constructor(fields: readonly FormField[], { draft, earlier, last, given }: Seed) {
    this.#id = draft === undefined || earlier === "started" ? randomUUID() : draft.id;
    const typed = draft?.values.inputs.filter(({ mode, text }) => mode !== "omit" && text !== "");
    this.#fields = withUnlisted(fields, typed?.map(({ name }) => name) ?? []);
    this.isEdited = draft !== undefined;
    const values = draft?.values ?? last;
    this.#values = values ? alignValues(this.#fields, values) : initialValues(this.#fields);
    if (earlier === "started")
      this.#origin = l10n.t("Values of a kickoff that started. Kick Off starts another execution.");
    // If it may have started, the outcome is shown instead.
    else if (draft !== undefined)
      this.#origin = earlier === undefined ? l10n.t("Draft restored.") : undefined;
    else if (last !== undefined) this.#origin = l10n.t("Filled in with the last sent values.");
    if (given !== undefined) this.give(given);
  }

  get draft(): Draft {
    return { id: this.#id, values: this.#values };
  }

  get shown(): Omit<ShownForm, "isSending" | "focus"> {
    return {
      fields: this.#fields,
      draft: this.draft,
      problems: this.#problems,
      ...defined({ origin: this.#origin }),
      canUndo: this.#undo !== undefined,
      canClear: this.#canClear,
      secrets: secretNames.filter((name) => this.#secret(name) !== ""),
    };
  }

  /** Without secrets; undefined if invalid, or if a value must not be stored. */
  get values(): Prefill | undefined {
    const { faults, values } = readForm(this.#fields, this.#values);
    return [...faults.values()].every(({ isMissing }) => isMissing) ? values : undefined;
  }

  get request() {
    const secrets = secretNames.map((name) => [name, this.#secret(name)] as const);
    const { values } = readForm(this.#fields, this.#values);
    return requestOf(values, Object.fromEntries(secrets.filter(([, text]) => text !== "")));
  }

  /** It is never sent to another host than it was entered for. */
  #secret(name: SecretName): string {
    const { text = "", target } = this.#secrets.get(name) ?? {};
    return target === targetOf(name, this.#values) ? text : "";
  }

  get faults(): ReadonlyMap<FormPart, Fault> {
    return readForm(this.#fields, this.#values, (name) => this.#secret(name) === "").faults;
  }

  get #problems(): Readonly<Partial<Record<FormPart, string>>> {
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

  /** What is missing or wrong first, else the first input, or the button. */
  get firstPart(): FormFocus {
    const [fault] = this.faults.keys();
    const first = this.#fields.findIndex((field) => !isOdd(field));
    return fault ?? (first < 0 ? "submit" : first);
  }

  get #canClear(): boolean {
    const listed = this.#listed;
    const isBlank = isDeepStrictEqual(alignValues(listed, this.#values), initialValues(listed));
    return !isBlank || listed.length < this.#fields.length;
  }

  get #listed(): readonly FormField[] {
    return this.#fields.filter(({ isUnlisted }) => isUnlisted !== true);
  }

  edit(values: FormValues): void {
    const before = this.#values;
    this.#values = alignValues(this.#fields, values);
    const isChanged = !isDeepStrictEqual(this.#values, before);
    if (isChanged && this.#undo === undefined) this.#origin = undefined;
    this.isEdited = true;
  }

  enter(name: SecretName, text: string): void {
    this.#secrets.set(name, { text, target: targetOf(name, this.#values) });
  }

  give({ values, replaces }: Given, origin = l10n.t("Filled in.")): void {
    const listed = this.#listed;
    const filled = replaces
      ? fillIn(listed, initialValues(listed), values)
      : fillIn(this.#fields, this.#values, values);
    this.#replace(filled.fields, filled.values, origin);
  }

  useExamples(): void {
    const inputs = usableExamples(this.#fields, this.#values.inputs);
    this.give({ values: { inputs }, replaces: false }, l10n.t("Filled in with the examples."));
  }

  /** Replaces all but the task that it runs again from. */
  fill(values: Prefill, origin?: string): void {
    const { from } = this.#values;
    this.give({ values: { ...values, ...defined({ from }) }, replaces: true }, origin);
  }

  paste({ values, secrets, moved }: PastedKickoff): void {
    const names = oneLine(moved.join(", "), 300);
    const extra = l10n.t("Members that Crewdeck doesn't know are now in “Extra”: {0}.", names);
    this.fill(values, moved.length === 0 ? undefined : extra);
    for (const { of, text } of secrets) this.enter(of, text);
  }

  take(input: string, taken: Taken): number {
    const index = this.#fields.findIndex((field) => field.name === input);
    const field = this.#fields[index];
    const before = this.#values.inputs[index];
    if (field === undefined || before === undefined) return index;
    const put = (typed: FormValues["inputs"][number]) => ({
      ...this.#values,
      inputs: this.#values.inputs.map((old) => (old.name === input ? typed : old)),
    });
    const typed = "value" in taken ? asTyped(taken.value, field) : typedIn(taken.text, field);
    const secrets = this.#secrets;
    this.#replace(
      this.#fields,
      put({ name: input, ...typed }),
      l10n.t("“{0}” was filled in from {1}.", input, taken.from),
    );
    this.#secrets = secrets;
    // Undo keeps later edits of other fields.
    this.#undo = () => (this.#values = put(before));
    return index;
  }

  clear(): void {
    const listed = this.#listed;
    this.#replace(listed, initialValues(listed), l10n.t("Cleared."));
  }

  undo(): void {
    if (this.#undo === undefined) return;
    this.#undo();
    this.isEdited = true;
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
    this.#id = randomUUID();
    this.#isStrict = false;
  }

  #replace(fields: readonly FormField[], values: FormValues, origin: string): void {
    const before = { fields: this.#fields, values: this.#values };
    // The same values again, as by a double click, don't change Undo.
    const isMissed = this.#canClear && !isDeepStrictEqual(before.values, values);
    this.#fields = fields;
    this.#values = values;
    // They may be for what was replaced.
    this.#secrets = new Map();
    if (isMissed)
      this.#undo = () => {
        ({ fields: this.#fields, values: this.#values } = before);
        this.#secrets = new Map();
      };
    this.#origin = origin;
    this.#reported = { names: [], inputs: [] };
    this.isEdited = true;
    // A late message from the old page has the old ID and is ignored.
    this.renew();
  }
}
