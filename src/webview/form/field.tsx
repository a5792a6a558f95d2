import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { FormPart } from "../../kickoff/form/values.ts";
import { useForm } from "./filling.ts";

export type BoxKind =
  | { readonly kind: "lines"; readonly isCode: boolean }
  | { readonly kind: "line"; readonly inputmode: "url" | "decimal" | "text" }
  /** What is typed stays only in the box, until its `target` changes. `placeholder` shows that it is stored. */
  | { readonly kind: "secret"; readonly target: string; readonly placeholder: string }
  /** Values with their labels. */
  | { readonly kind: "choice"; readonly choices: readonly (readonly [string, string])[] };

export interface FieldProps {
  readonly label: string;
  readonly mark?: string;
  readonly hint?: string | undefined;
  readonly isRequired?: boolean;
  /** Whether it belongs to the field above. */
  readonly isNested?: boolean;
  /** What can have a problem or get the focus. */
  readonly part?: FormPart;
  readonly box: BoxKind;
  readonly text: string;
  readonly note?: string;
  readonly onText: (text: string) => void;
  /** Buttons and lists on the label's line. Shift+F9 leads to one after the other: Tab goes from value to value. */
  readonly actions?: ComponentChildren;
}

export function Field(props: FieldProps) {
  const { label, mark, hint, part, note, actions, isNested } = props;
  const { form } = useForm();
  const id = useUniqueId();
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
  const { id, isInvalid, isRequired, part, box, text, onText, actions } = props;
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
        class={box.isCode ? "code" : undefined}
        // For browsers whose style sheet can't resize a text area (Firefox).
        rows={CSS.supports("field-sizing", "content") ? 1 : Math.min(text.split("\n").length, 20)}
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
        : { type: "password", placeholder: box.placeholder })}
      spellcheck={false}
      autocomplete="off"
      readOnly={isSending}
    />
  );
}

let count = 0;

/** Preact's `useId` repeats itself for what is added later. */
function useUniqueId(): string {
  return useState(() => `part-${++count}`)[0];
}
