import { isDeepStrictEqual } from "node:util";
import * as l10n from "@vscode/l10n";
import { CrewApiError } from "../../api/errors.ts";
import type { CrewInputs, KickoffRequest } from "../../api/types.ts";
import type { Clock } from "../../base/clock.ts";
import { actionsOf, type ErrorAction } from "../../base/errors.ts";
import { defined } from "../../base/json.ts";
import type { Handlers } from "../../base/protocol.ts";
import type { Execution } from "../../executions/model.ts";
import { MaybeStartedError } from "../../sending/kickoff.ts";
import type { Prefill } from "../callbacks.ts";
import { type Advice, type CallbackHint, toldElsewhere } from "./hints.ts";
import { FormContent, type GivenValues, type Seed } from "./content.ts";
import { formFields, type FormField } from "./fields.ts";
import type { FormMemory } from "./memory.ts";
import type {
  Draft,
  Explanation,
  FormCrew,
  FormFocus,
  FormToolName,
  FormView,
  FromForm,
  Outcome,
  Taken,
  ToForm,
} from "./messages.ts";
import type { Position } from "../../projects/types.ts";
import { readPastedKickoff } from "./pasted.ts";
import { toRequest } from "./values.ts";
import { type HintAction, keepChangedText } from "../texts.ts";

/** Store a draft after this time without typing (ms): each time is a write to the disk. */
const draftPause = 300;

export interface LoadOptions {
  readonly fresh: boolean;
  /** Whether to start a stopped local crew: only if the person asks. */
  readonly startsCrew: boolean;
}

export interface SessionOptions {
  readonly clock: Clock;
  readonly memory: Pick<FormMemory, "saveDraft" | "dropDraft" | "sent" | "keeps">;
  readonly newId: () => string;
  readonly takesFocus: boolean;
  readonly inputs: (options: LoadOptions) => Promise<CrewInputs>;
  readonly send: (request: KickoffRequest, localId: string) => Promise<Execution>;
  readonly post: (message: ToForm) => void;
  readonly onStarted: (execution: Execution) => void;
  readonly onOpenExecution: (execution: Execution | undefined) => void;
  readonly tools: FormTools;
  readonly onToolProblem: (error: unknown) => void;
  readonly onAction: (action: ErrorAction) => void;
  readonly onHint: (what: HintAction) => void;
  /** A kickoff failed after the form was closed. */
  readonly onLateProblem: (error: unknown) => void;
  /** In the project of a local crew. */
  readonly showPlace: (at: Position) => Promise<void>;
}

/** What a form offers beside its fields. Values have no secrets. */
export interface FormTools extends Record<
  Exclude<FormToolName, "fillIn">,
  (crew: FormCrew, values: Prefill) => Promise<void>
> {
  readonly fillIn: (crew: FormCrew) => Promise<Prefill | undefined>;
  readonly takeValue: (crew: FormCrew, input: string) => Promise<Taken | undefined>;
}

/** Without VS Code. */
export class FormSession {
  readonly #options: SessionOptions;
  #crew: FormCrew;
  #seed: Seed;
  #content: FormContent | undefined;
  #hint: CallbackHint | undefined;
  #problem: Explanation | undefined;
  #actions: readonly ErrorAction[] = [];
  #isReady = false;
  #isClosed = false;
  #isKept = true;
  #focus: FormFocus | "first" | undefined;
  #blocked: Blocked | undefined;
  /** Without what is typed. */
  #posted: unknown;
  #cancelSave: (() => void) | undefined;
  /** Only the newest load shows its answer. */
  #loads = 0;
  /** Stays true after a start. */
  #isSending = false;
  #sent: Promise<void> = Promise.resolve();
  #outcome: Outcome | undefined;
  /** Whether it was said which outputs don't fit: the next kickoff keeps them. */
  #keepsChanged = false;
  /** Undefined if only its claim is stored. */
  #unconfirmed: Execution | undefined;

  constructor(crew: FormCrew, seed: Seed, options: SessionOptions) {
    this.#crew = crew;
    this.#seed = seed;
    this.#options = options;
    this.#focus = options.takesFocus ? "first" : undefined;
    const { earlier, given, instead } = seed;
    // Given values make it another kickoff.
    if (earlier instanceof MaybeStartedError && given === undefined && instead === undefined)
      this.#mayHaveStarted(earlier);
  }

  resume(fields: readonly FormField[]): void {
    this.#content = new FormContent(fields, this.#seed, this.#options.newId);
    this.#show();
  }

  async load(options: LoadOptions): Promise<void> {
    const load = ++this.#loads;
    this.#problem = undefined;
    this.#show();
    try {
      const inputs = await this.#options.inputs(options);
      if (load !== this.#loads) return;
      this.#content = new FormContent(formFields(inputs), this.#seed, this.#options.newId);
    } catch (error) {
      if (load !== this.#loads) return;
      this.#problem = this.#explain(error);
    }
    this.#show();
    this.#saveSoon();
  }

  get isUnavailable(): boolean {
    return this.#problem !== undefined;
  }

  get advice(): Advice | undefined {
    return this.#crew.advice;
  }

  give(values: GivenValues): void {
    if (this.#content === undefined) this.#seed = { ...this.#seed, ...values };
    else this.#replace((content) => content.give(values));
  }

  /** Undefined if callbacks can come, or the person need not know. */
  set hint(hint: CallbackHint | undefined) {
    if (hint === this.#hint) return;
    this.#hint = hint;
    this.#show();
  }

  update(crew: FormCrew): void {
    // What was wrong with its files may be mended.
    const isMended = this.isUnavailable && crew.advice?.text !== this.#crew.advice?.text;
    this.#crew = crew;
    this.#show();
    if (isMended) void this.load({ fresh: true, startsCrew: false });
  }

  /** Settles when a request in progress has ended and its outcome is stored. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#saveNow();
    await this.#sent;
    // A refused draft has a new ID, and must be stored before it can be moved.
    if (this.#cancelSave !== undefined) this.#saveNow();
  }

  /** What the page sends. */
  readonly on: Handlers<FromForm> = {
    ready: () => {
      this.#isReady = true;
      // It is a new page.
      this.#posted = undefined;
      this.#show();
    },
    changed: ({ draft }) => {
      if (!this.#isCurrent(draft)) return;
      this.#content?.edit(draft.values);
      this.#unblock();
      this.#show();
      this.#saveSoon();
    },
    submit: ({ draft }) => {
      if (this.#isCurrent(draft) && this.#outcome?.kind !== "maybeStarted") this.#submit(draft);
    },
    tryAgain: () => {
      if (this.isUnavailable) void this.load({ fresh: true, startsCrew: true });
    },
    secret: ({ name, target, text }) => {
      if (this.#isSending) return;
      this.#content?.enter(name, { text, target });
      this.#unblock();
      this.#show();
    },
    clear: () => this.#replace((content) => content.clear()),
    undo: () => this.#replace((content) => content.undo()),
    tool: ({ tool }) => void this.#use(tool).catch(this.#options.onToolProblem),
    take: ({ input }) => void this.#take(input).catch(this.#options.onToolProblem),
    paste: ({ text }) => {
      const pasted = readPastedKickoff(text);
      if (pasted === undefined) return;
      if ("refused" in pasted) {
        this.#blocked = { text: pasted.refused, until: "change" };
        this.#show();
        return;
      }
      const { values, secrets, moved } = pasted;
      const origin = { kind: "pasted", moved } as const;
      this.#replace((content) => content.give(instead(content, values), origin, secrets));
    },
    hint: ({ action }) => {
      // The line goes with what had the focus.
      if (action === "hide") this.#focus = "first";
      this.#options.onHint(action);
    },
    showAdvice: () => {
      const at = this.#crew.advice?.at;
      if (at !== undefined) void this.#options.showPlace(at).catch(this.#options.onToolProblem);
    },
    openExecution: () => this.#options.onOpenExecution(this.#unconfirmed),
    act: ({ index }) => {
      const action = this.#actions[index];
      if (action !== undefined) this.#options.onAction(action);
    },
    sendAgain: () => {
      if (this.#outcome?.kind !== "maybeStarted") return;
      // A new ID is a new kickoff: the person knows that the first one may run.
      this.#content?.renew();
      this.#outcome = undefined;
      this.#focus = "submit";
      this.#saveSoon();
      this.#show();
    },
  };

  async #use(tool: FormToolName): Promise<void> {
    const { tools } = this.#options;
    const request = this.#content?.request;
    if (tool === "fillIn") {
      const chosen = await tools.fillIn(this.#crew);
      if (chosen !== undefined) this.#replace((content) => content.give(instead(content, chosen)));
    } else if (request === undefined) {
      this.#block({ text: l10n.t("Fix the marked error first."), until: "readable" });
    } else {
      // A file has no place for the task from which to run again.
      const values = tool === "copyAsCurl" ? request : defined({ ...request, from: undefined });
      await tools[tool](this.#crew, values);
    }
  }

  async #take(input: string): Promise<void> {
    const taken = await this.#options.tools.takeValue(this.#crew, input);
    if (taken !== undefined) this.#replace((content) => content.take(input, taken), input);
  }

  #submit({ values }: Draft): void {
    const content = this.#content;
    if (content === undefined) return;
    content.edit(values);
    if (content.faults.size > 0) {
      content.markMissing();
      this.#block({ text: l10n.t("Nothing was sent. Check the marked fields."), until: "valid" });
      return;
    }
    this.#isSending = true;
    this.#outcome = undefined;
    this.#blocked = undefined;
    this.#saveNow();
    this.#sent = this.#send(content);
    this.#show();
  }

  #block(blocked: Blocked): void {
    this.#blocked = blocked;
    this.#focus = "invalid";
    this.#show();
  }

  /** Something was typed. */
  #unblock(): void {
    if (this.#content === undefined || this.#blocked === undefined) return;
    const faults = [...this.#content.faults.values()];
    const isSolved = {
      change: true,
      readable: faults.every(({ isMissing }) => isMissing),
      valid: faults.length === 0,
    };
    if (isSolved[this.#blocked.until]) this.#blocked = undefined;
  }

  async #send(content: FormContent): Promise<void> {
    const { draft, fields, values, secrets } = content;
    let execution: Execution;
    try {
      const { runAgain, ...request } = toRequest(fields, values, secrets);
      const keepChanged = this.#keepsChanged || undefined;
      const from = runAgain && { runAgain: { ...runAgain, ...defined({ keepChanged }) } };
      execution = await this.#options.send({ ...request, ...from }, draft.id);
    } catch (error) {
      this.#notStarted(error, content);
      return;
    }
    this.#options.memory.sent(this.#crew.id, draft);
    this.#content = undefined;
    this.#options.onStarted(execution);
  }

  #notStarted(error: unknown, content: FormContent): void {
    this.#isSending = false;
    let outcome: Outcome;
    if (error instanceof MaybeStartedError) {
      outcome = this.#mayHaveStarted(error);
    } else {
      const names = error instanceof CrewApiError ? error.missingInputs : [];
      this.#keepsChanged = error instanceof CrewApiError && error.canKeepChanged === true;
      content.require(names);
      // The next attempt is another kickoff.
      content.renew();
      outcome = {
        kind: "refused",
        ...this.#explain(error),
        ...(this.#keepsChanged && { remedy: keepChangedText() }),
      };
      this.#saveSoon();
    }
    this.#outcome = outcome;
    this.#focus = "outcome";
    if (this.#isClosed) this.#options.onLateProblem(error);
    else this.#show();
  }

  #mayHaveStarted(error: MaybeStartedError): Outcome {
    this.#unconfirmed = error.execution;
    this.#outcome = { kind: "maybeStarted", ...this.#explain(error) };
    return this.#outcome;
  }

  #explain(error: unknown): Explanation {
    this.#actions = actionsOf(error);
    const hasRemedy = error instanceof CrewApiError || error instanceof MaybeStartedError;
    return {
      message: error instanceof Error ? error.message : String(error),
      ...(hasRemedy && { remedy: error.remedy }),
      actions: this.#actions.map(({ title }) => title),
    };
  }

  get #shownHint(): CallbackHint | undefined {
    const values = this.#content?.values;
    return values === undefined || toldElsewhere(values) ? undefined : this.#hint;
  }

  #isCurrent(draft: Draft): boolean {
    return draft.id === this.#content?.draft.id && !this.#isSending;
  }

  #replace(change: (content: FormContent) => void, input?: string): void {
    const content = this.#content;
    if (content === undefined || this.#isSending) return;
    const { id } = content.draft;
    change(content);
    this.#outcome = undefined;
    this.#blocked = undefined;
    this.#keepsChanged = false;
    const part = content.fields.findIndex(({ name }) => name === input);
    this.#focus = part < 0 ? "first" : part;
    if (!content.isEdited) this.#options.memory.dropDraft(this.#crew.id, id);
    this.#saveSoon();
    this.#show();
  }

  #saveSoon(): void {
    this.#cancelSave?.();
    this.#cancelSave = this.#options.clock.after(draftPause, () => this.#saveNow());
  }

  #saveNow(): void {
    this.#cancelSave?.();
    this.#cancelSave = undefined;
    const { memory } = this.#options;
    if (this.#content?.isEdited === true) memory.saveDraft(this.#crew.id, this.#content.draft);
    if (memory.keeps(this.#crew.id) !== this.#isKept) this.#show();
  }

  #show(): void {
    if (!this.#isReady || this.#isClosed) return;
    this.#isKept = this.#options.memory.keeps(this.#crew.id);
    const view = this.#view();
    if (view.kind === "form") this.#focus = undefined;
    // What is typed comes from the page.
    const withoutValues = view.kind === "form" ? { ...view, draft: view.draft.id } : view;
    if (isDeepStrictEqual(withoutValues, this.#posted)) return;
    this.#posted = withoutValues;
    this.#options.post({ type: "show", view });
  }

  #view(): FormView {
    const crew = this.#crew;
    const content = this.#content;
    if (this.#problem !== undefined) return { kind: "unavailable", crew, ...this.#problem };
    if (content === undefined) return { kind: "loading", crew };
    const { fields, draft, origin, canUndo, canClear } = content;
    const focus = this.#focus === "first" ? content.firstPart : this.#focus;
    return {
      kind: "form",
      crew,
      fields,
      draft,
      problems: content.problems,
      canUndo,
      canClear,
      ...(!this.#isKept && { isNotKept: true }),
      isSending: this.#isSending,
      secrets: content.secretTargets,
      ...defined({ origin, hint: this.#shownHint, outcome: this.#outcome, focus }),
      ...defined({ blocked: this.#blocked?.text }),
    };
  }
}

/** Why nothing was sent or used, and what solves it. */
interface Blocked {
  readonly text: string;
  readonly until: "valid" | "readable" | "change";
}

/** The task that it runs again from stays. */
function instead({ values: { from } }: FormContent, given: Prefill): GivenValues {
  return { instead: { ...given, ...defined({ from }) } };
}
