import type * as v from "valibot";
import * as vscode from "vscode";
import type { InputField, JsonObject, KickoffRequest } from "../api/types.ts";
import type { Clock } from "../base/clock.ts";
import { UserError } from "../base/errors.ts";
import { defined, laidOutJson } from "../base/json.ts";
import { startOnce } from "../base/single-start.ts";
import type { Crews } from "../crews/crews.ts";
import { costsMoney, type Crew } from "../crews/types.ts";
import { flag, json, read, text } from "../editor/arguments.ts";
import { logProblem } from "../editor/log.ts";
import type { Execution } from "../executions/model.ts";
import { crewAndPlace } from "../crews/identity.ts";
import { addressFault, callbackNames, forEachCallback } from "../kickoff/callbacks.ts";
import type { KickoffRoom } from "../kickoff/register.ts";
import { checkInputs, isHarmless } from "../kickoff/request-files/request-file.ts";
import type { LocalCrews } from "../local/local-crews.ts";
import type { Senders } from "../sending/senders.ts";
import type { Asker } from "./asker.ts";
import type { Question } from "./question.ts";
import type { Pages } from "../views/page/register.ts";
import { namesOf, type Targets } from "./targets.ts";

export interface KickoffParts {
  readonly targets: Pick<Targets, "crew">;
  readonly page: Pick<Pages, "open">;
  readonly crews: Pick<Crews, "inputs" | "ready">;
  readonly forms: Pick<KickoffRoom["forms"], "open">;
  readonly sending: Pick<Senders, "send">;
  readonly locals: Pick<LocalCrews, "start">;
  readonly clock: Clock;
}

export const requestMembers = { inputs: json, meta: json, ...forEachCallback(() => text) };
const members = { ...requestMembers, crew: text, folder: text, class: text, form: flag };

/**
 * On a row, a crew without inputs starts at once. Otherwise the form opens, never with `form: false`.
 * Instead of a crew, it also takes the `folder` of a project, with `class` for one of several crews,
 * which it starts. Returns `{crew, kickoffId}`.
 */
export function kickoffVerb(parts: KickoffParts) {
  const { targets, crews, forms, sending, clock, page, locals } = parts;
  /** By crew: a double click on the row is one kickoff. */
  const starts = startOnce<Execution | "form">(clock);
  const startOrAsk = async (crew: Crew) => {
    const ready = await crews.ready(crew);
    if (await wantsForm(crews, ready)) return "form";
    const started = await sending.send(ready, { inputs: {} });
    await page.open(started);
    return started;
  };
  return async (argument: unknown, by: Asker) => {
    const { crew: name, folder, class: crewClass, form, ...given } = read(members, argument);
    const values = requestIn(given);
    if (name !== undefined && folder !== undefined)
      throw new UserError(vscode.l10n.t("Give “crew” or “folder”, not both."));
    if (form === false && name === undefined && folder === undefined)
      throw new UserError(vscode.l10n.t("“{0}” is missing.", "crew"));
    const crew = await (folder === undefined
      ? targets.crew(argument)
      : locals.start({ folder, ...defined({ crewClass }) }));
    if (crew === undefined) return undefined;
    if (form === false) {
      const request = { ...values, inputs: values.inputs ?? {} };
      return namesOf(await sending.send(await crews.ready(crew), request));
    }
    const made =
      form === true || argument === undefined || Object.keys(values).length > 0
        ? "form"
        : await starts(crew.id, by, () => startOrAsk(crew));
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
function requestIn({
  inputs,
  meta,
  ...given
}: v.InferOutput<v.ObjectSchema<typeof requestMembers, undefined>>): Partial<KickoffRequest> {
  for (const name of callbackNames) {
    const fault = addressFault(given[name] ?? "");
    if (fault !== undefined) throw new UserError(`“${name}”: ${fault}`);
  }
  return defined({ inputs, meta, ...forEachCallback((name) => given[name] || undefined) });
}

export function kickoffQuestion(
  crew: Crew,
  inputs: JsonObject,
  fields: readonly InputField[] | undefined,
): Question {
  const unlisted = checkInputs(inputs, fields).filter(isHarmless);
  const place = crewAndPlace({ crew });
  return {
    title: vscode.l10n.t("Kick off “{0}”?", crew.name),
    parts: [
      // The number shows which heading below is part of a value.
      vscode.l10n.t("{0} starts an execution. Inputs: {1}.", place, Object.keys(inputs).length),
      ...(costsMoney(crew)
        ? [vscode.l10n.t("It can cost money. Not every crew lets you stop it.")]
        : []),
      ...unlisted.map(({ text }) => text),
      ...Object.entries(inputs).map(([name, value]) => ({
        heading: vscode.l10n.t("Input “{0}”:", name),
        text: typeof value === "string" ? value : laidOutJson(value),
      })),
    ],
    allow: vscode.l10n.t("Kick Off"),
  };
}

/** @throws UserError that tells a model what the crew would refuse */
export function refuseInputs(inputs: JsonObject, fields: readonly InputField[]): void {
  const faults = checkInputs(inputs, fields).filter((fault) => !isHarmless(fault));
  if (faults.length === 0) return;
  const advice = vscode.l10n.t(
    "Nothing was sent. Ask the user for what you do not know; do not make it up.",
  );
  throw new UserError([...faults.map(({ text }) => text), advice].join(" "));
}
