import * as l10n from "@vscode/l10n";
import { type SecretName, secretNames } from "../../kickoff/callbacks.ts";
import type {
  Draft,
  FormCrew,
  FormFocus,
  FormToolName,
  FormView,
  FromForm,
  SavedState,
} from "../../kickoff/form/messages.ts";
import { readPasted } from "../../kickoff/form/pasted.ts";
import { isMeantFor, keptDraft, targetOf } from "../../kickoff/form/secrets.ts";
import { type Fault, faultsIn, type FormPart, isMissing } from "../../kickoff/form/validate.ts";
import type { FormValues } from "../../kickoff/form/values.ts";
import { faultText } from "../../kickoff/texts.ts";
import type { Form, ShownView } from "./context.ts";
import { reveal } from "./reveal.ts";

declare function acquireVsCodeApi(): {
  postMessage(message: FromForm): void;
  /** VS Code keeps the state while the page is hidden or moved, and when the window reloads. */
  setState(state: SavedState): void;
  getState(): SavedState | undefined;
};

const api = acquireVsCodeApi();

/** After typing, not when focus is lost, which would move a button away from the mouse (ms). */
const problemDelayMs = 600;
const invalid = '[aria-invalid="true"]';

/** What a person does with one draft, beside the view of it. */
interface Filling {
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
  readonly blocked?: "checkFields" | "fixFirst" | undefined;
}

let draw: (view: FormView, form: Form | undefined) => void;
let view: FormView | undefined;
let filling: Filling | undefined;
let pause: ReturnType<typeof setTimeout> | undefined;

/** @param onChange draws the page with what is typed */
export function start(onChange: typeof draw): void {
  draw = onChange;
  // Of an earlier page of this panel. The extension host validates it.
  const draft = api.getState()?.draft;
  post({ type: "ready", ...(draft && { draft }) });
}

export function post(message: FromForm): void {
  api.postMessage(message);
}

function keepCrew({ id, name }: FormCrew): void {
  api.setState({ ...api.getState(), crew: id, name });
}

/** Keeps the form without its secrets, because VS Code writes the state to disk. No draft: nothing was typed. */
function keep({ crew: { id, name }, fields }: ShownView, draft?: Draft): void {
  api.setState({ crew: id, name, fields, ...(draft && { draft: keptDraft(draft) }) });
}

function redraw(): void {
  const form = shownForm();
  if (view !== undefined) draw(view, form && formOf(form.view, form.filling));
}

export function show(next: FormView): void {
  const isSame = shownForm()?.view.draft.id === (next.kind === "form" ? next.draft.id : undefined);
  view = next;
  if (next.kind !== "form") {
    filling = undefined;
    keepCrew(next.crew);
  } else if (isSame && filling !== undefined) {
    filling = { ...filling, isSubmitted: false };
  } else {
    const { values } = next.draft;
    filling = { values, secrets: {}, changed: new Set(), isSubmitted: false, isStrict: false };
    keep(next, next.isEdited ? next.draft : undefined);
  }
  redraw();
  if (next.kind === "form" && next.focus !== undefined) focus(next.focus);
}

function shownForm(): { readonly view: ShownView; readonly filling: Filling } | undefined {
  return view?.kind === "form" && filling !== undefined ? { view, filling } : undefined;
}

function update(change: Partial<Filling>): void {
  if (filling === undefined) return;
  filling = { ...filling, ...change };
  const { blocked } = filling;
  const faults = [...currentFaults().values()];
  const isBlocked =
    blocked === "checkFields" ? faults.length > 0 : faults.some((fault) => !isMissing(fault));
  if (!isBlocked) filling = { ...filling, blocked: undefined };
  redraw();
}

/** The target of a secret that was entered. */
function entered(name: SecretName): string | undefined {
  const typed = filling?.secrets[name];
  if (typed !== undefined) return typed.text === "" ? undefined : typed.target;
  return view?.kind === "form" ? view.secrets[name] : undefined;
}

function isHeld(name: SecretName, values: FormValues): boolean {
  return isMeantFor(targetOf(name, values), entered(name));
}

function currentFaults(): ReadonlyMap<FormPart, Fault> {
  const form = shownForm();
  if (form === undefined) return new Map();
  const { values } = form.filling;
  return faultsIn(form.view.fields, values, (name) => {
    if (isHeld(name, values)) return undefined;
    return { kind: entered(name) === undefined ? "noSecret" : "otherSecret" };
  });
}

/** Pauses before a problem of what is typed is shown: it may only be incomplete. */
function typed(part: FormPart | undefined): Partial<Filling> {
  clearTimeout(pause);
  pause = setTimeout(() => update({ typing: undefined }), problemDelayMs);
  const changed = filling?.changed ?? [];
  return { typing: part, ...(part !== undefined && { changed: new Set([...changed, part]) }) };
}

function change(values: Partial<FormValues>, part?: FormPart): void {
  const form = shownForm();
  if (form === undefined) return;
  const { view, filling } = form;
  const draft = { id: view.draft.id, values: { ...filling.values, ...values } };
  update({ values: draft.values, ...typed(part) });
  keep(view, draft);
  post({ type: "changed", draft });
}

function changeSecret(name: SecretName, text: string): void {
  const form = shownForm();
  if (form === undefined) return;
  const target = targetOf(name, form.filling.values);
  update({ secrets: { ...form.filling.secrets, [name]: { text, target } }, ...typed(name) });
  post({ type: "secret", name, target, text });
}

export function submit(): void {
  const form = shownForm();
  if (form === undefined || isSending(form) || form.view.outcome?.kind === "maybeStarted") return;
  const isValid = currentFaults().size === 0;
  update({
    typing: undefined,
    isStrict: true,
    blocked: isValid ? undefined : "checkFields",
    isSubmitted: isValid,
  });
  if (!isValid) reveal(invalid);
  else post({ type: "submit", draft: { ...form.view.draft, values: form.filling.values } });
}

function use(tool: FormToolName): void {
  const form = shownForm();
  if (form === undefined || isSending(form)) return;
  const isReadable = [...currentFaults().values()].every(isMissing);
  if (tool === "presets" || isReadable) post({ type: "tool", tool });
  else {
    update({ typing: undefined, blocked: "fixFirst" });
    reveal(invalid);
  }
}

function isSending({ view, filling }: { readonly view: ShownView; readonly filling: Filling }) {
  return view.isSending || filling.isSubmitted;
}

/**
 * An input, else the first empty one, the first, or the button. If a command gave all inputs, only a secret can be
 * missing.
 */
export function focus(where: FormFocus): void {
  const form = shownForm();
  if (form === undefined) return;
  const { fields, origin } = form.view;
  if (where === "outcome") {
    if (!reveal(invalid)) document.querySelector(".outcome")?.scrollIntoView({ block: "nearest" });
    return;
  }
  const faults = currentFaults();
  const name = typeof where === "object" ? where.input : undefined;
  const named = fields.findIndex((field) => field.name === name);
  const isGiven =
    origin?.kind === "given" && !fields.some((_, index) => faults.get(index)?.kind === "missing");
  const secret = isGiven ? secretNames.find((name) => faults.has(name)) : undefined;
  const seen = [...fields.keys()].filter((index) => fields[index]?.isOdd !== true);
  const isEmpty = (index: number) => {
    const { mode, text } = form.filling.values.inputs[index] ?? { mode: "omit", text: "" };
    return text === "" && (mode === "text" || mode === "json" || mode === "fitting");
  };
  const part = named >= 0 ? named : (secret ?? seen.find(isEmpty) ?? seen[0]);
  if (where === "submit" || part === undefined) reveal(".submit");
  else reveal(`[data-part="${part}"]`);
}

function formOf(view: ShownView, filling: Filling): Form {
  const { values, changed, isStrict, typing, blocked } = filling;
  const faults = currentFaults();
  const reported = view.outcome?.kind === "refused" ? view.outcome.missing : [];
  const isReported = (part: FormPart) =>
    typeof part === "number" &&
    !changed.has(part) &&
    reported.some((name) => name === view.fields[part]?.name);
  const texts = {
    checkFields: l10n.t("Nothing was sent. Check the marked fields."),
    fixFirst: l10n.t("Fix the marked error first."),
  };
  return {
    view,
    values,
    typing,
    isSending: isSending({ view, filling }),
    blocked: blocked === undefined ? "" : texts[blocked],
    problemOf: (part) => {
      const fault = faults.get(part);
      if (fault !== undefined && (isStrict || !isMissing(fault))) return faultText(fault);
      return isReported(part) ? l10n.t("The crew reports that this input is missing.") : "";
    },
    secretOf: (name) => {
      const isOwn = isHeld(name, values);
      return { isHeld: isOwn, text: isOwn ? (filling.secrets[name]?.text ?? "") : "" };
    },
    change,
    changeSecret,
    use,
    submit,
    focus: (part) => void reveal(`[data-part="${part}"]`),
  };
}

/** The body of a kickoff in an empty field fills in the form: the extension host takes its secrets. */
export function pasted(event: ClipboardEvent): void {
  const { target, clipboardData } = event;
  const isFree =
    target instanceof HTMLTextAreaElement && target.value === "" && !target.matches(".code");
  const text = clipboardData?.getData("text/plain") ?? "";
  const form = shownForm();
  if (!isFree || form === undefined || isSending(form) || readPasted(text) === undefined) return;
  event.preventDefault();
  post({ type: "paste", text });
}
