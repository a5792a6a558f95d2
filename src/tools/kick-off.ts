import * as vscode from "vscode";
import { emptyInputs } from "../api/read-inputs.ts";
import type { InputField, JsonObject } from "../api/types.ts";
import { costsMoney, type Crew } from "../crews/types.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { laidOutJson } from "../base/json.ts";
import { needed, objectOf, stringOf } from "../editor/arguments.ts";
import { keyOf } from "../executions/model.ts";
import { checkInputs, faultText, isHarmless } from "../kickoff/request-files/check.ts";
import { MaybeStartedError } from "../sending/kickoff.ts";
import { isAllowed } from "./ask.ts";
import type { Confirmation } from "./confirmation.ts";
import { crewAndPlace, denied, readInput, resultOf, type Tool, type ToolParts } from "./tool.ts";

/** A model's inputs have no position in a file. */
const nowhere = { start: 0, end: 0 };
const places = { crew: nowhere, inputs: nowhere, input: new Map(), inputName: new Map() };

/** `crewdeck_kickOff`: starts an execution. */
export function kickOffTool({ crews, sender }: Pick<ToolParts, "crews" | "sender">): Tool {
  const read = (input: unknown): { readonly crew: Crew; readonly inputs: JsonObject } => {
    const given = readInput(input, ["crew", "inputs"]);
    return {
      crew: crews.get(needed(stringOf(given, "crew"), "crew")),
      inputs: needed(objectOf(given, "inputs"), "inputs"),
    };
  };
  const confirmationOf = (crew: Crew, inputs: JsonObject): Confirmation => {
    const fields = crews.knownInputs(crew)?.fields;
    const unlisted = fields === undefined ? [] : faultsOf(inputs, fields).filter(isHarmless);
    return {
      title: vscode.l10n.t("Kick off “{0}”?", crew.name),
      parts: [
        costsMoney(crew)
          ? vscode.l10n.t(
              "{0} starts an execution with these inputs, which can cost money. Not every crew lets you stop it.",
              crewAndPlace(crew),
            )
          : vscode.l10n.t("{0} starts an execution with these inputs.", crewAndPlace(crew)),
        ...unlisted.map(faultText),
        ...partsOf(inputs),
      ],
      allow: vscode.l10n.t("Kick Off"),
    };
  };
  return {
    async prepare(input, signal) {
      const { crew, inputs } = read(input);
      // Don't start a stopped crew to check inputs: the kickoff checks them.
      if (crew.local?.running !== false)
        refuse(inputs, (await crews.inputs(crew, { fresh: true, signal })).fields);
      return {
        progress: vscode.l10n.t("Kicking off “{0}”", crew.name),
        confirmation: confirmationOf(crew, inputs),
      };
    },
    async invoke(input, signal) {
      const { crew, inputs } = read(input);
      if (!(await isAllowed(confirmationOf(crew, inputs), signal))) return denied();
      signal.throwIfAborted();
      const ready = await crews.ready(crew);
      const { fields } = await crews.inputs(ready, { fresh: true, signal });
      refuse(inputs, fields);
      signal.throwIfAborted();
      try {
        const whole = { ...emptyInputs(fields), ...inputs };
        const execution = await sender.send(ready, { inputs: whole });
        return resultOf(
          { executionId: keyOf(execution), crew: crew.name, state: execution.state },
          vscode.l10n.t(
            "The execution was started. It takes a while: follow it with crewdeck_getExecution. Do not kick it off again.",
          ),
        );
      } catch (error) {
        if (!(error instanceof MaybeStartedError)) throw error;
        const known = error.execution === undefined ? {} : { executionId: keyOf(error.execution) };
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
  };
}

/** Short inputs together, long ones on their own. */
function partsOf(inputs: JsonObject): Confirmation["parts"] {
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
  throw new UserError([...faults.map(faultText), advice].join(" "));
}
