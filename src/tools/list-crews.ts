import * as vscode from "vscode";
import { isRequired } from "../api/read-inputs.ts";
import type { InputField, JsonObject } from "../api/types.ts";
import { shortened } from "../base/text.ts";
import { optional, stringOf } from "../commands/arguments.ts";
import type { Crew } from "../crews/types.ts";
import { messageOf } from "../base/errors.ts";
import { readInput, resultOf, type Tool, type ToolParts } from "./tool.ts";

/** Characters of a description or a default. */
const longest = 1_000;
/** Values of an enumeration. */
const maxValues = 100;

/** `crewdeck_listCrews`: the connected crews and their inputs. Sends requests; starts no crew. */
export function listCrewsTool({ crews }: Pick<ToolParts, "crews">): Tool {
  const wanted = (input: unknown): readonly Crew[] => {
    const name = stringOf(readInput(input, ["crew"]), "crew");
    return name === undefined ? crews.list() : [crews.get(name)];
  };
  const describe = async (crew: Crew, signal: AbortSignal): Promise<JsonObject> => {
    const { name, url, local } = crew;
    const known = { name, url, isLocal: local !== undefined };
    if (local?.running === false)
      return {
        ...known,
        note: vscode.l10n.t(
          "This local crew is stopped, so its inputs are not known. A kickoff starts it.",
        ),
      };
    try {
      const { fields } = await crews.inputs(crew, { fresh: true, signal });
      return { ...known, inputs: fields.map(describeInput) };
    } catch (error) {
      signal.throwIfAborted();
      return { ...known, problem: messageOf(error) };
    }
  };
  return {
    prepare(input) {
      wanted(input);
      return Promise.resolve({ progress: vscode.l10n.t("Reading the crews' inputs") });
    },
    async invoke(input, signal) {
      const found = await Promise.all(wanted(input).map((crew) => describe(crew, signal)));
      return found.length === 0
        ? vscode.l10n.t(
            "No crew is connected. The user can connect one with the command “Crewdeck: Connect a Crew…”, or start the example with “Crewdeck: Start a Local Crew…”.",
          )
        : resultOf({ crews: found });
    },
  };
}

function describeInput(field: InputField): JsonObject {
  const { name, type, description, enum: values, default: value } = field;
  return {
    name,
    required: isRequired(field),
    ...optional("type", type),
    ...optional("description", description && shortened(description, longest)),
    ...optional("enum", values?.slice(0, maxValues)),
    ...optional("default", typeof value === "string" ? shortened(value, longest) : value),
  };
}
