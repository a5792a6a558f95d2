import { isDeepStrictEqual } from "node:util";
import * as l10n from "@vscode/l10n";
import { CrewApiError } from "../../api/errors.ts";
import type { CrewInputs, KickoffRequest } from "../../api/types.ts";
import type { Clock } from "../../base/clock.ts";
import { actionsOf, UserError, type ErrorAction } from "../../base/errors.ts";
import { defined } from "../../base/json.ts";
import type { Handlers } from "../../base/protocol.ts";
import type { Execution } from "../../executions/model.ts";
import { MaybeStartedError } from "../../sending/kickoff.ts";
import type { Prefill } from "../callbacks.ts";
import { readPastedKickoff } from "../request-files/request-file.ts";
import { formTitle, keepChangedText } from "../texts.ts";
import { FormContent, type Given, type Seed } from "./content.ts";
import { formFields, type FormField } from "./fields.ts";
import type { FormMemory } from "./memory.ts";
import {
  type FormFocus,
  type FormView,
  type FromForm,
  type Note,
  noteKinds,
  type NoteKind,
  type Taken,
  type ToForm,
  type ValueTool,
} from "./messages.ts";

/** Without typing (ms): to store is a write to the disk, and half a text is no problem yet. */
const draftPause = 300;

export type FormCrew = FormView["crew"];

export interface Told extends Omit<Note, "kind" | "actions"> {
  readonly actions?: readonly { readonly title: string; readonly run: () => unknown }[];
}

export interface LoadOptions {
  readonly fresh: boolean;
  /** Whether to start a stopped local crew: only if the person asks. */
  readonly startsCrew: boolean;
}

/** What a form needs of VS Code. Values have no secrets; undefined is cancelled. */
export interface FormHost extends Readonly<
  Record<ValueTool, (crew: FormCrew, values: Prefill) => Promise<unknown>>
> {
  readonly clock: Clock;
  readonly memory: Pick<FormMemory, "saveDraft" | "sent" | "keeps">;
  readonly inputs: (options: LoadOptions) => Promise<CrewInputs>;
  readonly send: (
    request: KickoffRequest,
    localId: string,
    isDebugged: boolean,
  ) => Promise<Execution>;
  readonly isReady: () => boolean;
  readonly post: (message: ToForm) => void;
  readonly fillIn: (crew: FormCrew) => Promise<Prefill | undefined>;
  readonly takeValue: (crew: FormCrew, input: string) => Promise<Taken | undefined>;
  readonly onStarted: (execution: Execution) => void;
  /** Undefined if only the kickoff's claim is stored. */
  readonly openExecution: (execution: Execution | undefined) => unknown;
  readonly runAction: (action: ErrorAction) => unknown;
  readonly onLateProblem: (error: unknown) => void;
}

export class FormSession {
  readonly #host: FormHost;
  #crew: FormCrew;
  #seed: Seed;
  #content: FormContent | undefined;
  readonly #notes = new Map<NoteKind, Told>();
  #isClosed = false;
  #focus: FormFocus | "first" | undefined;
  /** Without what is typed, and the focus. */
  #posted: unknown;
  #cancelSave: (() => void) | undefined;
  /** Only the newest load shows its answer. */
  #loads = 0;
  /** Stays true after a start. */
  #isSending = false;
  #sent: Promise<void> = Promise.resolve();
  /** Whether it was said which outputs don't fit: the next kickoff keeps them. */
  #keepsChanged = false;

  constructor(crew: FormCrew, seed: Seed, host: FormHost, { takesFocus = true } = {}) {
    this.#crew = crew;
    this.#seed = seed;
    this.#host = host;
    this.#focus = takesFocus ? "first" : undefined;
    // Given values make it another kickoff.
    if (seed.earlier instanceof MaybeStartedError && seed.given === undefined)
      this.#mayHaveStarted(seed.earlier);
  }

  resume(fields: readonly FormField[]): void {
    this.#content = new FormContent(fields, this.#seed);
    this.#changed();
  }

  async load(options: LoadOptions): Promise<void> {
    const load = ++this.#loads;
    this.#forget("unavailable");
    this.#show();
    try {
      const inputs = await this.#host.inputs(options);
      if (load !== this.#loads) return;
      this.#content = new FormContent(formFields(inputs), this.#seed);
    } catch (error) {
      if (load !== this.#loads) return;
      const run = () => this.load({ fresh: true, startsCrew: true });
      this.#explain("unavailable", error, [{ title: l10n.t("Try Again"), run }]);
    }
    this.#changed();
  }

  get isUnavailable(): boolean {
    return this.#notes.has("unavailable");
  }

  give(given: Given): void {
    if (this.#content === undefined) this.#seed = { ...this.#seed, given };
    else this.#replace((content) => content.give(given));
  }

  set crew(crew: FormCrew) {
    this.#crew = crew;
    this.#show();
  }

  /** What is to say of the crew now; undefined for nothing. */
  tell(kind: "setUp" | "rehearsal" | "advice" | "hint", note: Told | undefined): void {
    if (note === undefined) this.#forget(kind);
    else this.#notes.set(kind, note);
    this.#show();
  }

  /** Call it before a note goes that has the focus, or when something else of VS Code has had it. */
  takeFocus(): void {
    this.#focus = "first";
    this.#show();
  }

  /** Settles when a request in progress has ended and its outcome is stored. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#saveNow();
    await this.#sent;
    // A refused draft has a new ID, and must be stored before it can be moved.
    if (this.#cancelSave !== undefined) this.#saveNow();
  }

  readonly on: Handlers<FromForm> = {
    ready: () => {
      this.#posted = undefined;
      this.#show();
    },
    changed: ({ draft }) => {
      if (!this.#isCurrent(draft.id)) return;
      this.#content?.edit(draft.values);
      this.#forget("blocked");
      this.#saveSoon();
    },
    submit: ({ draft, isDebugged = false }) => {
      const content = this.#content;
      if (content === undefined || !this.#isCurrent(draft.id)) return;
      if (this.#notes.has("maybeStarted")) return;
      content.edit(draft.values);
      if (content.faults.size > 0) {
        content.markMissing();
        this.#block();
        return;
      }
      this.#isSending = true;
      this.#forget("refused", "blocked");
      this.#saveNow();
      this.#sent = this.#send(content, isDebugged);
      this.#show();
    },
    secret: ({ id, name, text }) => {
      if (!this.#isCurrent(id)) return;
      this.#content?.enter(name, text);
      this.#saveSoon();
    },
    clear: () => this.#replace((content) => content.clear()),
    undo: () => this.#replace((content) => content.undo()),
    fillIn: async () => {
      const values = await this.#host.fillIn(this.#crew);
      if (values !== undefined) this.#replace((content) => content.fill(values));
    },
    useExamples: () => this.#replace((content) => content.useExamples()),
    saveValues: () => this.#use("saveValues"),
    openAsRequestFile: () => this.#use("openAsRequestFile"),
    copyAsCurl: () => this.#use("copyAsCurl"),
    take: async ({ input }) => {
      const taken = await this.#host.takeValue(this.#crew, input);
      if (taken !== undefined) this.#replace((content) => content.take(input, taken));
    },
    paste: ({ text }) => {
      const pasted = readPastedKickoff(text);
      if (pasted === undefined) return;
      if ("refused" in pasted) throw new UserError(pasted.refused);
      this.#replace((content) => content.paste(pasted));
    },
    act: ({ kind, title }) => {
      const { actions } = this.#notes.get(kind) ?? {};
      return actions?.find((action) => action.title === title)?.run();
    },
  };

  async #use(tool: ValueTool): Promise<void> {
    const values = this.#content?.values;
    // A file has no place for the task from which to run again.
    const from = tool === "copyAsCurl" ? values?.from : undefined;
    if (values === undefined) this.#block();
    else await this.#host[tool](this.#crew, defined({ ...values, from }));
  }

  #block(): void {
    this.#notes.set("blocked", { text: l10n.t("Nothing was sent. Check the marked fields.") });
    this.#focus = "invalid";
    this.#show();
  }

  async #send(content: FormContent, isDebugged: boolean): Promise<void> {
    const { draft, request } = content;
    const { runAgain } = request;
    const keepChanged = this.#keepsChanged || undefined;
    const from = runAgain && { runAgain: { ...runAgain, ...defined({ keepChanged }) } };
    let execution: Execution;
    try {
      execution = await this.#host.send({ ...request, ...from }, draft.id, isDebugged);
    } catch (error) {
      this.#notStarted(error, content);
      return;
    }
    this.#host.memory.sent(this.#crew.id, draft);
    this.#content = undefined;
    this.#host.onStarted(execution);
  }

  #notStarted(error: unknown, content: FormContent): void {
    this.#isSending = false;
    if (error instanceof MaybeStartedError) {
      this.#mayHaveStarted(error);
    } else {
      content.require(error instanceof CrewApiError ? error.missingInputs : []);
      this.#keepsChanged = error instanceof CrewApiError && error.canKeepChanged === true;
      content.renew();
      this.#explain("refused", error);
      this.#saveSoon();
    }
    this.#focus = "outcome";
    if (this.#isClosed) this.#host.onLateProblem(error);
    else this.#show();
  }

  #mayHaveStarted(error: MaybeStartedError): void {
    const sendAgain = () => {
      // A new ID is a new kickoff: the person knows that the first one may run.
      this.#content?.renew();
      this.#forget("maybeStarted");
      this.#focus = "submit";
      this.#changed();
    };
    this.#explain("maybeStarted", error, [
      { title: l10n.t("Open Execution"), run: () => this.#host.openExecution(error.execution) },
      { title: l10n.t("Kick Off Again"), run: sendAgain },
    ]);
  }

  #explain(kind: NoteKind, error: unknown, own: Told["actions"] = []): void {
    const isOfCrew = error instanceof CrewApiError || error instanceof MaybeStartedError;
    const canKeep = kind === "refused" && this.#keepsChanged;
    const remedy = canKeep ? keepChangedText() : isOfCrew ? error.remedy : undefined;
    const given = actionsOf(error).map((action) => ({
      title: action.title,
      run: () => this.#host.runAction(action),
    }));
    this.#notes.set(kind, {
      text: error instanceof Error ? error.message : String(error),
      ...defined({ remedy }),
      actions: [...own, ...given],
    });
  }

  #forget(...kinds: readonly NoteKind[]): void {
    for (const kind of kinds) this.#notes.delete(kind);
  }

  #isCurrent(id: string): boolean {
    return id === this.#content?.draft.id && !this.#isSending;
  }

  /** @param change may return the input that gets the focus */
  #replace(change: (content: FormContent) => unknown): void {
    const content = this.#content;
    if (content === undefined || this.#isSending) return;
    const part = change(content);
    this.#focus = typeof part === "number" ? part : "first";
    this.#forget("refused", "maybeStarted", "blocked");
    this.#keepsChanged = false;
    this.#changed();
  }

  #changed(): void {
    this.#saveSoon();
    this.#show();
  }

  #saveSoon(): void {
    this.#cancelSave?.();
    this.#cancelSave = this.#host.clock.after(draftPause, () => this.#saveNow());
  }

  #saveNow(): void {
    this.#cancelSave?.();
    this.#cancelSave = undefined;
    const { memory } = this.#host;
    const { id } = this.#crew;
    if (this.#content?.isEdited === true) memory.saveDraft(id, this.#content.draft);
    this.#show();
  }

  #show(): void {
    if (!this.#host.isReady() || this.#isClosed) return;
    const notKept = l10n.t("What you type here can't be saved. See the log for details.");
    if (this.#host.memory.keeps(this.#crew.id)) this.#forget("notKept");
    else this.#notes.set("notKept", { text: notKept });
    const view = this.#view();
    const { form } = view;
    if (form !== undefined) this.#focus = undefined;
    // What is typed comes from the page.
    const other = { draft: form?.draft.id, focus: undefined };
    const posted = form ? { ...view, form: { ...form, ...other } } : view;
    if (form?.focus === undefined && isDeepStrictEqual(posted, this.#posted)) return;
    this.#posted = posted;
    this.#host.post({ type: "show", view });
  }

  #view(): FormView {
    const content = this.isUnavailable ? undefined : this.#content;
    return {
      crew: this.#crew,
      title: formTitle(this.#crew.name, content?.draft.values.from !== undefined),
      notes: noteKinds.flatMap((kind) => {
        const note = this.#notes.get(kind);
        const actions = note?.actions?.map(({ title }) => title) ?? [];
        return note === undefined ? [] : [{ ...note, kind, actions }];
      }),
      ...(content && {
        form: {
          ...content.shown,
          isSending: this.#isSending,
          ...defined({ focus: this.#focus === "first" ? content.firstPart : this.#focus }),
        },
      }),
    };
  }
}
