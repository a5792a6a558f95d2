import * as vscode from "vscode";
import type { RunAgainFrom } from "../api/types.ts";
import { UserError } from "../base/errors.ts";
import { defined } from "../base/json.ts";
import type { Crews } from "../crews/crews.ts";
import { costsMoney, type Crew } from "../crews/types.ts";
import { isLocalCrew, type Execution } from "../executions/model.ts";
import { titleOf } from "../executions/title.ts";
import type { KickoffSender } from "../sending/kickoff.ts";
import type { CallbackSecrets } from "../sending/secrets.ts";
import type { Prefill } from "./callbacks.ts";
import type { KickoffForms } from "./form/forms.ts";
import { inputsInShort } from "./texts.ts";

export interface RunAgainOptions {
  readonly crews: Pick<Crews, "find" | "ready">;
  readonly sender: Pick<KickoffSender, "send">;
  readonly forms: Pick<KickoffForms, "open">;
  readonly secrets: Pick<CallbackSecrets, "complete">;
}

export class RunAgain {
  readonly #options: RunAgainOptions;

  constructor(options: RunAgainOptions) {
    this.#options = options;
  }

  /**
   * A person confirms or opens the form. @throws UserError without a request, and what {@link
   * KickoffSender.send} throws
   */
  async atOnce(
    execution: Execution,
    { asks }: { readonly asks: boolean },
  ): Promise<Execution | undefined> {
    const { inputs = {}, meta } = requestOf(execution);
    const crew = this.#crewOf(execution);
    const answer = asks ? await ask(execution, crew) : "start";
    if (answer === undefined) return undefined;
    if (answer === "form") return await this.inForm(execution);
    const { crews, secrets, sender } = this.#options;
    const { callbacks, lost } = await secrets.complete(execution);
    if (lost.length === 0) {
      const request = { inputs, ...defined({ meta }), ...callbacks };
      const { label } = execution;
      return await sender.send(await crews.ready(crew), request, defined({ label }));
    }
    if (!asks)
      throw new UserError(
        vscode.l10n.t("The secret of a callback is no longer stored. Run this again in the form."),
      );
    void vscode.window.showInformationMessage(
      vscode.l10n.t("The secret of a callback is no longer stored. Enter it in the form."),
    );
    return await this.inForm(execution);
  }

  /**
   * Runs a local execution again from one of its tasks, with the outputs of the tasks before it. A
   * person confirms. Throws as {@link atOnce}.
   */
  async from(
    execution: Execution,
    { taskId, inputs, outputs }: Pick<RunAgainFrom, "taskId" | "outputs"> & Partial<Prefill>,
    { asks }: { readonly asks: boolean },
  ): Promise<Execution | undefined> {
    const crew = this.#crewOf(execution);
    const { kickoffIds, label } = execution;
    const executionId = kickoffIds.at(-1);
    if (!isLocalCrew(crew) || executionId === undefined)
      throw new UserError(
        vscode.l10n.t("Only an execution of a local crew can run again from a task."),
      );
    const request = requestOf(execution);
    if (asks && !(await askFrom(execution, crew, taskId))) return undefined;
    const { crews, secrets, sender } = this.#options;
    // Lost secrets are not asked for here: their callbacks are left out.
    const { callbacks } = await secrets.complete(execution);
    const runAgain = { executionId, taskId, ...defined({ outputs }) };
    const sent = { inputs: inputs ?? request.inputs ?? {}, ...defined({ meta: request.meta }) };
    return await sender.send(
      await crews.ready(crew),
      { ...sent, ...callbacks, runAgain },
      defined({ label }),
    );
  }

  /** Replaces the form's values. Settles as {@link KickoffForms.open}. */
  async inForm(execution: Execution): Promise<Execution | undefined> {
    const values = requestOf(execution);
    const crew = this.#crewOf(execution);
    const { crews, forms } = this.#options;
    return await forms.open(await crews.ready(crew), values, { replaces: true });
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
export function requestOf({ request }: Execution): Prefill {
  if (request === undefined)
    throw new UserError(
      vscode.l10n.t(
        "This execution was tracked by its ID. Crews do not report an execution's inputs.",
      ),
    );
  const { inputs, meta, callbacks } = request;
  return { inputs, ...defined({ meta }), ...callbacks };
}

async function askFrom(execution: Execution, crew: Crew, taskId: string): Promise<boolean> {
  const runAgain = vscode.l10n.t("Run Again");
  const before = execution.tasks.findIndex((task) => task.taskId === taskId);
  const kept = execution.tasks.slice(0, Math.max(0, before)).map((task) => task.taskId);
  const detail = [
    kept.length === 0
      ? vscode.l10n.t("No task comes before it.")
      : vscode.l10n.t("The outputs of {0} are kept.", kept.map((id) => `“${id}”`).join(", ")),
    costsMoney(crew)
      ? vscode.l10n.t("This starts another execution, which can cost money.")
      : vscode.l10n.t("This starts another execution."),
  ].join("\n\n");
  const question = vscode.l10n.t("Run “{0}” again from “{1}”?", titleOf(execution), taskId);
  const options = { modal: true, detail };
  return (await vscode.window.showInformationMessage(question, options, runAgain)) === runAgain;
}

async function ask(execution: Execution, crew: Crew): Promise<"start" | "form" | undefined> {
  const [runAgain, openForm] = [vscode.l10n.t("Run Again"), vscode.l10n.t("Open in Form")];
  const { inputs = {}, callbacks = {} } = execution.request ?? {};
  const { name } = crew;
  const { host } = new URL(crew.url);
  const doubt = isLocalCrew(crew)
    ? vscode.l10n.t(
        "No response to its kickoff arrived, so it may already be running. Check the local crew's log first: this starts it a second time.",
      )
    : vscode.l10n.t(
        "No response to its kickoff arrived, so it may already be running. Check the crew's dashboard first: this starts it a second time.",
      );
  const detail = [
    ...(execution.state === "unconfirmed" ? [doubt] : []),
    costsMoney(crew)
      ? vscode.l10n.t("“{0}” ({1}) starts another execution, which can cost money.", name, host)
      : vscode.l10n.t("“{0}” ({1}) starts another execution.", name, host),
    ...(Object.keys(inputs).length === 0 ? [] : [inputsInShort(inputs).join("\n")]),
    ...(Object.keys(callbacks).length === 0
      ? []
      : [vscode.l10n.t("Its callbacks are sent again, too.")]),
  ].join("\n\n");
  const chosen = await vscode.window.showInformationMessage(
    vscode.l10n.t("Run “{0}” again?", titleOf(execution)),
    { modal: true, detail },
    runAgain,
    openForm,
  );
  return chosen === runAgain ? "start" : chosen === openForm ? "form" : undefined;
}
