import * as l10n from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { oneLine } from "../../base/text.ts";
import {
  asTyped,
  choicesOf,
  type FieldMode,
  fieldModes,
  type FieldValue,
  type FormField,
  isNumber,
  isRequired,
  switchMode,
  usualMode,
} from "../../kickoff/form/fields.ts";
import type { FormPart } from "../../kickoff/form/values.ts";
import { host } from "../host.ts";
import { change, useForm } from "./filling.ts";

export function Input({ index }: { readonly index: number }) {
  const { form, values } = useForm();
  const [field, value] = [form.fields[index], values.inputs[index]];
  if (field === undefined || value === undefined) return null;
  const { name, description, example } = field;
  const { mode, text } = value;
  const required = isRequired(field);
  const label = name.trim() === "" ? l10n.t("(no name)") : name;
  const need = required ? l10n.t("required") : l10n.t("optional");
  const put = (now: FieldValue) =>
    change({ ...values, inputs: values.inputs.with(index, { name, ...now }) });
  const isBlank = (mode === "text" ? text : text.trim()) === "";
  return (
    <Field
      part={index}
      label={label}
      mark={field.isUnlisted ? l10n.t("not listed by the crew") : need}
      hint={description}
      placeholder={
        example === undefined
          ? undefined
          : l10n.t("Example: {0}", oneLine(asTyped(example, field).text, 200))
      }
      isRequired={required}
      box={boxFor(field, value)}
      text={text}
      // Typing takes back that it is left out.
      onText={(text) => put({ mode: mode === "omit" ? usualMode(field) : mode, text })}
      note={mode === "omit" || (isBlank && !required) ? l10n.t("Not sent.") : ""}
      actions={
        <>
          <button
            type="button"
            class="link"
            tabIndex={-1}
            disabled={form.isSending}
            aria-label={l10n.t("Fill In From…: {0}", label)}
            onClick={() => host.post({ type: "take", input: name })}
          >
            {l10n.t("Fill In From…")}
          </button>
          <select
            class="mode"
            tabIndex={-1}
            disabled={form.isSending}
            aria-label={l10n.t("Send {0} as", label)}
            value={mode}
            onChange={({ currentTarget }) => {
              const chosen = fieldModes.find((one) => one === currentTarget.value) ?? "text";
              put(switchMode(value, chosen));
            }}
          >
            {fieldModes.map((each) => (
              <option key={each} value={each}>
                {modeLabel(field, each)}
              </option>
            ))}
          </select>
        </>
      }
    />
  );
}

function modeLabel(field: FormField, mode: FieldMode): string {
  if (mode === "text") return l10n.t("Text");
  if (mode === "omit") return l10n.t("Leave out");
  if (isNumber(field)) return l10n.t("Number");
  return choicesOf(field) === undefined ? l10n.t("JSON") : l10n.t("Choice");
}

function boxFor(field: FormField, { mode, text }: FieldValue): BoxKind {
  const isJson = (mode === "omit" ? usualMode(field) : mode) === "json";
  const choices = choicesOf(field);
  if (isJson && choices !== undefined && (text === "" || choices.includes(text))) {
    const labelled = choices.map((json) => [json, labelOf(json)] as const);
    return { kind: "choice", choices: [["", l10n.t("Choose…")], ...labelled] };
  }
  return isJson && isNumber(field) && !text.includes("\n")
    ? { kind: "line", inputmode: "decimal" }
    : { kind: "lines", isCode: isJson };
}

function labelOf(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === "string" && value.trim() !== "" ? value : json;
}

export type BoxKind =
  | { readonly kind: "lines"; readonly isCode: boolean }
  | { readonly kind: "line"; readonly inputmode: "url" | "decimal" | "text" }
  /** What is typed stays only in the box, until its `target` changes. */
  | { readonly kind: "secret"; readonly target: string }
  | { readonly kind: "choice"; readonly choices: readonly (readonly [string, string])[] };

interface FieldProps {
  readonly label: string;
  readonly mark?: string;
  readonly hint?: string | undefined;
  /** Shows an example, or that a secret is stored. */
  readonly placeholder?: string | undefined;
  readonly isRequired?: boolean;
  readonly isNested?: boolean;
  readonly part?: FormPart;
  readonly box: BoxKind;
  readonly text: string;
  readonly note?: string;
  readonly onText: (text: string) => void;
  /** Buttons and lists on the label's line. Shift+F9 leads to one after the other: Tab goes from value to value. */
  readonly actions?: ComponentChildren;
}

let count = 0;

export function Field(props: FieldProps) {
  const { label, mark, hint, part, note, actions, isNested } = props;
  const { form } = useForm();
  // Preact's `useId` repeats itself for what is added later.
  const [id] = useState(() => `part-${++count}`);
  const problem = part === undefined ? "" : (form.problems[part] ?? "");
  return (
    <div
      class={isNested ? "field nested" : "field"}
      onKeyDown={(event) => {
        const { currentTarget, key, shiftKey } = event;
        const others = [...currentTarget.querySelectorAll<HTMLElement>(".actions > *")];
        const index = others.findIndex((other) => other === document.activeElement);
        const isNext = key === "F9" && shiftKey && others.length > 0;
        if (!isNext && !(key === "Escape" && index >= 0)) return;
        event.preventDefault();
        // Otherwise VS Code would handle the key, too.
        event.stopPropagation();
        const value = currentTarget.querySelector<HTMLElement>("[data-part]");
        (isNext ? (others[index + 1] ?? others[0]) : value)?.focus();
      }}
    >
      <div class="heading">
        <label for={id}>{label}</label>
        {mark !== undefined && <span class="mark">{mark}</span>}
      </div>
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
      <Box {...props} id={id} isInvalid={problem !== ""} />
      <p class="problem" id={`${id}-problem`}>
        {problem}
      </p>
      <p class="note" id={`${id}-note`}>
        {note}
      </p>
      {actions && <div class="actions">{actions}</div>}
    </div>
  );
}

function Box(props: FieldProps & { id: string; isInvalid: boolean }) {
  const { id, isInvalid, isRequired, part, box, text, placeholder, onText, actions } = props;
  const { isSending } = useForm().form;
  const attributes = {
    id,
    "data-part": part,
    "aria-describedby": `${id}-hint ${id}-problem ${id}-note`,
    "aria-required": isRequired === true ? ("true" as const) : undefined,
    "aria-invalid": isInvalid ? ("true" as const) : undefined,
    "aria-keyshortcuts": actions ? "Shift+F9" : undefined,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onText(currentTarget.value),
  };
  if (box.kind === "lines")
    return (
      <textarea
        {...attributes}
        value={text}
        placeholder={placeholder}
        class={box.isCode ? "code" : undefined}
        rows={1}
        spellcheck={!box.isCode}
        readOnly={isSending}
      />
    );
  if (box.kind === "choice")
    return (
      <select {...attributes} value={text} disabled={isSending}>
        {box.choices.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    );
  return (
    <input
      key={box.kind === "secret" && box.target}
      {...attributes}
      {...(box.kind === "line"
        ? { type: "text", inputmode: box.inputmode, value: text }
        : { type: "password" })}
      placeholder={placeholder}
      spellcheck={false}
      autocomplete="off"
      readOnly={isSending}
    />
  );
}
