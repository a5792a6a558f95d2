import type * as v from "valibot";
import * as vscode from "vscode";
import type { InputField, JsonObject, KickoffRequest } from "../api/types.ts";
import { UserError } from "../base/errors.ts";
import { defined, laidOutJson } from "../base/json.ts";
import type { Crews } from "../crews/crews.ts";
import { costsMoney, type Crew } from "../crews/types.ts";
import { flag, json, read, text } from "../editor/arguments.ts";
import { crewAndPlace } from "../crews/identity.ts";
import { addressFault, callbackNames, forEachCallback } from "../kickoff/callbacks.ts";
import type { KickoffRoom } from "../kickoff/register.ts";
import { checkInputs, isHarmless } from "../kickoff/request-files/request-file.ts";
import type { LocalCrews } from "../local/local-crews.ts";
import type { Senders } from "../sending/senders.ts";
import type { Question } from "./question.ts";
import { namesOf, type Targets } from "./targets.ts";

export interface KickoffParts {
  readonly targets: Pick<Targets, "crew">;
  readonly crews: Pick<Crews, "ready">;
  readonly forms: Pick<KickoffRoom["forms"], "open">;
  readonly sending: Pick<Senders, "send">;
  readonly locals: Pick<LocalCrews, "start">;
}

export const requestMembers = { inputs: json, meta: json, ...forEachCallback(() => text) };
const members = { ...requestMembers, crew: text, folder: text, class: text, form: flag };

/**
 * The form opens, never with `form: false`. Instead of a crew, it also takes the `folder` of a project, with `class` for
 * one of several crews, which it starts. Returns `{crew, kickoffId}`.
 */
export function kickoffVerb(parts: KickoffParts) {
  const { targets, crews, forms, sending, locals } = parts;
  return async (argument: unknown) => {
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
    const started = await forms.open(await crews.ready(crew), values);
    return started && namesOf(started);
  };
}

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
