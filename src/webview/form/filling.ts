import type { SecretName } from "../../kickoff/callbacks.ts";
import type {
  FormFocus,
  FormView,
  ShownForm,
  ToForm,
  ToolName,
} from "../../kickoff/form/messages.ts";
import type { FormValues } from "../../kickoff/form/values.ts";
import { readPastedKickoff } from "../../kickoff/request-files/request-file.ts";
import { host } from "../host.ts";

/** What the extension host shows, and what was typed since: the host has it, too, but answers later. */
interface Filling {
  readonly form: ShownForm;
  readonly values: FormValues;
}

/** All of the form is drawn with each change. */
export function useForm(): Filling {
  if (filling === undefined) throw new Error("The form isn't shown yet.");
  return filling;
}

let draw: (view: FormView) => void;
let shown: FormView | undefined;
let filling: Filling | undefined;

export function start(onChange: typeof draw): void {
  draw = onChange;
  host.listen<ToForm>({ show: ({ view }) => show(view) });
}

function show(view: FormView): void {
  const { crew, form } = view;
  const isSame = form !== undefined && filling?.form.draft.id === form.draft.id;
  shown = view;
  filling = form && { ...form.draft, ...(isSame && filling), form };
  // What isn't listed comes back with the draft.
  const fields = form?.fields.filter(({ isUnlisted }) => isUnlisted !== true);
  host.keep({ crew: crew.id, name: crew.name, fields });
  draw(view);
  if (form?.focus !== undefined) focus(form.focus);
}

export function change(values: FormValues): void {
  if (filling === undefined || shown === undefined) return;
  filling = { ...filling, values };
  draw(shown);
  host.post({ type: "changed", draft: { id: filling.form.draft.id, values } });
}

/** The page keeps no secret. */
export function changeSecret(name: SecretName, text: string): void {
  if (filling !== undefined) host.post({ type: "secret", id: filling.form.draft.id, name, text });
}

export function submit(isDebugged = false): void {
  if (filling === undefined) return;
  const { form, values } = filling;
  host.post({ type: "submit", draft: { id: form.draft.id, values }, isDebugged });
}

export function use(tool: ToolName): void {
  if (filling?.form.isSending === false) host.post({ type: tool });
}

function focus(where: FormFocus): void {
  if (where === "submit") reveal(".submit");
  else if (where !== "outcome" && where !== "invalid") reveal(`[data-part="${where}"]`);
  else if (!reveal('[aria-invalid="true"]'))
    document.querySelector(".outcome")?.scrollIntoView({ block: "nearest" });
}

/** Moves the focus. What is folded away can't get it. */
function reveal(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector);
  const folded = element?.closest("details");
  if (folded) folded.open = true;
  element?.focus();
  return element !== null;
}

/** A kickoff's body, in an empty input or in no text box, fills in the form. The host takes its secrets. */
export function pasted(event: ClipboardEvent): void {
  const { target, clipboardData } = event;
  if (filling === undefined || filling.form.isSending || !isPlaceToPaste(target)) return;
  const text = clipboardData?.getData("text/plain") ?? "";
  if (readPastedKickoff(text) === undefined) return;
  // As text, its secrets would be stored and sent.
  event.preventDefault();
  host.post({ type: "paste", text });
}

function isPlaceToPaste(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement)) return true;
  // An input is named by its number.
  return target.value === "" && /^\d+$/.test(target.dataset["part"] ?? "");
}
