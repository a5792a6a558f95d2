import * as l10n from "@vscode/l10n";
import {
  controlOf,
  type FieldMode,
  fieldModes,
  type FieldValue,
  type FormField,
  hasText,
  initialValue,
  isRequired,
  switchMode,
} from "../../kickoff/form/fields.ts";
import { host } from "../host.ts";
import { type BoxKind, Field } from "./field.tsx";
import { change, focusPart, useForm } from "./filling.ts";

export function Input({ index }: { readonly index: number }) {
  const { form, values } = useForm();
  const { isSending } = form;
  const [field, value] = [form.fields[index], values.inputs[index]];
  if (field === undefined || value === undefined) return null;
  const { name, description } = field;
  const { mode, text } = value;
  const [initial, required] = [initialValue(field), isRequired(field)];
  const label = name.trim() === "" ? l10n.t("(no name)") : name;
  const need = required ? l10n.t("required") : l10n.t("optional");
  const put = (now: FieldValue) =>
    change({ ...values, inputs: values.inputs.with(index, { name, ...now }) }, index);
  const isChanged = mode !== initial.mode || text !== initial.text;
  return (
    <Field
      part={index}
      label={label}
      mark={field.isUnlisted ? l10n.t("not listed by the crew") : need}
      hint={description}
      isRequired={required}
      box={boxFor(field, mode)}
      text={text}
      onText={(text) => put({ mode, text })}
      note={noteOn(field, value)}
      instead={
        hasText(mode)
          ? undefined
          : (describedBy) => (
              <button
                type="button"
                class="secondary instead"
                data-part={index}
                aria-label={l10n.t("Enter a value: {0}", label)}
                aria-describedby={describedBy}
                aria-keyshortcuts="Shift+F9"
                disabled={isSending}
                onClick={() => {
                  put(switchMode(value, controlOf(field) ? "fitting" : "text"));
                  focusPart(index);
                }}
              >
                {l10n.t("Enter a Value")}
              </button>
            )
      }
      actions={(tabIndex) => (
        <>
          <button
            type="button"
            class="link"
            tabIndex={tabIndex}
            disabled={isSending}
            aria-label={l10n.t("Fill In From…: {0}", label)}
            onClick={() => host.post({ type: "take", input: name })}
          >
            {l10n.t("Fill In From…")}
          </button>
          {field.default !== undefined && isChanged && (
            <button
              type="button"
              class="link"
              tabIndex={tabIndex}
              disabled={isSending}
              aria-label={l10n.t("Reset to Default: {0}", label)}
              onClick={() => {
                put(initial);
                focusPart(index);
              }}
            >
              {l10n.t("Reset to Default")}
            </button>
          )}
          <select
            class="mode"
            tabIndex={tabIndex}
            disabled={isSending}
            aria-label={l10n.t("Send {0} as", label)}
            value={mode}
            onChange={({ currentTarget }) => {
              const chosen = fieldModes.find((one) => one === currentTarget.value) ?? "text";
              put(switchMode(value, chosen));
            }}
          >
            {modesOf(field).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </>
      )}
    />
  );
}

function modesOf(field: FormField): readonly (readonly [FieldMode, string])[] {
  const control = controlOf(field);
  const number = control === "integer" ? l10n.t("Whole number") : l10n.t("Number");
  const choice = field.enum === undefined ? l10n.t("True or false") : l10n.t("Choice");
  return [
    ...(control === undefined
      ? []
      : [["fitting", Array.isArray(control) ? choice : number] as const]),
    ["text", l10n.t("Text")],
    ["json", l10n.t("JSON")],
    ["empty", l10n.t("Empty text")],
    ["null", l10n.t("null")],
    ["omit", l10n.t("Leave out")],
  ];
}

function noteOn(field: FormField, { mode, text }: FieldValue): string {
  if (mode === "empty") return l10n.t('Sent as an empty text: "".');
  if (mode === "null") return l10n.t("Sent as null.");
  if (mode === "omit") return l10n.t("Left out: not sent.");
  if (isRequired(field) || (mode === "text" ? text : text.trim()) !== "") return "";
  return field.default === undefined
    ? l10n.t("Not sent while it is blank.")
    : l10n.t("Not sent while it is blank: the crew uses its default.");
}

function boxFor(field: FormField, mode: FieldMode): BoxKind {
  const control = controlOf(field);
  if (mode !== "fitting" || control === undefined)
    return { kind: "lines", isCode: mode === "json" };
  if (!Array.isArray(control))
    return { kind: "line", inputmode: control === "integer" ? "numeric" : "decimal" };
  const choices = control.map((json) => ({ value: json, label: labelOf(json) }));
  return { kind: "choice", choices: [{ value: "", label: l10n.t("Choose…") }, ...choices] };
}

function labelOf(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === "string" && value.trim() !== "" ? value : json;
}
