import * as l10n from "@vscode/l10n";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { RunFrom } from "../../kickoff/callbacks.ts";
import { isOdd } from "../../kickoff/form/fields.ts";
import { type FormView, type Note, valueToolNames } from "../../kickoff/form/messages.ts";
import { draw, host } from "../host.ts";
import { Advanced } from "./advanced.tsx";
import { Field } from "./field.tsx";
import { change, FormContext, pasted, start, submit, use, useForm } from "./filling.ts";
import { Input } from "./input.tsx";

document.addEventListener("paste", pasted);
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
  // Otherwise VS Code would handle the key, too.
  event.preventDefault();
  event.stopPropagation();
  if (!event.repeat) submit();
});
start((view, filling) => {
  const unavailable = view.notes.find(({ kind }) => kind === "unavailable");
  draw(
    <>
      <Header view={view} />
      {filling === undefined && unavailable === undefined && (
        <p class="loading" role="status">
          {l10n.t("Asking the crew for its inputs…")}
        </p>
      )}
      {unavailable !== undefined && (
        <div role="alert">
          <Box note={unavailable} />
        </div>
      )}
      {filling !== undefined && (
        <FormContext.Provider value={filling}>
          <Form notes={view.notes} />
        </FormContext.Provider>
      )}
    </>,
  );
});

function Header({ view: { crew, title, notes } }: { readonly view: FormView }) {
  const above = ["rehearsal", "advice", "hint", "notKept"];
  return (
    <header>
      <h1>{title}</h1>
      {crew.url !== "" && <p class="address">{crew.url}</p>}
      {notes
        .filter(({ kind }) => above.includes(kind))
        .map((note) => (
          <p
            key={note.kind}
            class={`told ${note.kind === "advice" ? "advice" : ""}`}
            role={note.kind === "notKept" ? "status" : undefined}
          >
            {note.text} <Buttons note={note} classOf={() => "link"} />
          </p>
        ))}
    </header>
  );
}

function Buttons({ note, classOf }: { note: Note; classOf: (index: number) => string }) {
  const { kind, actions } = note;
  return (
    <>
      {actions.map((title, index) => (
        <button
          key={title}
          type="button"
          class={classOf(index)}
          onClick={() => host.post({ type: "act", kind, title })}
        >
          {title}
        </button>
      ))}
    </>
  );
}

function Box({ note }: { readonly note: Note }) {
  const { kind, text, remedy, actions } = note;
  const isMain = (index: number) => index === 0 && kind !== "refused";
  return (
    <div class={kind === "maybeStarted" ? "warning" : "error"}>
      <p class="message">{text}</p>
      {remedy !== undefined && remedy !== "" && <p>{remedy}</p>}
      {actions.length > 0 && (
        <div class="buttons">
          <Buttons note={note} classOf={(index) => (isMain(index) ? "" : "secondary")} />
        </div>
      )}
    </div>
  );
}

function Form({ notes }: Pick<FormView, "notes">) {
  const { from } = useForm().values;
  return (
    <>
      {from !== undefined && (
        <p class="told from">
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
      <Origin />
      <Inputs />
      {from !== undefined && from.outputs.length > 0 && <KeptOutputs from={from} />}
      <Advanced />
      <Footer notes={notes} />
    </>
  );
}

function Tools() {
  const { isSending } = useForm().form;
  const texts = {
    fillIn: l10n.t("Fill In From…"),
    saveValues: l10n.t("Save Values…"),
    openAsRequestFile: l10n.t("Open as Request File"),
    copyAsCurl: l10n.t("Copy as cURL"),
  };
  return (
    <div class="tools">
      {(["fillIn", ...valueToolNames] as const).map((tool) => (
        <button
          key={tool}
          type="button"
          class="secondary"
          aria-disabled={isSending}
          onClick={() => use(tool)}
        >
          {texts[tool]}
        </button>
      ))}
    </div>
  );
}

/** Where the values are from, and how to be rid of them. */
function Origin() {
  const { origin, canUndo, canClear, isSending } = useForm().form;
  const link = (tool: "undo" | "clear", text: string) => (
    <button type="button" class="link" onClick={() => use(tool)}>
      {text}
    </button>
  );
  return (
    <div class="notice">
      <span role="status">{origin}</span>
      {canUndo && !isSending && link("undo", l10n.t("Undo"))}
      {canClear && !isSending && link("clear", l10n.t("Clear"))}
    </div>
  );
}

function Inputs() {
  const { fields } = useForm().form;
  const shown = fields.map((field, index) => ({
    isHidden: isOdd(field),
    element: <Input key={field.name} index={index} />,
  }));
  const odd = shown.filter(({ isHidden }) => isHidden);
  return (
    <div class="inputs">
      {shown.filter(({ isHidden }) => !isHidden).map(({ element }) => element)}
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
  const { values } = useForm();
  const title = l10n.t("Kept outputs");
  const edit = (index: number, taskId: string, text: string) => {
    const outputs = from.outputs.with(index, { taskId, text, isEdited: true });
    change({ ...values, from: { ...from, outputs } });
  };
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

function Footer({ notes }: Pick<FormView, "notes">) {
  const { form, values } = useForm();
  const { isSending } = form;
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
  const outcome = notes.find(({ kind }) => kind === "refused" || kind === "maybeStarted");
  const blocked = notes.find(({ kind }) => kind === "blocked");
  return (
    <footer ref={element}>
      <div class="outcome" role="alert">
        {outcome !== undefined && <Box note={outcome} />}
        {blocked !== undefined && <p class="error">{blocked.text}</p>}
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
