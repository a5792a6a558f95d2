import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import type { JsonObject, KickoffRequest } from "../api/types.ts";
import type { Crews } from "../crews/crews.ts";
import type { Crew } from "../crews/types.ts";
import { UserError } from "../base/errors.ts";
import { logProblem } from "../editor/log.ts";
import { keyOf, type Execution, type ExecutionSummary } from "../executions/model.ts";
import type { KickoffForms } from "../kickoff/form/forms.ts";
import { SingleStart } from "../base/single-start.ts";
import { callbackNames, checkAddress } from "../kickoff/callbacks.ts";
import type { KickoffSender } from "../sending/kickoff.ts";
import { booleanOf, isProgram, objectOf, optional, recordOf, stringOf } from "./arguments.ts";
import { chooseCrew } from "./choose.ts";
import type { Command } from "./table.ts";

/** What the kickoff commands work with. */
export interface KickoffParts {
  readonly crews: Crews;
  readonly forms: Pick<KickoffForms, "open">;
  readonly sender: Pick<KickoffSender, "send">;
  readonly clock: Clock;
  /** Makes sure that a local crew's service runs; nothing to do for a deployed one. */
  readonly wake: (crewId: string) => Promise<void>;
  readonly show: (execution: ExecutionSummary) => Promise<unknown>;
}

/**
 * `crewdeck.kickoff`: by form, at once for a crew that needs no inputs, or without asking anything (`form: false`); and
 * `crewdeck.kickoffInForm`: by form whatever the crew needs, for it holds callbacks and meta, too. Both return `{crew, kickoffId}`.
 */
export function kickoffCommands({
  crews,
  forms,
  sender,
  clock,
  wake,
  show,
}: KickoffParts): readonly Command[] {
  /** Starts of crews that ask for nothing, by crew: a double click on the row is one wish. */
  const starts = new SingleStart<Execution | "form">(clock);
  const startOrAsk = async (crew: Crew): Promise<Execution | "form"> => {
    await wake(crew.id);
    if (await wantsForm(crews, crew)) return "form";
    const started = await sender.send(crews.get(crew.id), { inputs: {} });
    await show(started);
    return started;
  };
  const inForm = async (crew: Crew, values: Partial<KickoffRequest>) => {
    await wake(crew.id);
    const started = await forms.open(crews.get(crew.id), values);
    return started && madeOf(started);
  };
  const kickoff: Command = {
    id: "kickoff",
    async run(argument) {
      const given = recordOf(argument);
      const form = booleanOf(given, "form");
      const values = prefillOf(given);
      if (form === false && stringOf(given, "crew") === undefined)
        throw new UserError(
          vscode.l10n.t("With “form: false” nothing is asked, so “crew” must name the crew."),
        );
      const crew = await chooseCrew(crews, argument);
      if (crew === undefined) return undefined;
      if (form === false) {
        await wake(crew.id);
        return madeOf(
          await sender.send(crews.get(crew.id), { ...values, inputs: values.inputs ?? {} }),
        );
      }
      const isGiven = Object.keys(values).length > 0;
      const made =
        form === true || isGiven
          ? "form"
          : await starts.once(crew.id, { isPerson: !isProgram(argument) }, () => startOrAsk(crew));
      return made === "form" ? await inForm(crew, values) : madeOf(made);
    },
  };
  const kickoffInForm: Command = {
    id: "kickoffInForm",
    async run(argument) {
      const values = prefillOf(recordOf(argument));
      const crew = await chooseCrew(crews, argument);
      return crew && (await inForm(crew, values));
    },
  };
  return [kickoff, kickoffInForm];
}

/** Whether a crew needs inputs. Where it can't be asked, the form says why and tries again. */
async function wantsForm(crews: Crews, crew: Crew): Promise<boolean> {
  try {
    return (await crews.inputs(crew, { fresh: true })).fields.length > 0;
  } catch (error) {
    logProblem("Asking a crew what it needs", error, crew.name);
    return true;
  }
}

/** What a kickoff's argument says to send. @throws UserError for a wrong type or an address that is none */
export function prefillOf(given: Readonly<Record<string, unknown>>): Partial<KickoffRequest> {
  const callbacks: Record<string, string> = {};
  for (const name of callbackNames) {
    const address = stringOf(given, name);
    if (address === undefined || address === "") continue;
    if (checkAddress(address) !== undefined)
      throw new UserError(
        vscode.l10n.t(
          "“{0}” must be an http or https address without a name and password in it.",
          name,
        ),
      );
    callbacks[name] = address;
  }
  return {
    ...optional<"inputs", JsonObject>("inputs", objectOf(given, "inputs")),
    ...optional<"meta", JsonObject>("meta", objectOf(given, "meta")),
    ...callbacks,
  };
}

/** What a command that started an execution returns. */
export function madeOf(execution: ExecutionSummary): { crew: string; kickoffId: string } {
  return { crew: execution.crew.name, kickoffId: keyOf(execution) };
}
