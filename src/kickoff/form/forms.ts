import * as vscode from "vscode";
import { messageOf } from "../../base/errors.ts";
import type { Crews } from "../../crews/crews.ts";
import type { Crew } from "../../crews/types.ts";
import { logProblem } from "../../editor/log.ts";
import { machineSettings, plainMessage, runAction } from "../../editor/messages.ts";
import type { CrewRef, Execution } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import { earlierKickoff, MaybeStartedError } from "../../sending/kickoff.ts";
import type { Senders } from "../../sending/senders.ts";
import type { Database } from "../../store/database.ts";
import { CallbackConsent } from "../callback-consent.ts";
import type { Prefill } from "../callbacks.ts";
import { moveCrewValues } from "../../store/crew-values.ts";
import type { Position } from "../../projects/types.ts";
import { copyCurl, openUnsaved } from "../export.ts";
import { KeptRequests } from "../request-files/kept.ts";
import { type HintAction, hintActionNames, hintActions, hintText } from "../texts.ts";
import { adviceFrom, callbackHint, type Advice, type CallbackHint } from "./hints.ts";
import type { GivenValues, Seed } from "./content.ts";
import { fillForm, saveValues, takeValue } from "./fill-in.ts";
import { FormMemory } from "./memory.ts";
import { OpenForm, openPanel, type FormParts } from "./open-form.ts";
import { parseSavedState, type FormCrew } from "./messages.ts";
import type { FormTools } from "./session.ts";

export interface KickoffFormsOptions extends FormParts {
  readonly database: Database;
  readonly store: Pick<ExecutionStore, "list" | "find" | "refresh">;
  readonly context: Pick<vscode.ExtensionContext, "extensionUri" | "globalStorageUri">;
  readonly crews: FormParts["crews"] & Pick<Crews, "find" | "onDidChange">;
  readonly sender: Pick<Senders, "outbox" | "send">;
  /** What receives callbacks. */
  readonly callbacks: () => Promise<{ canReach(crew: CrewRef): Promise<boolean> }>;
}

export class KickoffForms implements vscode.Disposable {
  readonly #options: KickoffFormsOptions;
  readonly #memory: FormMemory;
  readonly #kept: KeptRequests;
  readonly #tools: FormTools;
  readonly #forms = new Map<string, OpenForm>();
  readonly #subscription: vscode.Disposable;

  constructor(options: KickoffFormsOptions) {
    this.#options = options;
    const { context, database, crews, store } = options;
    const kept = openKept(database, context.globalStorageUri);
    const sources = { crews, store, kept, consent: new CallbackConsent(database) };
    this.#kept = kept;
    this.#memory = new FormMemory(database, logProblem);
    this.#tools = {
      fillIn: (crew) => fillForm(sources, crew),
      takeValue: ({ id }, input) => takeValue(store, id, input),
      saveValues: (crew, values) => saveValues(kept, crew, values),
      openAsRequestFile: (crew, values) => openUnsaved({ crew, values }).then(() => undefined),
      // Looked up at each use, since a local crew's port may change.
      copyAsCurl: ({ id }, values) => copyCurl(crews.get(id), values),
    };
    this.#subscription = vscode.Disposable.from(
      crews.onDidChange(() => this.#crewsChanged()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("crewdeck.callbacks")) this.advise();
      }),
    );
  }

  /**
   * Settles with the started execution, or undefined once closed. @param values replace those of
   * the same names or, with `replaces`, all
   */
  async open(
    crew: Crew,
    values: Prefill = {},
    { replaces = false } = {},
  ): Promise<Execution | undefined> {
    const given: GivenValues =
      Object.keys(values).length === 0 ? {} : replaces ? { instead: values } : { given: values };
    let form = this.#forms.get(crew.id);
    if (form === undefined) {
      form = this.#add(
        openPanel(shown(crew)),
        shown(crew),
        { ...this.#seedOf(crew), ...given },
        true,
      );
      void form.session.load({ fresh: false, startsCrew: true });
    } else {
      form.show(given);
    }
    return await form.started;
  }

  /** What the form would have said of callbacks, for a kickoff without it. Resolves when the notification is closed. */
  async showHint(crew: Crew): Promise<void> {
    const hint = await this.#hintFor(crew.id);
    if (hint === undefined) return;
    const texts = hintActions();
    const chosen = await vscode.window.showInformationMessage(
      plainMessage(`${crew.name}: ${hintText(hint)}`),
      ...Object.values(texts),
    );
    const what = hintActionNames.find((name) => texts[name] === chosen);
    if (what !== undefined) this.#onHint(what, crew);
  }

  restore(panel: vscode.WebviewPanel, raw: unknown): void {
    const state = parseSavedState(raw);
    // Its crew is unknown or has a form.
    if (state === undefined || this.#forms.has(state.crew)) return void panel.dispose();
    const seed = this.#seedOf({ id: state.crew });
    // Last, because local crews become known while the window starts.
    const crew = this.#options.crews.find(state.crew);
    const { crew: id, name } = state;
    const known = crew === undefined ? { id, name, url: "" } : shown(crew);
    const form = this.#add(panel, known, seed, false);
    // An unavailable crew must not hide what was typed.
    if (state.fields === undefined) void form.session.load({ fresh: true, startsCrew: false });
    else form.session.resume(state.fields);
  }

  async closeAll(): Promise<void> {
    for (const [crewId, form] of [...this.#forms]) {
      form.close();
      // Closing stores the draft.
      await form.started;
      this.#memory.forget(crewId);
    }
  }

  /** The crew's address and ID changed. */
  async move(from: Crew, to: Crew): Promise<void> {
    const form = this.#forms.get(from.id);
    form?.close();
    // Closing stores the draft.
    const started = await form?.started;
    moveCrewValues(this.#options.database, from.id, to.id);
    await this.#kept.move(from.id, to.id);
    // After a start there is nothing to fill in.
    if (form !== undefined && started === undefined) await this.open(to);
  }

  /** Deletes the saved values of a crew that was removed. */
  async forget(crewId: string): Promise<void> {
    await this.#kept.forget(crewId);
  }

  dispose(): void {
    this.#subscription.dispose();
    // What was typed a moment ago is stored before the window goes.
    for (const form of this.#forms.values()) void form.session.close();
  }

  /** The draft may have been sent before the form was closed. */
  #seedOf(crew: Pick<Crew, "id">): Seed {
    const known = this.#memory.read(crew.id);
    const { store, sender } = this.#options;
    const parts = { store, outbox: sender.outbox };
    const earlier = known.draft && earlierKickoff(parts, crew, known.draft.id);
    if (earlier === undefined) return known;
    return { ...known, earlier: earlier instanceof MaybeStartedError ? earlier : "started" };
  }

  #add(panel: vscode.WebviewPanel, crew: FormCrew, seed: Seed, takesFocus: boolean): OpenForm {
    const form = new OpenForm(panel, crew, seed, this.#options, {
      takesFocus,
      tools: this.#tools,
      memory: this.#memory,
      onHint: (what) => this.#onHint(what, crew),
      showPlace: (at) => this.#showPlace(at, crew),
      onLateProblem: (error) => {
        this.#showLate(crew, error).catch((problem: unknown) =>
          logProblem("Opening a kickoff form again", problem),
        );
      },
    });
    this.#forms.set(crew.id, form);
    this.advise();
    this.#refresh(crew.id);
    // The person may have mended the project's files in another tab.
    panel.onDidChangeViewState(() => panel.active && this.#refresh(crew.id));
    panel.onDidDispose(() => {
      if (this.#forms.get(crew.id) === form) this.#forms.delete(crew.id);
    });
    return form;
  }

  #crewsChanged(): void {
    for (const [id, { session }] of this.#forms) {
      const crew = this.#options.crews.find(id);
      this.#refresh(id);
      if (session.isUnavailable && crew !== undefined && crew.local?.running !== false)
        void session.load({ fresh: true, startsCrew: false });
    }
  }

  /** Shows the crew as it is, with what its project's files should say better. */
  #refresh(crewId: string): void {
    const crew = this.#options.crews.find(crewId);
    if (crew === undefined) return;
    const session = this.#forms.get(crewId)?.session;
    // At once, because its files may be unreadable.
    session?.update(shown(crew, session.advice));
    adviceOn(crew).then(
      (advice) => {
        // Meanwhile it may have changed again.
        const now = this.#options.crews.find(crewId);
        if (now !== undefined) this.#forms.get(crewId)?.session.update(shown(now, advice));
      },
      (error: unknown) => logProblem("Reading a crew project", error),
    );
  }

  /** Says in the open forms whether callbacks can come. Call it when a way for them may have been set up. */
  advise(): void {
    for (const [id, form] of this.#forms)
      this.#hintFor(id).then(
        (hint) => (form.session.hint = hint),
        (error: unknown) => logProblem("Looking whether callbacks can come", error),
      );
  }

  async #hintFor(crewId: string): Promise<CallbackHint | undefined> {
    const { crews, callbacks, store } = this.#options;
    const crew = crews.find(crewId);
    if (crew === undefined || this.#memory.read(crewId).hidesHint === true) return undefined;
    const canCome = await (await callbacks()).canReach(crew);
    return canCome ? undefined : callbackHint(store.list(), crewId);
  }

  #onHint(what: HintAction, { id: crew }: Pick<FormCrew, "id">): void {
    if (what === "hide") {
      this.#memory.hideHint(crew);
      this.advise();
    } else if (what === "setUp") void runAction(machineSettings("crewdeck.callbacks"));
    else void vscode.commands.executeCommand("crewdeck.testCallbacks", { by: "person", crew });
  }

  async #showPlace({ file, line, column }: Position, { id }: FormCrew): Promise<void> {
    const folder = this.#options.crews.find(id)?.local?.folder;
    if (folder === undefined) return;
    const start = new vscode.Position(line - 1, column - 1);
    await vscode.window.showTextDocument(vscode.Uri.joinPath(vscode.Uri.parse(folder), file), {
      selection: new vscode.Range(start, start),
    });
  }

  async #showLate(crew: FormCrew, error: unknown): Promise<void> {
    logProblem("Kicking off a crew", error, crew.name);
    const text = vscode.l10n.t(
      "{0} What you typed is kept in the form of “{1}”.",
      messageOf(error),
      crew.name,
    );
    const known = this.#options.crews.find(crew.id);
    const actions = known === undefined ? [] : [vscode.l10n.t("Open Form")];
    const chosen = await vscode.window.showErrorMessage(plainMessage(text), ...actions);
    if (chosen !== undefined && known !== undefined) await this.open(known);
  }
}

/**
 * Loads the parsers. Undefined where nothing is wrong, and for a crew that doesn't run with crewAI. Only its Python
 * knows whether it runs.
 */
async function adviceOn({ local }: Crew): Promise<Advice | undefined> {
  if (local?.engine !== "crewai") return undefined;
  const { folder, crewClass } = local;
  const [{ readProject }, { inspectProject }] = await Promise.all([
    import("../../projects/read.ts"),
    import("../../projects/inspect.ts"),
  ]);
  const { fsPath } = vscode.Uri.parse(folder);
  const [{ problems }, inspection] = await Promise.all([
    readProject(fsPath, crewClass),
    inspectProject(fsPath),
  ]);
  return adviceFrom([
    ...problems.filter(({ kind }) => kind === "error"),
    ...inspection.problems.filter(({ kind }) => kind === "warning"),
  ]);
}

function shown({ id, name, url, local }: Crew, advice?: Advice): FormCrew {
  if (local?.engine !== "rehearsal")
    return { id, name, url, ...(advice !== undefined && { advice }) };
  const text = vscode.l10n.t("Rehearsal engine: no model is called.");
  const { engineNote } = local;
  return { id, name, url, rehearsal: engineNote === undefined ? text : `${text} ${engineNote}` };
}

/** Invalid presets of an earlier version are reported to the person who made them. */
export function openKept(database: Database, storage: vscode.Uri): KeptRequests {
  return new KeptRequests(database, storage.fsPath, (error, crewId) => {
    logProblem("Reading the presets", error, crewId);
    void vscode.window.showWarningMessage(
      vscode.l10n.t("A crew's presets are invalid and were set aside. See the log for details."),
    );
  });
}
