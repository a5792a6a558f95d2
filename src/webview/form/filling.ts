import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { SecretName } from "../../kickoff/callbacks.ts";
import type { FormFocus, FormToolName, FormView, ToForm } from "../../kickoff/form/messages.ts";
import { readPastedKickoff } from "../../kickoff/form/pasted.ts";
import { isMeantFor, targetOf } from "../../kickoff/form/secrets.ts";
import type { FormPart, FormValues } from "../../kickoff/form/values.ts";
import { host } from "../host.ts";

type ShownView = Extract<FormView, { readonly kind: "form" }>;

/** What the parts of the form show. */
export interface Form {
  readonly view: ShownView;
  /** As typed, newer than those of the view. */
  readonly values: FormValues;
  /** Where the person typed a moment ago: its problem may only be that it is incomplete. */
  readonly typing: FormPart | undefined;
  /** What was typed here, and whether there is a secret for the address. */
  readonly secretOf: (name: SecretName) => { readonly text: string; readonly isHeld: boolean };
}

export const FormContext = createContext<Form | undefined>(undefined);

export function useForm(): Form {
  const form = useContext(FormContext);
  if (form === undefined) throw new Error("The form isn't shown yet.");
  return form;
}

/** After typing, not when focus is lost, which would move a button away from the mouse (ms). */
const problemDelayMs = 600;
const invalid = '[aria-invalid="true"]';

/** What the extension host shows, and what was typed since: the host has it, too, but answers later. */
interface Filling {
  readonly view: ShownView;
  readonly values: FormValues;
  /** Typed here, with their targets; "" if removed. */
  readonly secrets: Readonly<
    Partial<Record<SecretName, { readonly text: string; readonly target: string }>>
  >;
  readonly typing?: FormPart | undefined;
}

let draw: (view: FormView, form?: Form) => void;
let filling: Filling | undefined;
let pause: ReturnType<typeof setTimeout> | undefined;

/** @param onChange draws the page with what is typed */
export function start(onChange: typeof draw): void {
  draw = onChange;
  host.listen<ToForm>({ show: ({ view }) => show(view) });
}

function show(view: FormView): void {
  const { id: crew, name } = view.crew;
  if (view.kind !== "form") {
    filling = undefined;
    host.keep({ crew, name });
    draw(view);
    return;
  }
  host.keep({ crew, name, fields: view.fields });
  const isSame = filling?.view.draft.id === view.draft.id;
  filling = {
    ...(isSame && filling !== undefined ? filling : { values: view.draft.values, secrets: {} }),
    view,
  };
  draw(view, formOf(filling));
  if (view.focus !== undefined) focus(view.focus);
}

function update(change: Partial<Filling>): void {
  if (filling === undefined) return;
  filling = { ...filling, ...change };
  draw(filling.view, formOf(filling));
}

/** Pauses before a problem of what is typed is shown: it may only be incomplete. */
function typed(part: FormPart | undefined): Pick<Filling, "typing"> {
  clearTimeout(pause);
  pause = setTimeout(() => update({ typing: undefined }), problemDelayMs);
  return { typing: part };
}

export function change(values: Partial<FormValues>, part?: FormPart): void {
  if (filling === undefined) return;
  update({ values: { ...filling.values, ...values }, ...typed(part) });
  host.post({ type: "changed", draft: draftOf(filling) });
}

export function changeSecret(name: SecretName, text: string): void {
  if (filling === undefined) return;
  const target = targetOf(name, filling.values);
  update({ secrets: { ...filling.secrets, [name]: { text, target } }, ...typed(name) });
  host.post({ type: "secret", name, target, text });
}

export function submit(): void {
  if (filling === undefined) return;
  update({ typing: undefined });
  host.post({ type: "submit", draft: draftOf(filling) });
}

export function use(tool: FormToolName): void {
  if (filling === undefined || filling.view.isSending) return;
  update({ typing: undefined });
  host.post({ type: "tool", tool });
}

function draftOf({ view, values }: Filling) {
  return { id: view.draft.id, values };
}

function focus(where: FormFocus): void {
  if (where === "submit") reveal(".submit");
  else if (where !== "outcome" && where !== "invalid") focusPart(where);
  else if (!reveal(invalid))
    document.querySelector(".outcome")?.scrollIntoView({ block: "nearest" });
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

function formOf({ view, values, secrets, typing }: Filling): Form {
  return {
    view,
    values,
    typing,
    secretOf: (name) => {
      const { text, target } = secrets[name] ?? { text: "", target: view.secrets[name] };
      const isRemoved = name in secrets && text === "";
      const isHeld = !isRemoved && isMeantFor(targetOf(name, values), target);
      return { isHeld, text: isHeld ? text : "" };
    },
  };
}

/**
 * The body of a kickoff, in an empty input or in no text box, fills in the form: the extension host takes its secrets.
 */
export function pasted(event: ClipboardEvent): void {
  const { target, clipboardData } = event;
  if (filling === undefined || filling.view.isSending || !isPlaceToPaste(target)) return;
  const text = clipboardData?.getData("text/plain") ?? "";
  if (readPastedKickoff(text) === undefined) return;
  // As text, its secrets would be stored and sent.
  event.preventDefault();
  host.post({ type: "paste", text });
}

function isPlaceToPaste(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement)) return true;
  // Inputs have numbers.
  return target.value === "" && /^\d+$/.test(target.dataset["part"] ?? "");
}
