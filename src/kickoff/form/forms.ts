import * as vscode from "vscode";
import { CrewApiError } from "../../api/errors.ts";
import type { CrewInputs } from "../../api/types.ts";
import type { Clock } from "../../base/clock.ts";
import { messageOf, UserError } from "../../base/errors.ts";
import { defined } from "../../base/json.ts";
import type { Crews } from "../../crews/crews.ts";
import { changeEngineAction, openFileAction } from "../../crews/errors.ts";
import type { Crew, CrewAddress } from "../../crews/types.ts";
import { logged, logProblem } from "../../editor/log.ts";
import { formType, viewId } from "../../editor/manifest.ts";
import {
  confirm,
  machineSettings,
  runAction,
  showError,
  withProgress,
} from "../../editor/messages.ts";
import { Panel } from "../../editor/panel.ts";
import type { CrewRef, Execution, ExecutionSummary } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import { earlierKickoff, MaybeStartedError } from "../../sending/kickoff.ts";
import type { Senders } from "../../sending/senders.ts";
import { moveCrewValues } from "../../store/crew-values.ts";
import type { Database } from "../../store/database.ts";
import type { Prefill } from "../callbacks.ts";
import { copyCurl, openUnsaved } from "../request-files/files.ts";
import { type KeptRequests, keptRequests } from "../request-files/kept.ts";
import { formTitle } from "../texts.ts";
import type { Seed } from "./content.ts";
import { fillForm, saveValues, takeValue } from "./fill-in.ts";
import { formMemory } from "./memory.ts";
import { type FromForm, fromForm, parseSavedState, type ToForm } from "./messages.ts";
import { FormSession, type LoadOptions, type Told } from "./session.ts";

export interface KickoffFormsOptions {
  readonly clock: Clock;
  readonly database: Database;
  readonly store: Pick<ExecutionStore, "list" | "find" | "refresh">;
  readonly context: Pick<vscode.ExtensionContext, "extensionUri" | "globalStorageUri">;
  readonly crews: Pick<Crews, "find" | "get" | "inputs" | "onDidChange" | "ready">;
  readonly sending: Pick<Senders, "outbox" | "send">;
  readonly documents: { readonly show: (execution: ExecutionSummary) => Promise<unknown> };
  readonly callbacks: () => Promise<{ canReach(crew: CrewRef): Promise<boolean> }>;
  readonly testCallbacks: (crewId: string) => unknown;
  /** Starts a debugger, and resolves to the port where it waits for the crew's Python. */
  readonly debug: (crew: Crew) => Promise<number>;
}

interface OpenForm {
  readonly session: FormSession;
  readonly panel: vscode.WebviewPanel;
  /** Undefined if the form was closed without a start. */
  readonly started: Promise<Execution | undefined>;
}

export type KickoffForms = ReturnType<typeof kickoffForms>;

export function kickoffForms(options: KickoffFormsOptions) {
  const { context, database, store, crews, sending, clock, documents } = options;
  const kept = openKept(database, context.globalStorageUri);
  const memory = formMemory(database, logProblem);
  const forms = new Map<string, OpenForm>();

  /** The draft may have been sent before the form was closed. */
  const seedOf = (crewId: string): Seed => {
    const known = memory.read(crewId);
    const parts = { store, outbox: sending.outbox };
    const earlier = known.draft && earlierKickoff(parts, known.draft.id);
    if (earlier === undefined) return known;
    return { ...known, earlier: earlier instanceof MaybeStartedError ? earlier : "started" };
  };

  const tell = (
    crewId: string,
    kind: "advice" | "hint",
    look: (crew: Crew) => Promise<Told | undefined>,
  ): void => {
    const crew = crews.find(crewId);
    if (crew === undefined) return;
    look(crew).then(
      (note) => forms.get(crewId)?.session.tell(kind, note),
      logged("Looking for what a form says of its crew"),
    );
  };

  /** Says in the open forms whether callbacks can come. Call it when a way for them may have been set up. */
  const advise = (): void => {
    for (const id of forms.keys()) tell(id, "hint", hintFor);
  };

  const hintFor = async (crew: Crew): Promise<Told | undefined> => {
    if (memory.read(crew.id).hidesHint === true) return undefined;
    if (await (await options.callbacks()).canReach(crew)) return undefined;
    const hide = () => {
      memory.hideHint(crew.id);
      forms.get(crew.id)?.session.takeFocus();
      advise();
    };
    return {
      text: vscode.l10n.t(
        "If a task waits for you, this crew reports it only by callback, and no callback can reach this machine.",
      ),
      actions: [
        {
          title: vscode.l10n.t("Set Up Callbacks…"),
          run: () => runAction(machineSettings("crewdeck.callbacks")),
        },
        { title: vscode.l10n.t("Test Callbacks"), run: () => options.testCallbacks(crew.id) },
        { title: vscode.l10n.t("Don't Show Again"), run: hide },
      ],
    };
  };

  const refresh = (crewId: string): void => {
    const crew = crews.find(crewId);
    const session = forms.get(crewId)?.session;
    if (crew === undefined || session === undefined) return;
    const { id, name, url } = crew;
    session.crew = { id, name, url, canDebug: crew.local?.engine === "crewai" };
    const settingUp = vscode.l10n.t(
      "crewAI is being installed for “{0}”. The terminal shows its progress.",
      name,
    );
    session.tell("setUp", crew.local?.isSettingUp && { text: settingUp });
    session.tell("rehearsal", rehearsalOf(crew));
    tell(crewId, "advice", adviceOn);
  };

  const add = (
    panel: vscode.WebviewPanel,
    crew: CrewAddress,
    seed: Seed,
    takesFocus: boolean,
  ): OpenForm => {
    const sources = { crews, store, kept, database };
    const { promise: started, resolve } = Promise.withResolvers<Execution | undefined>();
    let execution: Execution | undefined;
    const show = (made: Execution) => documents.show(made).catch(logged("Showing an execution"));
    const { id, name, url } = crew;
    const session = new FormSession(
      { id, name, url },
      seed,
      {
        clock,
        memory,
        inputs: (options) => inputsOf(crews, crew, options),
        // Looked up at each use, since a local crew's port may change.
        send: async (request, localId, isDebugged) => {
          const ready = await crews.ready(crew);
          const debugPort = isDebugged ? await options.debug(ready) : undefined;
          return await sending.send(ready, { ...request, ...defined({ debugPort }) }, { localId });
        },
        isReady: () => page.isReady,
        post: (message) => {
          panel.title = message.view.title;
          page.post(message);
        },
        fillIn: (form) => fillForm(sources, form),
        takeValue: (form, input) => takeValue(store, form.id, input),
        saveValues: (form, values) => saveValues(kept, form, values),
        openAsRequestFile: (form, values) => openUnsaved({ crew: form, values }),
        copyAsCurl: (form, values) => copyCurl(crews.get(form.id), values),
        onStarted: (made) => {
          execution = made;
          panel.dispose();
          void show(made);
        },
        openExecution: (made) =>
          made ? show(made) : vscode.commands.executeCommand(`${viewId}.focus`),
        runAction,
        onLateProblem: (error) => {
          logProblem("Kicking off a crew", error, name);
          const isKept = vscode.l10n.t("What you typed is kept in the form of “{0}”.", name);
          void showError(new UserError(`${messageOf(error)} ${isKept}`));
        },
      },
      { takesFocus },
    );
    const page: Panel<FromForm, ToForm> = new Panel(panel, {
      ...{ part: "form", title: panel.title, clock },
      extension: context.extensionUri,
      ready: Promise.resolve(),
      messages: fromForm,
      on: {
        ...session.on,
        ready: (message) => {
          page.begin();
          session.on.ready(message);
        },
      },
    });
    const form = { session, panel, started };
    forms.set(id, form);
    refresh(id);
    // Not with each change of a crew: it may send a request through a tunnel.
    tell(id, "hint", hintFor);
    // The person may have mended the project's files in another tab.
    panel.onDidChangeViewState(() => panel.active && refresh(id));
    panel.onDidDispose(() => {
      if (forms.get(id) === form) forms.delete(id);
      void session.close().then(() => resolve(execution));
    });
    return form;
  };

  /**
   * Settles with the started execution, or undefined once closed. @param values replace those of
   * the same names or, with `replaces`, all
   */
  const open = async (crew: Crew, values: Prefill = {}, { replaces = false } = {}) => {
    const given = Object.keys(values).length === 0 ? undefined : { values, replaces };
    let form = forms.get(crew.id);
    if (form === undefined) {
      // The draft is stored elsewhere, so the page needn't live while hidden.
      const title = formTitle(crew.name);
      const panel = vscode.window.createWebviewPanel(formType, title, vscode.ViewColumn.Active);
      form = add(panel, crew, { ...seedOf(crew.id), ...(given && { given }) }, true);
      void form.session.load({ fresh: false, startsCrew: true });
    } else {
      if (given !== undefined) form.session.give(given);
      form.panel.reveal();
      form.session.takeFocus();
    }
    return await form.started;
  };

  const subscription = vscode.Disposable.from(
    crews.onDidChange(() => {
      for (const [id, { session }] of forms) {
        const crew = crews.find(id);
        refresh(id);
        if (session.isUnavailable && crew !== undefined && crew.local?.running !== false)
          void session.load({ fresh: true, startsCrew: false });
      }
    }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("crewdeck.callbacks")) advise();
    }),
  );

  return {
    open,
    restore(panel: vscode.WebviewPanel, raw: unknown): void {
      const state = parseSavedState(raw);
      // Its crew is unknown or has a form.
      if (state === undefined || forms.has(state.crew)) return void panel.dispose();
      const { crew: id, name, fields } = state;
      // Last, because local crews become known while the window starts.
      const crew = crews.find(id) ?? { id, name, url: "" };
      const { session } = add(panel, crew, seedOf(id), false);
      // An unavailable crew must not hide what was typed.
      if (fields === undefined) void session.load({ fresh: true, startsCrew: false });
      else session.resume(fields);
    },
    async closeAll(): Promise<void> {
      for (const [crewId, { panel, started }] of [...forms]) {
        panel.dispose();
        // Closing stores the draft.
        await started;
        memory.forget(crewId);
      }
    },
    async move(from: Crew, to: Crew): Promise<void> {
      const form = forms.get(from.id);
      form?.panel.dispose();
      const started = await form?.started;
      moveCrewValues(database, from.id, to.id);
      await kept.move(from.id, to.id);
      // After a start there is nothing to fill in.
      if (form !== undefined && started === undefined) await open(to);
    },
    forget: (crewId: string) => kept.forget(crewId),
    advise,
    dispose(): void {
      subscription.dispose();
      // What was typed a moment ago is stored before the window goes.
      for (const { session } of forms.values()) void session.close();
    },
  };
}

/** What a rehearsal is, why it is one, and the way to a real run. */
function rehearsalOf({ id, local }: Crew): Told | undefined {
  if (local?.engine !== "rehearsal" || local.isSettingUp === true) return undefined;
  const text = vscode.l10n.t(
    "This is a rehearsal: tasks, pauses and callbacks come in their real order, but no language model is called, and each output only repeats what its agent is asked.",
  );
  const real = changeEngineAction(id, local.obstacle);
  return {
    text: `${text} ${local.engineNote ?? ""}`.trim(),
    actions: [{ title: real.title, run: () => runAction(real) }],
  };
}

/** Why a local crew's Python may refuse its files, if it runs with crewAI. Loads the parsers. */
async function adviceOn({ local }: Crew): Promise<Told | undefined> {
  if (local?.engine !== "crewai") return undefined;
  const { folder, crewClass } = local;
  const { readProject } = await import("../../projects/read.ts");
  const project = vscode.Uri.parse(folder);
  const { problems } = await readProject(project.fsPath, crewClass);
  const [first] = problems;
  if (first === undefined) return undefined;
  const { message, position } = first;
  const text = vscode.l10n.t(
    "The crew's Python may refuse this (problems: {0}): {1}",
    problems.length,
    message,
  );
  if (position === undefined) return { text };
  const show = openFileAction(vscode.Uri.joinPath(project, position.file).fsPath, position);
  return { text, actions: [{ title: vscode.l10n.t("Show"), run: () => runAction(show) }] };
}

/** @param startsCrew is false for a form that comes back with its window, which asks nothing */
export async function inputsOf(
  crews: Pick<Crews, "get" | "inputs" | "ready">,
  crew: CrewAddress,
  { fresh, startsCrew }: LoadOptions,
): Promise<CrewInputs> {
  const current = startsCrew ? await crews.ready(crew) : crews.get(crew.id);
  try {
    return await crews.inputs(current, { fresh });
  } catch (error) {
    if (!startsCrew || !(error instanceof CrewApiError && error.asksPython === true)) throw error;
  }
  const isAllowed = await confirm(
    vscode.l10n.t("Ask the Python of “{0}” for its inputs?", crew.name),
    vscode.l10n.t(
      "The project's files don't say all of them. To list them, the project's own Python loads the crew, which runs the project's code on this machine. No model is called. The answer is kept until the files change.",
    ),
    vscode.l10n.t("Ask Python"),
  );
  if (!isAllowed)
    throw new UserError(
      vscode.l10n.t("Its inputs are not known, because its Python was not asked."),
    );
  const title = vscode.l10n.t("Loading “{0}” in its Python", crew.name);
  return await withProgress(title, (signal) => crews.inputs(current, { ask: true, signal }));
}

export function openKept(database: Database, storage: vscode.Uri): KeptRequests {
  return keptRequests(database, storage.fsPath, (error, crewId) =>
    logProblem("Reading the presets", error, crewId),
  );
}
