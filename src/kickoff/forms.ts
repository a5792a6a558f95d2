import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import type { Crews } from "../crews/crews.ts";
import type { Crew } from "../crews/types.ts";
import { Disposables } from "../base/events.ts";
import { actionsOf, messageOf } from "../base/errors.ts";
import { logProblem } from "../editor/log.ts";
import { plainMessage, runAction } from "../editor/messages.ts";
import type { Database } from "../store/database.ts";
import type { Execution } from "../executions/model.ts";
import type { Laid, Seed } from "./content.ts";
import type { FormTools, Taken } from "./form-tools.ts";
import type { LastEditor } from "./last-editor.ts";
import { FormMemory } from "./memory.ts";
import type { FormCrew } from "./messages.ts";
import { OpenForm, titleFor } from "./open-form.ts";
import { openPanel } from "./panel.ts";
import { parseSavedState } from "./parse.ts";
import { MaybeStartedError, type KickoffSender } from "../sending/kickoff.ts";
import type { Prefill } from "./values.ts";

/** What {@link KickoffForms} works with. */
export interface KickoffFormsOptions {
  readonly context: Pick<vscode.ExtensionContext, "extensionUri">;
  readonly database: Database;
  readonly crews: Pick<Crews, "find" | "get" | "inputs" | "onDidChange" | "ready">;
  readonly sender: Pick<KickoffSender, "earlier" | "send">;
  readonly tools: FormTools;
  /** Where a selection may be taken from. */
  readonly editor: Pick<LastEditor, "selection">;
  readonly clock: Clock;
  /** A form started an execution, and has closed. */
  readonly onStarted: (execution: Execution) => void;
  /** The person wants to see what may have started: its record, or the list where only its claim is left. */
  readonly onOpenExecution: (execution: Execution | undefined) => void;
}

/** The kickoff forms of a window: one panel a crew, which comes back after a reload. */
export class KickoffForms implements vscode.Disposable {
  readonly #options: KickoffFormsOptions;
  readonly #memory: FormMemory;
  readonly #forms = new Map<string, OpenForm>();
  readonly #owned = new Disposables();

  constructor(options: KickoffFormsOptions) {
    this.#options = options;
    const { database, crews } = options;
    this.#memory = new FormMemory({ database, onProblem: logProblem });
    this.#owned.add(crews.onDidChange(() => this.#crewsChanged()));
  }

  /**
   * Opens a crew's form, or brings it to the front, and lays given values over what is there, or puts them in its place.
   * Settles when the form has started an execution, or with nothing when it was closed without.
   */
  async open(
    crew: Crew,
    values: Prefill = {},
    { replaces = false } = {},
  ): Promise<Execution | undefined> {
    const given: Laid =
      Object.keys(values).length === 0 ? {} : replaces ? { instead: values } : { given: values };
    const known = this.#seedOf(crew);
    let form = this.#forms.get(crew.id);
    if (form === undefined) {
      form = this.#put(openPanel(titleFor(crew)), shown(crew), { ...known, ...given }, true);
      form.load({ fresh: false, wakes: true });
    } else {
      form.show(given);
    }
    return await form.started;
  }

  /** Brings a panel back after the window was reloaded. What the page kept is newer than what is on disk. */
  restore(panel: vscode.WebviewPanel, raw: unknown): void {
    const state = parseSavedState(raw);
    if (state === undefined || this.#forms.has(state.crew)) {
      // Nothing tells whose form it was, or it is open already; drafts are on disk and come back with the crew's form.
      panel.dispose();
      return;
    }
    if (state.draft !== undefined) this.#memory.saveDraft(state.crew, state.draft);
    const seed = this.#seedOf({ id: state.crew });
    // Looked up last: local crews become known while the window starts.
    const crew = this.#options.crews.find(state.crew);
    const form = this.#put(
      panel,
      crew === undefined
        ? { id: state.crew, name: state.name, url: "", isRehearsal: false }
        : shown(crew),
      seed,
      false,
    );
    // A crew that is out of reach just now must not hide what was typed. Only a form that was reloaded before its crew had
    // answered asks: VS Code brings a panel back when it is looked at, and without the inputs there is nothing to show or to try.
    if (state.fields === undefined) form.load({ fresh: true, wakes: false });
    else form.resume(state.fields);
  }

  /** Closes all forms, and forgets what was typed in them. */
  async closeAll(): Promise<void> {
    for (const [crewId, form] of [...this.#forms]) {
      form.close();
      // Closing keeps what was typed, as ever.
      await form.started;
      this.#memory.forget(crewId);
    }
    this.#memory.forgetHeld();
  }

  /** Forgets what was typed for a crew. */
  forget(crewId: string): void {
    this.#memory.forget(crewId);
  }

  /** A crew with another address has another id: its form would ask the old one, so it closes; what was typed moves along. */
  async move(from: Crew, to: Crew): Promise<void> {
    if (from.id === to.id) return;
    const form = this.#forms.get(from.id);
    form?.close();
    const started = await form?.started;
    this.#memory.move(from.id, to.id);
    // What it was sending has started: there is nothing left to fill in.
    if (form !== undefined && started === undefined) await this.open(to);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /** What a crew's form begins with. What was typed may have been sent before the window was reloaded or the form was closed. */
  #seedOf(crew: Pick<Crew, "id">): Seed {
    const known = this.#memory.read(crew.id);
    const earlier = known.draft && this.#options.sender.earlier(crew, known.draft.id);
    if (earlier === undefined) return known;
    return { ...known, earlier: earlier instanceof MaybeStartedError ? earlier : "started" };
  }

  #put(panel: vscode.WebviewPanel, crew: FormCrew, seed: Seed, takesFocus: boolean): OpenForm {
    const { context, crews, sender, tools, clock, onStarted, onOpenExecution } = this.#options;
    const form = new OpenForm(
      panel,
      crew,
      {
        seed,
        takesFocus,
        extensionUri: context.extensionUri,
        onClosed: () => {
          for (const [id, open] of this.#forms) if (open === form) this.#forms.delete(id);
        },
      },
      {
        clock,
        tools,
        takeValue: (of, input) => this.#take(of, input),
        memory: this.#memory,
        // Looked up at each use: a local crew may have another port by now.
        inputs: async ({ fresh, wakes }) => {
          const asked = wakes ? await crews.ready(crew) : crews.get(crew.id);
          return await crews.inputs(asked, { fresh });
        },
        send: async (request, localId) =>
          await sender.send(await crews.ready(crew), request, { localId }),
        onStarted,
        onOpenExecution,
        actionsFor: actionsOf,
        onAction: (action) => void runAction(action),
        onLateProblem: (error) =>
          void this.#tellLate(crew, error).catch((problem: unknown) =>
            logProblem("Opening a kickoff form again", problem),
          ),
      },
    );
    this.#forms.set(crew.id, form);
    return form;
  }

  /** Where a value may come from is loaded when it is asked for. */
  async #take(crew: FormCrew, input: string): Promise<Taken | undefined> {
    const { takeValue } = await import("./take-value.ts");
    const { editor, tools } = this.#options;
    return await takeValue(input, {
      editor,
      hasEarlier: await tools.hasEarlierValue(crew, input),
      earlier: () => tools.earlierValue(crew, input),
    });
  }

  #crewsChanged(): void {
    for (const [id, form] of this.#forms) {
      const crew = this.#options.crews.find(id);
      if (crew === undefined) continue;
      form.rename(shown(crew));
      if (form.isUnavailable && crew.local?.running !== false)
        form.load({ fresh: true, wakes: false });
    }
  }

  async #tellLate(crew: FormCrew, error: unknown): Promise<void> {
    logProblem("Kicking off a crew", error, crew.name);
    const open = vscode.l10n.t("Open Form");
    const text = vscode.l10n.t(
      "{0} What you typed is kept in the form of “{1}”.",
      messageOf(error),
      crew.name,
    );
    const known = this.#options.crews.find(crew.id);
    const chosen = await vscode.window.showErrorMessage(
      plainMessage(text),
      ...(known === undefined ? [] : [open]),
    );
    if (chosen === open && known !== undefined) await this.open(known);
  }
}

function shown(crew: Crew): FormCrew {
  return {
    id: crew.id,
    name: crew.name,
    url: crew.url,
    isRehearsal: crew.local?.engine === "rehearsal",
  };
}
