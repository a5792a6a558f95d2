import * as vscode from "vscode";
import { shortAddress } from "../api/address.ts";
import { CrewApiError } from "../api/errors.ts";
import type { KickoffRequest, RunAgainFrom } from "../api/types.ts";
import { UserError } from "../base/errors.ts";
import { defined } from "../base/json.ts";
import { shortName } from "../base/text.ts";
import type { Crews } from "../crews/crews.ts";
import { costsMoney, type Crew } from "../crews/types.ts";
import { confirm } from "../editor/messages.ts";
import { isLocalCrew, type Execution } from "../executions/model.ts";
import { titleOf } from "../executions/title.ts";
import type { Senders } from "../sending/senders.ts";
import type { CallbackSecrets } from "../sending/secrets.ts";
import type { Prefill, RunFrom } from "./callbacks.ts";
import type { KickoffForms } from "./form/forms.ts";
import { inputsInShort, keepChangedText } from "./texts.ts";

export interface RunAgainOptions {
  readonly crews: Pick<Crews, "find" | "ready">;
  readonly sender: Pick<Senders, "send">;
  readonly forms: Pick<KickoffForms, "open">;
  readonly secrets: Pick<CallbackSecrets, "complete">;
  readonly documents: { show(execution: Execution): Promise<unknown> };
}

/** Whether a person is asked; a program isn't. */
type Asks = { readonly asks: boolean };

export class RunAgain {
  readonly #options: RunAgainOptions;

  constructor(options: RunAgainOptions) {
    this.#options = options;
  }

  /**
   * A person confirms or opens the form. @throws UserError without a request, and what {@link
   * Senders.send} throws
   */
  async atOnce(execution: Execution, { asks }: Asks): Promise<Execution | undefined> {
    const { inputs = {}, meta, restoreFromStateId, extra } = requestOf(execution);
    const crew = this.#crewOf(execution);
    const runAgain = execution.request?.runAgain;
    const request = { inputs, ...defined({ meta, restoreFromStateId, extra, runAgain }) };
    const question = vscode.l10n.t("Run “{0}” again?", titleOf(execution));
    const answer = asks ? await ask(question, about(execution, crew)) : "start";
    if (answer === "form") return await this.inForm(execution);
    return answer && (await this.#start(execution, crew, request, { asks }));
  }

  /**
   * Runs a local execution again from one of its tasks, with the outputs of the tasks before it. A
   * person confirms or opens the form. Throws as {@link atOnce}.
   */
  async from(
    execution: Execution,
    { inputs, ...given }: Omit<RunAgainFrom, "executionId"> & Pick<Prefill, "inputs">,
    { asks }: Asks,
  ): Promise<Execution | undefined> {
    const crew = this.#crewOf(execution);
    const executionId = execution.kickoffIds.at(-1);
    if (!isLocalCrew(crew) || executionId === undefined)
      throw new UserError(
        vscode.l10n.t("Only an execution of a local crew can run again from a task."),
      );
    const { inputs: sent = {}, meta } = requestOf(execution);
    const runAgain = { executionId, ...given };
    const [title, task] = [titleOf(execution), shortName(given.taskId)];
    const question = vscode.l10n.t("Run “{0}” again from “{1}”?", title, task);
    const answer = asks ? await ask(question, aboutFrom(execution, crew, given.taskId)) : "start";
    if (answer === "form") return await this.inForm(execution, runAgain);
    const request = { inputs: inputs ?? sent, ...defined({ meta }), runAgain };
    return answer && (await this.#start(execution, crew, request, { asks }));
  }

  /** Replaces the form's values. Settles as {@link KickoffForms.open}. */
  async inForm(execution: Execution, runAgain?: RunAgainFrom): Promise<Execution | undefined> {
    const from = runAgain && runFrom(execution, runAgain);
    const values = { ...requestOf(execution), ...defined({ from }) };
    const crew = this.#crewOf(execution);
    const { crews, forms } = this.#options;
    return await forms.open(await crews.ready(crew), values, { replaces: true });
  }

  async #start(
    execution: Execution,
    crew: Crew,
    request: Pick<KickoffRequest, "inputs" | "meta" | "restoreFromStateId" | "extra" | "runAgain">,
    { asks }: Asks,
  ): Promise<Execution | undefined> {
    const { crews, secrets, sender, documents } = this.#options;
    const { callbacks, lost } = await secrets.complete(execution);
    if (lost.length > 0) {
      if (!asks)
        throw new UserError(
          vscode.l10n.t(
            "The secret of a callback is no longer stored. Run this again in the form.",
          ),
        );
      void vscode.window.showInformationMessage(
        vscode.l10n.t("The secret of a callback is no longer stored. Enter it in the form."),
      );
      return await this.inForm(execution, request.runAgain);
    }
    const { label } = execution;
    const send = async (sent: KickoffRequest) => {
      const ready = await crews.ready(crew);
      const started = await sender.send(ready, { ...sent, ...callbacks }, defined({ label }));
      // The form shows what it starts itself.
      if (asks) await documents.show(started);
      return started;
    };
    try {
      return await send(request);
    } catch (error) {
      const { runAgain } = request;
      const canKeep = error instanceof CrewApiError && error.canKeepChanged === true;
      if (!asks || runAgain === undefined || !canKeep) throw error;
      const question = vscode.l10n.t("The crew has changed. Run again anyway?");
      const detail = `${error.message}\n\n${keepChangedText()}`;
      if (!(await confirm(question, detail, vscode.l10n.t("Run Anyway")))) return undefined;
      return await send({ ...request, runAgain: { ...runAgain, keepChanged: true } });
    }
  }

  #crewOf({ crew: { id, name, url } }: Execution): Crew {
    const found = this.#options.crews.find(id);
    if (found !== undefined) return found;
    throw new UserError(
      vscode.l10n.t("“{0}” ({1}) is not connected. Connect it to run this again.", name, url),
      [{ title: vscode.l10n.t("Connect a Crew"), command: "crewdeck.addCrew" }],
    );
  }
}

/** Without secrets. @throws UserError if the execution was only tracked by its ID */
export function requestOf(execution: Execution): Prefill {
  const { request } = execution;
  if (request === undefined)
    throw new UserError(
      vscode.l10n.t(
        "This execution was tracked by its ID. Crews do not report an execution's inputs.",
      ),
    );
  const { inputs, meta, restoreFromStateId, extra, runAgain, callbacks } = request;
  const from = runAgain && runFrom(execution, runAgain);
  return { inputs, ...defined({ meta, restoreFromStateId, extra, from }), ...callbacks };
}

function runFrom(
  execution: Execution,
  { executionId, taskId, outputs: given = {} }: RunAgainFrom,
): RunFrom {
  const outputs = tasksBefore(execution, taskId).map(({ taskId: id, attempts }) => {
    const edited = Object.hasOwn(given, id) ? given[id] : undefined;
    const text = edited ?? attempts.at(-1)?.output ?? "";
    return { taskId: id, text, ...(edited !== undefined && { isEdited: true as const }) };
  });
  return { executionId, taskId, title: titleOf(execution), outputs };
}

function tasksBefore({ tasks }: Execution, taskId: string): Execution["tasks"] {
  const index = tasks.findIndex((task) => task.taskId === taskId);
  return tasks.slice(0, Math.max(0, index));
}

function aboutFrom(execution: Execution, crew: Crew, taskId: string): readonly string[] {
  const kept = tasksBefore(execution, taskId).map((task) => `“${shortName(task.taskId)}”`);
  return [
    kept.length === 0
      ? vscode.l10n.t("No task comes before it.")
      : vscode.l10n.t("The outputs of {0} are kept.", kept.join(", ")),
    costsMoney(crew)
      ? vscode.l10n.t("This starts another execution, which can cost money.")
      : vscode.l10n.t("This starts another execution."),
  ];
}

function about(execution: Execution, crew: Crew): readonly string[] {
  const { inputs = {}, callbacks = {}, runAgain: from } = execution.request ?? {};
  const { name } = crew;
  const place = shortAddress(crew.url);
  const doubt = isLocalCrew(crew)
    ? vscode.l10n.t(
        "No response to its kickoff arrived, so it may already be running. Check the local crew's log first: this starts it a second time.",
      )
    : vscode.l10n.t(
        "No response to its kickoff arrived, so it may already be running. Check the crew's dashboard first: this starts it a second time.",
      );
  return [
    ...(execution.state === "unconfirmed" ? [doubt] : []),
    costsMoney(crew)
      ? vscode.l10n.t("“{0}” ({1}) starts another execution, which can cost money.", name, place)
      : vscode.l10n.t("“{0}” ({1}) starts another execution.", name, place),
    ...(from ? [vscode.l10n.t("It begins with “{0}” again.", shortName(from.taskId))] : []),
    ...(Object.keys(inputs).length === 0 ? [] : [inputsInShort(inputs).join("\n")]),
    ...(Object.keys(callbacks).length === 0
      ? []
      : [vscode.l10n.t("Its callbacks are sent again, too.")]),
  ];
}

async function ask(
  question: string,
  detail: readonly string[],
): Promise<"start" | "form" | undefined> {
  const [runAgain, edit] = [vscode.l10n.t("Run Again"), vscode.l10n.t("Edit First…")];
  const options = { modal: true, detail: detail.join("\n\n") };
  const chosen = await vscode.window.showInformationMessage(question, options, runAgain, edit);
  return chosen === runAgain ? "start" : chosen === edit ? "form" : undefined;
}
