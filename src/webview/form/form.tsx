import * as l10n from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { RunFrom } from "../../kickoff/callbacks.ts";
import {
  type Explanation,
  type FormToolName,
  formToolNames,
  type Origin,
} from "../../kickoff/form/messages.ts";
import { pastedText } from "../../kickoff/texts.ts";
import { Advanced } from "./advanced.tsx";
import { host } from "../host.ts";
import { Field } from "./field.tsx";
import { change, type Form, FormContext, submit, use, useForm } from "./filling.ts";
import { Input } from "./input.tsx";

export function FilledForm({ form }: { readonly form: Form }) {
  const { from } = form.values;
  return (
    <FormContext.Provider value={form}>
      {from !== undefined && (
        <p class="from">
          {from.outputs.length === 0
            ? l10n.t("Runs “{0}” again from the task “{1}”.", from.title, from.taskId)
            : l10n.t(
                "Runs “{0}” again from the task “{1}”. The tasks before it do not run: their outputs, below, are kept.",
                from.title,
                from.taskId,
              )}
        </p>
      )}
      <Tools />
      <Notice />
      <Inputs />
      {from !== undefined && from.outputs.length > 0 && <KeptOutputs from={from} />}
      <Advanced />
      <Footer />
    </FormContext.Provider>
  );
}

function Tools() {
  const { isSending } = useForm().view;
  return (
    <div class="tools">
      {formToolNames.map((tool) => (
        <button
          key={tool}
          type="button"
          class="secondary"
          aria-disabled={isSending}
          onClick={() => use(tool)}
        >
          {toolText(tool)}
        </button>
      ))}
    </div>
  );
}

function toolText(tool: FormToolName): string {
  const texts = {
    fillIn: l10n.t("Fill In From…"),
    saveValues: l10n.t("Save Values…"),
    openAsRequestFile: l10n.t("Open as Request File"),
    copyAsCurl: l10n.t("Copy as cURL"),
  };
  return texts[tool];
}

/** Where the values are from, and how to be rid of them. */
function Notice() {
  const { origin, canUndo, canClear, isSending } = useForm().view;
  const link = (type: "undo" | "clear", text: string) => (
    <button type="button" class="link" onClick={() => host.post({ type })}>
      {text}
    </button>
  );
  return (
    <div class="notice">
      <span role="status">{origin && originText(origin)}</span>
      {canUndo && !isSending && link("undo", l10n.t("Undo"))}
      {canClear && !isSending && link("clear", l10n.t("Clear"))}
    </div>
  );
}

function originText(origin: Origin): string {
  switch (origin.kind) {
    case "draft":
      return l10n.t("Draft restored.");
    case "started":
      return l10n.t("Values of a kickoff that started. Kick Off starts another execution.");
    case "last":
      return l10n.t("Filled in with the last sent values.");
    case "given":
      return l10n.t("Filled in with the chosen values.");
    case "pasted":
      return pastedText(origin.moved);
    case "cleared":
      return l10n.t("Cleared.");
    case "taken":
      return l10n.t("{0} was filled in from {1}.", origin.input, origin.from);
  }
}

function Inputs() {
  const { fields } = useForm().view;
  const shown = fields.map((field, index) => ({
    isOdd: field.isOdd === true,
    element: <Input key={field.name} index={index} />,
  }));
  const odd = shown.filter(({ isOdd }) => isOdd);
  return (
    <div class="inputs">
      {shown.filter(({ isOdd }) => !isOdd).map(({ element }) => element)}
      {fields.length === 0 && <p class="nothing">{l10n.t("This crew asks for no inputs.")}</p>}
      {odd.length > 0 && (
        <details class="odd">
          <summary>
            {odd.length === 1
              ? l10n.t("1 input that crewAI doesn't fill in")
              : l10n.t("{0} inputs that crewAI doesn't fill in", odd.length)}
          </summary>
          <p class="hint">
            {l10n.t(
              "The crew lists everything between braces in its texts as an input. crewAI fills in only names of the letters A to Z, digits, “_” and “-”; these are sent empty.",
            )}
          </p>
          {odd.map(({ element }) => element)}
        </details>
      )}
    </div>
  );
}

/** What a kickoff keeps of the execution that it runs again from a task. */
function KeptOutputs({ from }: { readonly from: RunFrom }) {
  const title = l10n.t("Kept outputs");
  const edit = (index: number, taskId: string, text: string) =>
    change({
      from: { ...from, outputs: from.outputs.with(index, { taskId, text, isEdited: true }) },
    });
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {from.outputs.map(({ taskId, text, isEdited }, index) => (
        <Field
          key={taskId}
          label={taskId}
          box={{ kind: "lines", isCode: false }}
          text={text}
          onText={(text) => edit(index, taskId, text)}
          note={isEdited ? l10n.t("Edited: used in place of the task's own output.") : ""}
        />
      ))}
    </section>
  );
}

function Footer() {
  const { view, values } = useForm();
  const { outcome, blocked, isSending } = view;
  const element = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    // It must not cover a focused field.
    const observer = new ResizeObserver(() => {
      document.documentElement.style.scrollPaddingBottom = `${current.offsetHeight + 8}px`;
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  const isMac = /mac/i.test(navigator.userAgent);
  const title = values.from === undefined ? l10n.t("Kick Off") : l10n.t("Run Again");
  const sending = l10n.t("Kicking off…");
  return (
    <footer ref={element}>
      <div class="outcome" role="alert">
        {outcome?.kind === "refused" && <ExplanationBox explanation={outcome} />}
        {outcome?.kind === "maybeStarted" && (
          <ExplanationBox explanation={outcome} kind="warning">
            <button type="button" onClick={() => host.post({ type: "openExecution" })}>
              {l10n.t("Open Execution")}
            </button>
            <button
              type="button"
              class="secondary"
              onClick={() => host.post({ type: "sendAgain" })}
            >
              {l10n.t("Kick Off Again")}
            </button>
          </ExplanationBox>
        )}
        {blocked !== undefined && <p class="error">{blocked}</p>}
      </div>
      <div class="buttons">
        {/* Not `disabled`, which would lose focus. */}
        <button
          type="button"
          class="submit"
          aria-disabled={isSending || outcome?.kind === "maybeStarted"}
          onClick={submit}
        >
          {isSending ? sending : title}
        </button>
        <span class="keys">{l10n.t("or press {0}", isMac ? "⌘Enter" : "Ctrl+Enter")}</span>
        <span class="keys">
          {l10n.t("{0} in a field: more ways to fill it in", isMac ? "⇧F9" : "Shift+F9")}
        </span>
      </div>
      {/* For screen readers; the button shows the same. */}
      <p class="unseen" role="status">
        {isSending ? sending : ""}
      </p>
    </footer>
  );
}

interface ExplanationProps {
  readonly explanation: Explanation;
  readonly kind?: "error" | "warning";
  readonly children?: ComponentChildren;
}

/** What happened, what a person can do, and buttons for it, which the extension host identifies by index. */
export function ExplanationBox({ explanation, kind = "error", children }: ExplanationProps) {
  const { message, remedy, actions } = explanation;
  return (
    <div class={kind}>
      <p class="message">{message}</p>
      {remedy !== undefined && remedy !== "" && <p>{remedy}</p>}
      {(children !== undefined || actions.length > 0) && (
        <div class="buttons">
          {children}
          {actions.map((title, index) => (
            <button
              key={title}
              type="button"
              class="secondary"
              onClick={() => host.post({ type: "act", index })}
            >
              {title}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
