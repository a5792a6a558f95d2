import type { ErrorAction } from "../../base/errors.ts";
import type { Execution } from "../../executions/model.ts";
import { FormContent, type Laid, type Seed } from "./content.ts";
import { formFields, type FormField } from "./fields.ts";
import type { FormToolName } from "../form-tools.ts";
import { carriedOver, heldFrom, secretsFor, targetsIn, type HeldSecrets } from "../held-secrets.ts";
import {
  dispatch,
  type Draft,
  type Explanation,
  type FormCrew,
  type FormFocus,
  type FormView,
  type FromForm,
  type Handlers,
} from "./messages.ts";
import { parseFromForm } from "./parse.ts";
import { FormSending } from "../sending.ts";
import type { LoadOptions, SessionOptions } from "../session-options.ts";
import { MaybeStartedError } from "../../sending/kickoff.ts";
import { isValid } from "./validate.ts";

/** Milliseconds without typing after which a draft goes to disk. The webview keeps every keystroke meanwhile. */
const draftPause = 300;

/** One form from its opening to its kickoff: loads, shows, keeps, and sends once. Knows no VS Code. */
export class FormSession {
  readonly #options: SessionOptions;
  readonly #sending: FormSending;
  #crew: FormCrew;
  #seed: Seed;
  /** Nothing until the crew told what it asks for. */
  #content: FormContent | undefined;
  /** Nowhere else until they are sent. */
  #secrets: HeldSecrets;
  #problem: Explanation | undefined;
  #actions: readonly ErrorAction[] = [];
  #isReady = false;
  #isClosed = false;
  /** Whether the page shows that what is typed is kept. */
  #isKept = true;
  #focus: FormFocus | undefined;
  #cancelSave: (() => void) | undefined;
  /** Only the newest load may show its answer. */
  #loads = 0;

  constructor(
    crew: FormCrew,
    seed: Seed,
    options: SessionOptions & { readonly takesFocus: boolean },
  ) {
    this.#crew = crew;
    this.#seed = seed;
    this.#secrets = heldFrom({ ...seed.given, ...seed.instead });
    this.#options = options;
    this.#sending = new FormSending({
      send: options.send,
      explain: (error) => this.#explain(error),
      onStarted: (execution, sent) => this.#started(execution, sent),
      onNotStarted: (error, content) => this.#notStarted(error, content),
    });
    const { earlier, given, instead } = seed;
    // Given values make another kickoff of it.
    if (earlier instanceof MaybeStartedError && given === undefined && instead === undefined)
      this.#sending.recall(earlier);
    this.#focus = options.takesFocus ? "first" : undefined;
  }

  /** Shows the form with fields that were known before, and asks the crew nothing. */
  resume(fields: readonly FormField[]): void {
    this.#content = new FormContent(fields, this.#seed, this.#options.newId);
    this.#show();
  }

  /** Asks the crew for its inputs and shows the form. */
  async load(options: LoadOptions): Promise<void> {
    const load = ++this.#loads;
    this.#problem = undefined;
    this.#show();
    try {
      const inputs = await this.#options.inputs(options);
      if (load === this.#loads)
        this.#content = new FormContent(formFields(inputs), this.#seed, this.#options.newId);
    } catch (error) {
      if (load === this.#loads) this.#problem = this.#explain(error);
    }
    if (load !== this.#loads) return;
    this.#show();
    this.#saveSoon();
  }

  /** Whether the crew's inputs could not be had. */
  get isUnavailable(): boolean {
    return this.#problem !== undefined;
  }

  /** A message of the webview, as it came. False if it is none. */
  receive(raw: unknown): boolean {
    const message = parseFromForm(raw);
    if (message !== undefined) dispatch(this.#handlers, message);
    return message !== undefined;
  }

  /** Lays given values over the form, or puts them in the place of everything in it; Undo brings back what was there. */
  lay(values: Laid): void {
    const secrets = heldFrom({ ...values.given, ...values.instead });
    if (this.#content === undefined)
      [this.#seed, this.#secrets] = [
        { ...this.#seed, ...values },
        { ...this.#secrets, ...secrets },
      ];
    else this.#replace((content) => content.lay(values), { secrets });
  }

  /** The crew has another name or address. */
  rename(crew: FormCrew): void {
    // Showing the same again would take the cursor from the person's hands.
    if (crew.name === this.#crew.name && crew.url === this.#crew.url) return;
    this.#crew = crew;
    this.#show();
  }

  /** The panel closed: what is typed goes to disk now. A sending under way goes on; settles when it is done and its outcome is kept. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#saveNow();
    await this.#sending.done;
    // A refusal renews the draft; it must be on disk before somebody moves it.
    if (this.#cancelSave !== undefined) this.#saveNow();
  }

  readonly #handlers: Handlers<FromForm> = {
    ready: ({ draft }) => {
      this.#isReady = true;
      if (draft !== undefined && this.#isCurrent(draft)) this.#content?.restore(draft.values);
      this.#show();
    },
    changed: ({ draft }) => {
      if (!this.#isCurrent(draft)) return;
      const notice = this.#content?.notice?.kind;
      this.#content?.edit(draft.values);
      if (this.#content?.notice?.kind !== notice) this.#show();
      this.#saveSoon();
    },
    submit: ({ draft }) => {
      if (this.#isCurrent(draft) && this.#sending.outcome?.kind !== "maybeStarted")
        this.#submit(draft);
    },
    tryAgain: () => {
      if (this.isUnavailable) void this.load({ fresh: true, wakes: true });
    },
    secret: ({ name, ...secret }) => {
      if (!this.#sending.isUnderWay) this.#secrets = { ...this.#secrets, [name]: secret };
    },
    clear: () => this.#replace((content) => content.clear()),
    undo: () => this.#replace((content) => content.undo()),
    tool: ({ tool }) => void this.#use(tool).catch(this.#options.onToolProblem),
    take: ({ input }) => void this.#take(input).catch(this.#options.onToolProblem),
    openExecution: () => this.#options.onOpenExecution(this.#sending.unconfirmed),
    act: ({ index }) => {
      const action = this.#actions[index];
      if (action !== undefined) this.#options.onAction(action);
    },
    sendAgain: () => {
      if (this.#sending.outcome?.kind !== "maybeStarted") return;
      // A new id is a new kickoff: the person decided so, after being told that the first may run.
      this.#content?.renew();
      this.#sending.forgetOutcome();
      this.#focus = "submit";
      this.#saveSoon();
      this.#show();
    },
  };

  async #use(tool: FormToolName): Promise<void> {
    if (this.#content === undefined) return;
    const { tools } = this.#options;
    const { request } = this.#content;
    if (tool === "presets") {
      const chosen = await tools.presets(this.#crew, request);
      if (chosen !== undefined) this.lay({ instead: chosen });
    } else if (request !== undefined) {
      // The page marks what can't be read before it asks.
      await tools[tool](this.#crew, request);
    }
  }

  async #take(input: string): Promise<void> {
    const taken = await this.#options.takeValue(this.#crew, input);
    if (taken !== undefined)
      this.#replace((content) => content.take(input, taken), { focus: { input } });
  }

  #submit({ values }: Draft): void {
    const content = this.#content;
    if (content === undefined) return;
    content.edit(values);
    // The page checks before it submits; one that does not is no reason to send what can't be right.
    const secrets = secretsFor(content.values, this.#secrets);
    if (!isValid(content.fields, content.values, secrets)) return;
    this.#sending.begin(content, secrets, () => this.#saveNow());
    this.#options.post({ type: "sending" });
  }

  #started(execution: Execution, sent: Draft): void {
    this.#options.memory.sent(this.#crew.id, sent);
    // It stays "sending" and without content: the panel closes, and nothing is left to keep.
    this.#content = undefined;
    this.#options.onStarted(execution);
  }

  #notStarted(error: unknown, { fields, draft }: FormContent): void {
    const { outcome } = this.#sending;
    if (outcome?.kind === "refused") this.#saveSoon();
    if (this.#isClosed) this.#options.onLateProblem(error);
    else if (outcome !== undefined)
      this.#options.post({ type: "outcome", outcome, fields, draftId: draft.id });
  }

  #explain(error: unknown): Explanation {
    this.#actions = this.#options.actionsFor(error);
    const remedy =
      error instanceof Error && "remedy" in error && typeof error.remedy === "string"
        ? { remedy: error.remedy }
        : {};
    return {
      message: error instanceof Error ? error.message : String(error),
      ...remedy,
      actions: this.#actions.map(({ title }) => title),
    };
  }

  #isCurrent(draft: Draft): boolean {
    return draft.id === this.#content?.draft.id && !this.#sending.isUnderWay;
  }

  #replace(
    change: (content: FormContent) => void,
    {
      focus = "first",
      secrets = {},
    }: { readonly focus?: FormFocus; readonly secrets?: HeldSecrets } = {},
  ): void {
    const content = this.#content;
    if (content === undefined || this.#sending.isUnderWay) return;
    const { id, values } = content.draft;
    change(content);
    this.#secrets = { ...carriedOver(this.#secrets, values, content.values), ...secrets };
    this.#sending.forgetOutcome();
    this.#focus = focus;
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
    if (this.#content?.isEdited === true)
      this.#options.memory.saveDraft(this.#crew.id, this.#content.draft);
    if (this.#options.memory.keeps(this.#crew.id) !== this.#isKept) this.#show();
  }

  #show(): void {
    if (!this.#isReady || this.#isClosed) return;
    this.#isKept = this.#options.memory.keeps(this.#crew.id);
    const view = this.#view();
    this.#options.post({ type: "show", view });
    if (view.kind === "form") this.#focus = undefined;
  }

  #view(): FormView {
    const crew = this.#crew;
    if (this.#problem !== undefined) return { kind: "unavailable", crew, ...this.#problem };
    if (this.#content === undefined) return { kind: "loading", crew };
    const { fields, draft, isEdited, notice } = this.#content;
    const { isUnderWay: isSending, outcome } = this.#sending;
    return {
      kind: "form",
      crew,
      fields,
      draft,
      isEdited,
      ...(this.#isKept ? {} : { isNotKept: true }),
      isSending,
      secrets: targetsIn(this.#secrets),
      ...(notice === undefined ? {} : { notice }),
      ...(outcome === undefined ? {} : { outcome }),
      ...(this.#focus === undefined ? {} : { focus: this.#focus }),
    };
  }
}
