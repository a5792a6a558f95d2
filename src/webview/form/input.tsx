import * as l10n from "@vscode/l10n";
import {
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
import { host } from "../host.ts";
import { type BoxKind, Field } from "./field.tsx";
import { change, useForm } from "./filling.ts";

export function Input({ index }: { readonly index: number }) {
  const { form, values } = useForm();
  const [field, value] = [form.fields[index], values.inputs[index]];
  if (field === undefined || value === undefined) return null;
  const { name, description } = field;
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

/** A list or a line if that can show the value. */
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
