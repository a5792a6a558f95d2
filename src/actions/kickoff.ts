import type * as v from "valibot";
import * as vscode from "vscode";
import { emptyInputs } from "../api/read-inputs.ts";
import type { CallbackUrls, InputField, JsonObject, KickoffRequest } from "../api/types.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { defined, laidOutJson } from "../base/json.ts";
import { SingleStart } from "../base/single-start.ts";
import type { Crews } from "../crews/crews.ts";
import { costsMoney, type Crew } from "../crews/types.ts";
import { flag, json, jsonObject, neededText, read, text } from "../editor/arguments.ts";
import { logProblem } from "../editor/log.ts";
import { keyOf, type Execution, type ExecutionSummary } from "../executions/model.ts";
import { crewAndPlace } from "../feedback/target.ts";
import {
  type CallbackName,
  callbackNames,
  checkAddress,
  forEachCallback,
} from "../kickoff/callbacks.ts";
import { checkInputs, isHarmless } from "../kickoff/request-files/request-file.ts";
import { MaybeStartedError } from "../sending/kickoff.ts";
import type { Senders } from "../sending/senders.ts";
import { chooseCrew, namesOf } from "./choose.ts";
import type { CommandParts, Run } from "./commands.ts";
import type { Question } from "./question.ts";
import { resultOf, type Tool, toolOf } from "./tool.ts";

interface KickoffParts extends Pick<CommandParts, "clock"> {
  readonly documents: { show(execution: ExecutionSummary): Promise<unknown> };
  readonly crews: Pick<Crews, "get" | "inputs" | "list" | "ready">;
  readonly forms: Pick<CommandParts["forms"], "open" | "showHint">;
  readonly sending: Pick<Senders, "send">;
  readonly locals: Pick<CommandParts["locals"], "start">;
}

const requestMembers = { inputs: json, meta: json, ...forEachCallback(() => text) };

/**
 * On a row, a crew without inputs starts at once. Otherwise the form opens, never with `form: false`.
 * Instead of a crew, it also takes the `folder` of a project, with `class` for one of several crews,
 * which it starts. Returns `{crew, kickoffId}`.
 */
export function kickoffCommand(parts: KickoffParts): Run {
  const { crews, forms, sending, clock, documents, locals } = parts;
  /** By crew: a double click on the row is one kickoff. */
  const starts = new SingleStart<Execution | "form">(clock);
  const startOrAsk = async (crew: Crew, isPerson: boolean) => {
    const ready = await crews.ready(crew);
    if (await wantsForm(crews, ready)) return "form";
    const started = await sending.send(ready, { inputs: {} });
    await documents.show(started);
    // Not waited for: the notification may stay open.
    if (isPerson)
      forms.showHint(ready).catch((error: unknown) => {
        logProblem("Looking whether callbacks can come", error, ready.name);
      });
    return started;
  };
  const members = { ...requestMembers, crew: text, folder: text, class: text, form: flag };
  return async (argument, by) => {
    const { crew: name, folder, class: crewClass, form, ...given } = read(members, argument);
    const values = requestIn(given);
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
      : locals.start({ folder, ...defined({ crewClass }) }));
    if (crew === undefined) return undefined;
    if (form === false) {
      const request = { ...values, inputs: values.inputs ?? {} };
      return namesOf(await sending.send(await crews.ready(crew), request));
    }
    const made =
      form === true || argument === undefined || Object.keys(values).length > 0
        ? "form"
        : await starts.once(crew.id, by, () => startOrAsk(crew, by.isPerson));
    if (made !== "form") return namesOf(made);
    const started = await forms.open(await crews.ready(crew), values);
    return started && namesOf(started);
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

/** @throws UserError for an invalid callback address */
function requestIn(
  given: v.InferOutput<v.ObjectSchema<typeof requestMembers, undefined>>,
): Partial<Pick<KickoffRequest, "inputs" | "meta">> & CallbackUrls {
  const { inputs, meta } = given;
  const callbacks: Partial<Record<CallbackName, string>> = {};
  for (const name of callbackNames) {
    const address = given[name] ?? "";
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
  return { ...defined({ inputs, meta }), ...callbacks };
}

/** The API's `kickoff`. */
export async function kickoff(
  {
    crews,
    sending,
  }: Pick<KickoffParts, "sending"> & { readonly crews: Pick<Crews, "get" | "ready"> },
  argument: unknown,
): Promise<{ crew: string; kickoffId: string }> {
  const given = read({ ...requestMembers, crew: neededText }, argument);
  const request = requestIn(given);
  const crew = await crews.ready(crews.get(given.crew));
  return namesOf(await sending.send(crew, { ...request, inputs: request.inputs ?? {} }));
}

/** A model's inputs have no position in a file. */
const nowhere = { start: 0, end: 0 };
const places = { crew: nowhere, inputs: nowhere, input: new Map(), inputName: new Map() };

/** `crewdeck_kickOff`: starts an execution. */
export function kickoffTool({
  crews,
  sending,
}: Pick<KickoffParts, "sending"> & {
  readonly crews: Pick<Crews, "get" | "inputs" | "knownInputs" | "ready">;
}): Tool {
  const question = ({ crew, inputs }: { readonly crew: Crew; readonly inputs: JsonObject }) => {
    const fields = crews.knownInputs(crew)?.fields;
    const unlisted = fields === undefined ? [] : faultsOf(inputs, fields).filter(isHarmless);
    const place = crewAndPlace({ crew });
    return {
      title: vscode.l10n.t("Kick off “{0}”?", crew.name),
      parts: [
        costsMoney(crew)
          ? vscode.l10n.t(
              "{0} starts an execution with these inputs, which can cost money. Not every crew lets you stop it.",
              place,
            )
          : vscode.l10n.t("{0} starts an execution with these inputs.", place),
        ...unlisted.map(({ text }) => text),
        ...partsOf(inputs),
      ],
      allow: vscode.l10n.t("Kick Off"),
    };
  };
  return toolOf(
    { crew: neededText, inputs: jsonObject },
    {
      read: ({ crew, inputs }) => ({ crew: crews.get(crew), inputs }),
      async check({ crew, inputs }, signal) {
        // Don't start a stopped crew to check inputs: the kickoff checks them.
        if (crew.local?.running !== false)
          refuse(inputs, (await crews.inputs(crew, { fresh: true, signal })).fields);
      },
      progress: ({ crew }) => vscode.l10n.t("Kicking off “{0}”", crew.name),
      question,
      async run({ crew, inputs }, by) {
        if (!(await by.agrees(question({ crew, inputs })))) return undefined;
        const ready = await crews.ready(crew);
        const { fields } = await crews.inputs(ready, { fresh: true, signal: by.signal });
        refuse(inputs, fields);
        by.signal.throwIfAborted();
        try {
          const whole = { ...emptyInputs(fields), ...inputs };
          const execution = await sending.send(ready, { inputs: whole });
          return resultOf(
            { executionId: keyOf(execution), crew: crew.name, state: execution.state },
            vscode.l10n.t(
              "The execution was started. It takes a while: follow it with crewdeck_getExecution. Do not kick it off again.",
            ),
          );
        } catch (error) {
          if (!(error instanceof MaybeStartedError)) throw error;
          const known = error.execution && { executionId: keyOf(error.execution) };
          return resultOf(
            { ...known, crew: crew.name, state: "unconfirmed", problem: messageOf(error) },
            crew.local === undefined
              ? vscode.l10n.t(
                  "It is not known whether it started. Do not kick it off again. Tell the user, who can check the crew's dashboard.",
                )
              : vscode.l10n.t(
                  "It is not known whether it started. Do not kick it off again. Tell the user, who can check the local crew's log.",
                ),
          );
        }
      },
    },
  );
}

/** Short inputs together, long ones on their own. */
function partsOf(inputs: JsonObject): Question["parts"] {
  const entries = Object.entries(inputs);
  if (entries.length === 0) return [vscode.l10n.t("Inputs: none.")];
  const whole = laidOutJson(inputs);
  if (whole.length <= 600) return [{ heading: vscode.l10n.t("Inputs:"), text: whole }];
  return entries.map(([name, value]) => {
    const text = typeof value === "string" ? value : laidOutJson(value);
    return { heading: vscode.l10n.t("Input “{0}”, {1} characters:", name, text.length), text };
  });
}

function faultsOf(inputs: JsonObject, fields: readonly InputField[]) {
  return checkInputs({ values: { inputs }, places }, fields);
}

function refuse(inputs: JsonObject, fields: readonly InputField[]): void {
  const faults = faultsOf(inputs, fields).filter((fault) => !isHarmless(fault));
  if (faults.length === 0) return;
  const advice = vscode.l10n.t(
    "Nothing was sent. Ask the user for what you do not know; do not make it up.",
  );
  throw new UserError([...faults.map(({ text }) => text), advice].join(" "));
}
