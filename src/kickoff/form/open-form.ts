import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { NothingToDo, UserError } from "../../base/errors.ts";
import { CrewApiError } from "../../api/errors.ts";
import type { CrewInputs } from "../../api/types.ts";
import type { Crews } from "../../crews/crews.ts";
import type { CrewAddress } from "../../crews/types.ts";
import { formType, viewId } from "../../editor/manifest.ts";
import { logProblem } from "../../editor/log.ts";
import { confirm, runAction, showError, withProgress } from "../../editor/messages.ts";
import { Panel } from "../../editor/panel.ts";
import type { Execution, ExecutionSummary } from "../../executions/model.ts";
import type { Senders } from "../../sending/senders.ts";
import { formTitle } from "../texts.ts";
import type { GivenValues, Seed } from "./content.ts";
import { type FormCrew, fromForm, type FromForm, type ToForm } from "./messages.ts";
import { FormSession, type SessionOptions } from "./session.ts";

export interface FormParts extends Pick<SessionOptions, "clock"> {
  readonly context: Pick<vscode.ExtensionContext, "extensionUri">;
  readonly crews: Pick<Crews, "get" | "inputs" | "ready">;
  readonly sender: Pick<Senders, "send">;
  readonly documents: { readonly show: (execution: ExecutionSummary) => Promise<unknown> };
}

export class OpenForm {
  readonly session: FormSession;
  /** Undefined if the form was closed without a start. */
  readonly started: Promise<Execution | undefined>;
  readonly #panel: vscode.WebviewPanel;

  constructor(
    panel: vscode.WebviewPanel,
    crew: FormCrew,
    seed: Seed,
    { context, crews, sender, clock, documents }: FormParts,
    options: Pick<
      SessionOptions,
      "takesFocus" | "tools" | "memory" | "onHint" | "onLateProblem" | "showPlace"
    >,
  ) {
    this.#panel = panel;
    let execution: Execution | undefined;
    const show = (made: Execution) =>
      void documents
        .show(made)
        .catch((error: unknown) => logProblem("Showing an execution", error));
    this.session = new FormSession(crew, seed, {
      ...options,
      clock,
      newId: randomUUID,
      // Looked up at each use, since a local crew's port may change.
      inputs: async ({ fresh, startsCrew }) => {
        const current = startsCrew ? await crews.ready(crew) : crews.get(crew.id);
        try {
          return await crews.inputs(current, { fresh });
        } catch (error) {
          // A form that comes back with its window asks nothing.
          if (!startsCrew || !(error instanceof CrewApiError && error.asksPython === true))
            throw error;
          const inputs = await askPython(crews, current);
          if (inputs !== undefined) return inputs;
          throw new UserError(
            vscode.l10n.t("Its inputs are not known, because its Python was not asked."),
          );
        }
      },
      send: async (request, localId) =>
        await sender.send(await crews.ready(crew), request, { localId }),
      onToolProblem: (error) => {
        if (!(error instanceof NothingToDo)) logProblem("The kickoff form", error);
        void showError(error);
      },
      onAction: (action) => void runAction(action),
      onOpenExecution: (made) =>
        made ? show(made) : void vscode.commands.executeCommand(`${viewId}.focus`),
      post: (message) => {
        panel.title = formTitle(message.view);
        page.post(message);
      },
      onStarted: (made) => {
        execution = made;
        panel.dispose();
        show(made);
      },
    });
    const page = new Panel<FromForm, ToForm>(panel, {
      ...{ part: "form", name: "The kickoff form", title: panel.title, clock },
      extension: context.extensionUri,
      ready: Promise.resolve(),
      messages: fromForm,
      on: {
        ...this.session.on,
        ready: (message) => {
          page.begin();
          this.session.on.ready(message);
        },
      },
    });
    this.started = new Promise((resolve) => {
      panel.onDidDispose(() => void this.session.close().then(() => resolve(execution)));
    });
  }

  show(values: GivenValues): void {
    if (values.given !== undefined || values.instead !== undefined) this.session.give(values);
    this.#panel.reveal();
  }

  close(): void {
    this.#panel.dispose();
  }
}

/** The draft is stored elsewhere, so the page needn't live while hidden. */
export function openPanel(crew: FormCrew): vscode.WebviewPanel {
  const title = formTitle({ kind: "loading", crew });
  return vscode.window.createWebviewPanel(formType, title, vscode.ViewColumn.Active);
}

/** Asks the person, then the crew's Python. Undefined if the person says no. @throws CrewApiError */
export async function askPython(
  crews: Pick<Crews, "inputs">,
  crew: CrewAddress,
): Promise<CrewInputs | undefined> {
  const isAllowed = await confirm(
    vscode.l10n.t("Ask the Python of “{0}” for its inputs?", crew.name),
    vscode.l10n.t(
      "The project's files don't say all of them. To list them, the project's own Python loads the crew, which runs the project's code on this machine. No model is called. The answer is kept until the files change.",
    ),
    vscode.l10n.t("Ask Python"),
  );
  if (!isAllowed) return undefined;
  const title = vscode.l10n.t("Loading “{0}” in its Python", crew.name);
  return await withProgress(title, (signal) => crews.inputs(crew, { ask: true, signal }));
}
