import type { RunFrom } from "../kickoff/callbacks.ts";
import { fill } from "../kickoff/form/messages.ts";
import type { FormTexts } from "../kickoff/texts.ts";
import { Control } from "./control.ts";
import { make } from "./dom.ts";

/** What a kickoff keeps of the execution that it runs again from a task. */
export class KeptOutputs {
  readonly intro: HTMLElement;
  readonly element: HTMLElement;
  readonly #from: RunFrom;
  readonly #controls: readonly Control[];
  readonly #edited = new Set<Control>();

  constructor(from: RunFrom, texts: FormTexts, onInput: () => void) {
    const { title, taskId, outputs } = from;
    const hasOutputs = outputs.length > 0;
    const intro = hasOutputs ? texts.from.introKept : texts.from.intro;
    this.#from = from;
    this.intro = make("p", { class: "from" }, fill(intro, title, taskId));
    this.#controls = outputs.map(({ taskId: label, text, isEdited }) => {
      const mark = () => {
        this.#edited.add(control);
        control.note = texts.from.edited;
      };
      const control: Control = new Control(
        {
          label,
          box: { kind: "lines", isCode: false },
          text,
          check: () => undefined,
          onInput: () => {
            mark();
            onInput();
          },
        },
        texts,
      );
      if (isEdited === true) mark();
      return control;
    });
    const heading = hasOutputs ? make("h2", {}, texts.from.outputs) : undefined;
    const parts = this.#controls.map((control) => control.element);
    this.element = make("section", { "aria-label": texts.from.outputs }, heading, ...parts);
    this.element.hidden = !hasOutputs;
  }

  get value(): RunFrom {
    const outputs = this.#from.outputs.map(({ taskId, text }, index) => {
      const control = this.#controls[index];
      return control !== undefined && this.#edited.has(control)
        ? { taskId, text: control.text, isEdited: true as const }
        : { taskId, text };
    });
    return { ...this.#from, outputs };
  }

  set isReadOnly(isReadOnly: boolean) {
    for (const control of this.#controls) control.isReadOnly = isReadOnly;
  }
}
