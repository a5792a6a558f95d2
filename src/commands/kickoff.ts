import * as vscode from "vscode";
import type { KickoffRequest } from "../api/types.ts";
import { UserError } from "../base/errors.ts";
import { defined, type UnknownObject } from "../base/json.ts";
import type { Crews } from "../crews/crews.ts";
import type { Crew } from "../crews/types.ts";
import { booleanOf, isProgram, objectOf, recordOf, stringOf } from "../editor/arguments.ts";
import { logProblem } from "../editor/log.ts";
import { keyOf, type Execution, type ExecutionSummary } from "../executions/model.ts";
import { callbackNames, checkAddress } from "../kickoff/callbacks.ts";
import { SingleStart } from "../base/single-start.ts";
import { chooseCrew } from "./choose.ts";
import type { CommandParts, Commands } from "./table.ts";

interface KickoffParts extends Pick<CommandParts, "clock"> {
  readonly documents: { show(execution: ExecutionSummary, taskId?: string): Promise<unknown> };
  readonly crews: Pick<Crews, "get" | "inputs" | "list" | "ready">;
  readonly forms: Pick<CommandParts["forms"], "open" | "showHint">;
  readonly sender: CommandParts["sender"];
  readonly locals: Pick<CommandParts["locals"], "start">;
}

/**
 * On a row, a crew without inputs starts at once. Otherwise the form opens, never with `form: false`.
 * Instead of a crew, it also takes the `folder` of a project, with `class` for one of several crews,
 * which it starts. Returns `{crew, kickoffId}`.
 */
export function kickoffCommands(parts: KickoffParts): Commands {
  const { crews, forms, sender, clock, documents, locals } = parts;
  /** By crew: a double click on the row is one kickoff. */
  const starts = new SingleStart<Execution | "form">(clock);
  const startOrAsk = async (crew: Crew, isPerson: boolean) => {
    const ready = await crews.ready(crew);
    if (await wantsForm(crews, ready)) return "form";
    const started = await sender.send(ready, { inputs: {} });
    await documents.show(started);
    // Not waited for: the notification may stay open.
    if (isPerson)
      forms.showHint(ready).catch((error: unknown) => {
        logProblem("Looking whether callbacks can come", error, ready.name);
      });
    return started;
  };
  const inForm = async (crew: Crew, values: Partial<KickoffRequest>) => {
    const started = await forms.open(await crews.ready(crew), values);
    return started && madeOf(started);
  };
  return {
    async kickoff(argument) {
      const given = recordOf(argument);
      const form = booleanOf(given, "form");
      const values = prefillOf(given);
      const [name, folder] = [stringOf(given, "crew"), stringOf(given, "folder")];
      if (name !== undefined && folder !== undefined)
        throw new UserError(vscode.l10n.t("Give “crew” or “folder”, not both."));
      if (form === false && name === undefined && folder === undefined)
        throw new UserError(
          vscode.l10n.t(
            "With “form: false” nothing is asked, so “crew” or “folder” must name the crew.",
          ),
        );
      const crew = await (folder === undefined
        ? chooseCrew(crews, argument)
        : locals.start({ folder, ...defined({ crewClass: stringOf(given, "class") }) }));
      if (crew === undefined) return undefined;
      if (form === false) {
        const request = { ...values, inputs: values.inputs ?? {} };
        return madeOf(await sender.send(await crews.ready(crew), request));
      }
      const isPerson = !isProgram(argument);
      const made =
        form === true || argument === undefined || Object.keys(values).length > 0
          ? "form"
          : await starts.once(crew.id, { isPerson }, () => startOrAsk(crew, isPerson));
      return made === "form" ? await inForm(crew, values) : madeOf(made);
    },
  };
}

/** Whether a crew needs inputs. If it can't be requested, the form shows why and retries. */
async function wantsForm(crews: KickoffParts["crews"], crew: Crew): Promise<boolean> {
  try {
    return (await crews.inputs(crew, { fresh: true })).fields.length > 0;
  } catch (error) {
    logProblem("Requesting a crew's inputs", error, crew.name);
    return true;
  }
}

/** @throws UserError for a wrong type or an invalid callback address */
export function prefillOf(given: UnknownObject): Partial<KickoffRequest> {
  const callbacks: Record<string, string> = {};
  for (const name of callbackNames) {
    const address = stringOf(given, name) ?? "";
    if (address === "") continue;
    if (checkAddress(address) !== undefined)
      throw new UserError(
        vscode.l10n.t(
          "“{0}” must be an http or https address without a name and password in it.",
          name,
        ),
      );
    callbacks[name] = address;
  }
  const values = { inputs: objectOf(given, "inputs"), meta: objectOf(given, "meta") };
  return { ...defined(values), ...callbacks };
}

export function madeOf(execution: ExecutionSummary): { crew: string; kickoffId: string } {
  return { crew: execution.crew.name, kickoffId: keyOf(execution) };
}
