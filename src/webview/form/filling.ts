import * as l10n from "@vscode/l10n";
import { type SecretName, secretNames } from "../../kickoff/callbacks.ts";
import type {
  Draft,
  FormFocus,
  FormToolName,
  FormView,
  ToForm,
} from "../../kickoff/form/messages.ts";
import { hasText } from "../../kickoff/form/fields.ts";
import { readPastedKickoff } from "../../kickoff/form/pasted.ts";
import { isMeantFor, keptDraft, targetOf } from "../../kickoff/form/secrets.ts";
import { type Fault, faultsIn, type FormPart, missing } from "../../kickoff/form/validate.ts";
import type { FormValues } from "../../kickoff/form/values.ts";
import { defined } from "../../base/json.ts";
import { host } from "../host.ts";
import type { Form, ShownView } from "./context.ts";

/** After typing, not when focus is lost, which would move a button away from the mouse (ms). */
const problemDelayMs = 600;
const invalid = '[aria-invalid="true"]';

/** A form, and what a person does with its draft. */
interface Filling {
  readonly view: ShownView;
  readonly values: FormValues;
  /** Typed here, with their targets; "" if removed. */
  readonly secrets: Readonly<
    Partial<Record<SecretName, { readonly text: string; readonly target: string }>>
  >;
  /** Since the crew answered. */
  readonly changed: ReadonlySet<FormPart>;
  readonly typing?: FormPart | undefined;
  readonly isSubmitted: boolean;
  /** Whether what is missing is marked. */
  readonly isStrict: boolean;
  readonly blocked?: "checkFields" | "fixFirst" | { readonly refused: string } | undefined;
}

let draw: (view: FormView, form?: Form) => void;
let filling: Filling | undefined;
let pause: ReturnType<typeof setTimeout> | undefined;

/** @param onChange draws the page with what is typed */
export function start(onChange: typeof draw): void {
  draw = onChange;
  // Of an earlier page of this panel.
  const { draft } = host.kept;
  host.listen<ToForm>(
    { show: ({ view }) => show(view) },
    defined({ type: "ready" as const, draft }),
  );
}

/** Keeps the form without its secrets, because VS Code writes the state to disk. No draft: nothing was typed. */
function keep({ crew: { id, name }, fields }: ShownView, draft?: Draft): void {
  host.keep({ crew: id, name, fields, draft: draft && keptDraft(draft) });
}

function show(view: FormView): void {
  if (view.kind !== "form") {
    const { id, name } = view.crew;
    filling = undefined;
    host.keep({ crew: id, name });
    draw(view);
    return;
  }
  const { values } = view.draft;
  const isSame = filling?.view.draft.id === view.draft.id;
  if (!isSame) keep(view, view.isEdited ? view.draft : undefined);
  filling =
    isSame && filling !== undefined
      ? { ...filling, view, isSubmitted: false }
      : { view, values, secrets: {}, changed: new Set(), isSubmitted: false, isStrict: false };
  draw(view, formOf(filling));
  if (view.focus !== undefined) focus(view.focus);
}

function update(change: Partial<Filling>): void {
  if (filling === undefined) return;
  const { blocked, ...next } = { ...filling, ...change };
  const faults = [...faultsOf(next).values()];
  const isBlocked =
    typeof blocked === "object"
      ? change.values === undefined
      : faults.some(({ isMissing }) => blocked === "checkFields" || isMissing !== true);
  filling = isBlocked ? { ...next, blocked } : next;
  draw(filling.view, formOf(filling));
}

/** The target of a secret that was entered. */
function entered({ view, secrets }: Filling, name: SecretName): string | undefined {
  const typed = secrets[name];
  if (typed === undefined) return view.secrets[name];
  return typed.text === "" ? undefined : typed.target;
}

function isHeld(form: Filling, name: SecretName): boolean {
  return isMeantFor(targetOf(name, form.values), entered(form, name));
}

function faultsOf(form: Filling): ReadonlyMap<FormPart, Fault> {
  return faultsIn(form.view.fields, form.values, (name) => {
    if (isHeld(form, name)) return undefined;
    return missing(
      entered(form, name) === undefined
        ? l10n.t("Enter it. Secrets are not saved with the form.")
        : l10n.t("Enter it again: the earlier one was for another host or strategy."),
    );
  });
}

/** Pauses before a problem of what is typed is shown: it may only be incomplete. */
function typed({ changed }: Filling, part: FormPart | undefined): Partial<Filling> {
  clearTimeout(pause);
  pause = setTimeout(() => update({ typing: undefined }), problemDelayMs);
  return { typing: part, ...(part !== undefined && { changed: new Set([...changed, part]) }) };
}

export function change(values: Partial<FormValues>, part?: FormPart): void {
  if (filling === undefined) return;
  const { view } = filling;
  const draft = { id: view.draft.id, values: { ...filling.values, ...values } };
  update({ values: draft.values, ...typed(filling, part) });
  keep(view, draft);
  host.post({ type: "changed", draft });
}

export function changeSecret(name: SecretName, text: string): void {
  if (filling === undefined) return;
  const target = targetOf(name, filling.values);
  update({ secrets: { ...filling.secrets, [name]: { text, target } }, ...typed(filling, name) });
  host.post({ type: "secret", name, target, text });
}

export function submit(): void {
  if (filling === undefined || isSending(filling)) return;
  const { view, values } = filling;
  if (view.outcome?.kind === "maybeStarted") return;
  const isValid = faultsOf(filling).size === 0;
  const blocked = isValid ? undefined : "checkFields";
  update({ typing: undefined, isStrict: true, blocked, isSubmitted: isValid });
  if (!isValid) reveal(invalid);
  else host.post({ type: "submit", draft: { ...view.draft, values } });
}

/** A tool needs readable values, unless it replaces them. */
export function use(tool: FormToolName): void {
  if (filling === undefined || isSending(filling)) return;
  const isReadable = [...faultsOf(filling).values()].every(({ isMissing }) => isMissing);
  if (tool === "fillIn" || isReadable) {
    host.post({ type: "tool", tool });
    return;
  }
  update({ typing: undefined, blocked: "fixFirst" });
  reveal(invalid);
}

function isSending({ view, isSubmitted }: Filling): boolean {
  return view.isSending || isSubmitted;
}

/**
 * An input, else the first empty one, the first, or the button. If a command gave all inputs, only a secret can be
 * missing.
 */
export function focus(where: FormFocus): void {
  if (filling === undefined) return;
  const { values } = filling;
  const { fields, origin } = filling.view;
  if (where === "outcome") {
    if (!reveal(invalid)) document.querySelector(".outcome")?.scrollIntoView({ block: "nearest" });
    return;
  }
  const faults = faultsOf(filling);
  const name = typeof where === "object" ? where.input : undefined;
  const named = fields.findIndex((field) => field.name === name);
  const isGiven =
    origin?.kind === "given" && !fields.some((_, index) => faults.get(index)?.isMissing);
  const secret = isGiven ? secretNames.find((name) => faults.has(name)) : undefined;
  const seen = [...fields.keys()].filter((index) => fields[index]?.isOdd !== true);
  const isEmpty = (index: number) => {
    const value = values.inputs[index];
    return value?.text === "" && hasText(value.mode);
  };
  const part = named >= 0 ? named : (secret ?? seen.find(isEmpty) ?? seen[0]);
  if (where === "submit" || part === undefined) reveal(".submit");
  else focusPart(part);
}

export function focusPart(part: FormPart): void {
  reveal(`[data-part="${part}"]`);
}

/** Moves the focus. What is folded away can't get it. */
function reveal(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector);
  const folded = element?.closest("details");
  if (folded) folded.open = true;
  element?.focus();
  return element !== null;
}

function formOf(form: Filling): Form {
  const { view, values, secrets, changed, isStrict, typing, blocked } = form;
  const faults = faultsOf(form);
  const reported = view.outcome?.kind === "refused" ? view.outcome.missing : [];
  const isReported = (part: FormPart) =>
    typeof part === "number" &&
    !changed.has(part) &&
    reported.some((name) => name === view.fields[part]?.name);
  return {
    view,
    values,
    typing,
    isSending: isSending(form),
    blocked: blockedText(blocked),
    problemOf: (part) => {
      const fault = faults.get(part);
      if (fault !== undefined && (isStrict || fault.isMissing !== true)) return fault.text;
      return isReported(part) ? l10n.t("The crew reports that this input is missing.") : "";
    },
    secretOf: (name) =>
      isHeld(form, name)
        ? { isHeld: true, text: secrets[name]?.text ?? "" }
        : { isHeld: false, text: "" },
  };
}

function blockedText(blocked: Filling["blocked"]): string {
  if (blocked === undefined) return "";
  if (typeof blocked === "object") return blocked.refused;
  return blocked === "checkFields"
    ? l10n.t("Nothing was sent. Check the marked fields.")
    : l10n.t("Fix the marked error first.");
}

/**
 * The body of a kickoff, in an empty input or in no text box, fills in the form: the extension host takes its secrets.
 */
export function pasted(event: ClipboardEvent): void {
  const { target, clipboardData } = event;
  if (filling === undefined || isSending(filling) || !isPlaceToPaste(target)) return;
  const text = clipboardData?.getData("text/plain") ?? "";
  const kickoff = readPastedKickoff(text);
  if (kickoff === undefined) return;
  event.preventDefault();
  // As text, its secrets would be stored and sent.
  if ("refused" in kickoff) update({ blocked: kickoff });
  else host.post({ type: "paste", text });
}

function isPlaceToPaste(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement)) return true;
  // Inputs have numbers.
  return target.value === "" && /^\d+$/.test(target.dataset["part"] ?? "");
}
