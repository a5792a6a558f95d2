import * as l10n from "@vscode/l10n";
import { useRef } from "preact/hooks";
import { isOdd, usableExamples } from "../../kickoff/form/fields.ts";
import { type FormView, type Note, valueToolNames } from "../../kickoff/form/messages.ts";
import { Button, useResize } from "../controls.tsx";
import { draw, host } from "../host.ts";
import { Advanced } from "./advanced.tsx";
import { Field, Input } from "./field.tsx";
import { change, pasted, start, submit, use, useForm } from "./filling.ts";

document.addEventListener("paste", pasted);
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
  // Otherwise VS Code would handle the key, too.
  event.preventDefault();
  event.stopPropagation();
  if (!event.repeat) submit();
});
start((view) => {
  const { crew, title, notes, form } = view;
  const settingUp = notes.some(({ kind }) => kind === "setUp");
  const unavailable = notes.find(({ kind }) => kind === "unavailable");
  const above = ["setUp", "rehearsal", "advice", "hint", "notKept"];
  draw(
    <>
      <header>
        <h1>{title}</h1>
        {crew.url !== "" && <p class="address">{crew.url}</p>}
        {notes
          .filter(({ kind }) => above.includes(kind))
          .map((note) => (
            <p
              key={note.kind}
              class={note.kind === "advice" ? "told advice" : "told"}
              role={["setUp", "notKept"].includes(note.kind) ? "status" : undefined}
            >
              {note.text} <Buttons note={note} kind="link" />
            </p>
          ))}
      </header>
      {form === undefined && unavailable === undefined && (
        <p class="loading" role="status">
          {l10n.t("Asking the crew for its inputs…")}
        </p>
      )}
      {unavailable !== undefined && !settingUp && (
        <div role="alert">
          <Box note={unavailable} />
        </div>
      )}
      {form !== undefined && <Form {...{ notes, crew }} />}
    </>,
  );
});

function Buttons({ note, kind }: { readonly note: Note; readonly kind: "link" | "secondary" }) {
  return (
    <>
      {note.actions.map((title) => (
        <Button
          key={title}
          kind={kind}
          label={title}
          onClick={() => host.post({ type: "act", kind: note.kind, title })}
        />
      ))}
    </>
  );
}

function Box({ note }: { readonly note: Note }) {
  return (
    <div class={note.kind === "maybeStarted" ? "warning" : "error"}>
      <p class="message">{note.text}</p>
      {note.remedy && <p>{note.remedy}</p>}
      {note.actions.length > 0 && (
        <div class="buttons">
          <Buttons note={note} kind="secondary" />
        </div>
      )}
    </div>
  );
}

function Form(shown: Pick<FormView, "notes" | "crew">) {
  const { from } = useForm().values;
  return (
    <>
      {from !== undefined && (
        <p class="told from">
          {l10n.t(
            "Runs “{0}” again from the task “{1}”. The tasks before it do not run: their outputs are kept.",
            from.title,
            from.taskId,
          )}
        </p>
      )}
      <Tools />
      <Inputs />
      <KeptOutputs />
      <Advanced />
      <Footer {...shown} />
    </>
  );
}

function Tools() {
  const { form, values } = useForm();
  const { fields, origin, canUndo, canClear, isSending } = form;
  const hasExamples = Object.keys(usableExamples(fields, values.inputs)).length > 0;
  const texts = {
    fillIn: l10n.t("Fill In From…"),
    saveValues: l10n.t("Save Values…"),
    openAsRequestFile: l10n.t("Open as Request File"),
    copyAsCurl: l10n.t("Copy as cURL"),
    useExamples: l10n.t("Use Examples"),
    undo: l10n.t("Undo"),
    clear: l10n.t("Clear"),
  };
  const button = (tool: keyof typeof texts, kind: "secondary" | "link") => (
    <Button
      key={tool}
      kind={kind}
      label={texts[tool]}
      isOff={isSending}
      onClick={() => use(tool)}
    />
  );
  return (
    <>
      <div class="tools">
        {(["fillIn", ...valueToolNames] as const).map((tool) => button(tool, "secondary"))}
      </div>
      <div class="notice">
        <span role="status">{origin}</span>
        {hasExamples && !isSending && button("useExamples", "link")}
        {canUndo && !isSending && button("undo", "link")}
        {canClear && !isSending && button("clear", "link")}
      </div>
    </>
  );
}

function Inputs() {
  const { fields } = useForm().form;
  const elements = (isHidden: boolean) =>
    fields.flatMap((field, index) =>
      isOdd(field) === isHidden ? [<Input key={field.name} index={index} />] : [],
    );
  const odd = elements(true);
  return (
    <div class="inputs">
      {elements(false)}
      {fields.length === 0 && <p class="nothing">{l10n.t("This crew asks for no inputs.")}</p>}
      {odd.length > 0 && (
        <details class="odd">
          <summary>{l10n.t("Inputs that crewAI doesn't fill in: {0}", odd.length)}</summary>
          <p class="hint">
            {l10n.t(
              "The crew lists everything between braces in its texts as an input. crewAI fills in only names of the letters A to Z, digits, “_” and “-”; these are sent empty.",
            )}
          </p>
          {odd}
        </details>
      )}
    </div>
  );
}

function KeptOutputs() {
  const { values } = useForm();
  const { from } = values;
  if (from === undefined || from.outputs.length === 0) return null;
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

function Footer({ notes, crew }: Pick<FormView, "notes" | "crew">) {
  const { form, values } = useForm();
  const { isSending } = form;
  const element = useRef<HTMLElement>(null);
  // It must not cover a focused field.
  useResize(element, ({ offsetHeight }) => {
    document.documentElement.style.scrollPaddingBottom = `${offsetHeight + 8}px`;
  });
  const isMac = /mac/i.test(navigator.userAgent);
  const title = values.from === undefined ? l10n.t("Kick Off") : l10n.t("Run Again");
  const sending = l10n.t("Kicking off…");
  const below = ["refused", "maybeStarted", "blocked"];
  const mayHaveStarted = notes.some(({ kind }) => kind === "maybeStarted");
  return (
    <footer ref={element}>
      <div class="outcome" role="alert">
        {notes
          .filter(({ kind }) => below.includes(kind))
          .map((note) => (
            <Box key={note.kind} note={note} />
          ))}
      </div>
      <div class="buttons">
        <Button
          kind="submit"
          label={isSending ? sending : title}
          isOff={isSending || mayHaveStarted}
          onClick={() => submit()}
        />
        {crew.canDebug === true && (
          <Button
            kind="secondary"
            label={l10n.t("Debug")}
            isOff={isSending || mayHaveStarted}
            onClick={() => submit(true)}
          />
        )}
        <span class="keys">{l10n.t("or press {0}", isMac ? "⌘Enter" : "Ctrl+Enter")}</span>
        <span class="keys">
          {l10n.t("{0} in a field: more ways to fill it in", isMac ? "⇧F9" : "Shift+F9")}
        </span>
      </div>
      {/* For screen readers; the button shows the same. */}
      <p class="unseen" role="status">
        {isSending && sending}
      </p>
    </footer>
  );
}
