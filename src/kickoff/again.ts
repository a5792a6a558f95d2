import * as vscode from "vscode";
import type { KickoffRequest } from "../api/types.ts";
import type { Crews } from "../crews/crews.ts";
import { costsMoney, type Crew } from "../crews/types.ts";
import { UserError } from "../base/errors.ts";
import { isLocalCrew, type Execution } from "../executions/model.ts";
import type { CallbackSecrets } from "../sending/secrets.ts";
import { titleOf } from "../executions/title.ts";
import type { KickoffForms } from "./form/forms.ts";
import { inputsInShort } from "./in-short.ts";
import type { KickoffSender } from "../sending/kickoff.ts";
import type { Prefill } from "./form/values.ts";

/** What {@link RunAgain} works with. */
export interface RunAgainOptions {
  readonly crews: Pick<Crews, "find" | "get">;
  readonly sender: Pick<KickoffSender, "send">;
  readonly forms: Pick<KickoffForms, "open">;
  /** Secrets of the callbacks it was started with. */
  readonly secrets: Pick<CallbackSecrets, "complete">;
  /** Makes sure that a local crew's service runs; nothing to do for a deployed one. */
  readonly wake: (crewId: string) => Promise<void>;
}

/** Starts what was started before once more, with the same inputs, meta and callbacks. */
export class RunAgain {
  readonly #options: RunAgainOptions;

  constructor(options: RunAgainOptions) {
    this.#options = options;
  }

  /**
   * Kicks off at once. A person confirms it, since only the question shows what is sent, or opens the form instead; undefined when the person cancels.
   * Throws {@link UserError} where it is not known what was sent, and what {@link KickoffSender.send} throws.
   */
  async atOnce(
    execution: Execution,
    { asks }: { readonly asks: boolean },
  ): Promise<Execution | undefined> {
    const { inputs, meta } = requestOf(execution);
    const crew = this.#crewOf(execution);
    const answer = asks ? await ask(execution, crew) : "start";
    if (answer === undefined) return undefined;
    if (answer === "form") return await this.inForm(execution);
    const { callbacks, lost } = await this.#options.secrets.complete(execution);
    if (lost.length > 0) {
      if (!asks)
        throw new UserError(
          vscode.l10n.t(
            "The secret of a callback is not kept any more, so this can only be run again in the form, which asks for it.",
          ),
        );
      void vscode.window.showInformationMessage(
        vscode.l10n.t("The secret of a callback is not kept any more. Enter it in the form."),
      );
      return await this.inForm(execution);
    }
    await this.#options.wake(crew.id);
    const request: KickoffRequest = {
      inputs: inputs ?? {},
      ...(meta === undefined ? {} : { meta }),
      ...callbacks,
    };
    return await this.#options.sender.send(
      this.#options.crews.get(crew.id),
      request,
      execution.label === undefined ? {} : { label: execution.label },
    );
  }

  /** Opens the crew's form with what was sent, in the place of what it held. Settles as {@link KickoffForms.open} does. */
  async inForm(execution: Execution): Promise<Execution | undefined> {
    const values = requestOf(execution);
    const crew = this.#crewOf(execution);
    await this.#options.wake(crew.id);
    return await this.#options.forms.open(this.#options.crews.get(crew.id), values, {
      replaces: true,
    });
  }

  #crewOf({ crew }: Execution): Crew {
    const found = this.#options.crews.find(crew.id);
    if (found !== undefined) return found;
    throw new UserError(
      vscode.l10n.t(
        "“{0}” ({1}) is not connected. Connect it to run this again.",
        crew.name,
        crew.url,
      ),
      [{ title: vscode.l10n.t("Connect a Crew"), command: "crewdeck.addCrew" }],
    );
  }
}

/** What an execution was started with, without secrets. @throws UserError where it was only tracked by its id */
export function requestOf({ request }: Execution): Prefill {
  if (request !== undefined)
    return {
      inputs: request.inputs,
      ...(request.meta === undefined ? {} : { meta: request.meta }),
      ...request.callbacks,
    };
  throw new UserError(
    vscode.l10n.t(
      "This execution was not started here but tracked by its ID, and a crew does not tell what it was started with.",
    ),
  );
}

async function ask(execution: Execution, crew: Crew): Promise<"start" | "form" | undefined> {
  const runAgain = vscode.l10n.t("Run Again");
  const openForm = vscode.l10n.t("Open in Form");
  const { inputs = {}, callbacks = {} } = execution.request ?? {};
  const { host } = new URL(crew.url);
  const detail = [
    ...(execution.state !== "unconfirmed"
      ? []
      : isLocalCrew(crew)
        ? [
            vscode.l10n.t(
              "No answer came to its kickoff, so it may be running already. Look in the local crew's log first: this starts it a second time.",
            ),
          ]
        : [
            vscode.l10n.t(
              "No answer came to its kickoff, so it may be running already. Look in the crew's dashboard first: this starts it a second time.",
            ),
          ]),
    costsMoney(crew)
      ? vscode.l10n.t(
          "“{0}” ({1}) starts another execution, which can cost money.",
          crew.name,
          host,
        )
      : vscode.l10n.t("“{0}” ({1}) starts another execution.", crew.name, host),
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
