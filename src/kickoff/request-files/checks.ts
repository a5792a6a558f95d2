import * as l10n from "@vscode/l10n";
import { isRequired } from "../../api/read-inputs.ts";
import type { CrewInputs, InputField, JsonObject, JsonValue } from "../../api/types.ts";
import { isObject } from "../../base/json.ts";
import type { Crew } from "../../crews/types.ts";
import type { KickoffFault, RequestFile } from "./request-file.ts";

export function checkRequestFile(
  { crew: name = "", values, faults, at }: RequestFile,
  crew: Crew | undefined,
  inputs: CrewInputs | undefined,
): readonly KickoffFault[] {
  const unknown = name.startsWith(".")
    ? l10n.t("The crew in the folder “{0}” was not started here yet.", name)
    : l10n.t("No crew named “{0}” is connected here.", name);
  return [
    ...faults,
    ...(name === "" || crew !== undefined
      ? []
      : [{ kind: "unknownCrew" as const, at: at(["crew"]), text: unknown }]),
    ...checkInputs(values.inputs, inputs?.fields).map(({ kind, name, text }) => ({
      ...{ kind, text },
      at: at(["inputs", name]),
    })),
  ];
}

interface InputFault {
  readonly kind: "input" | "unlisted";
  readonly name: string;
  readonly text: string;
}

/** @param fields undefined if they aren't known */
export function checkInputs(
  inputs: JsonObject = {},
  fields: readonly InputField[] | undefined,
): readonly InputFault[] {
  if (fields === undefined) return [];
  const given = new Map(Object.entries(inputs));
  const listed = new Set(fields.map(({ name }) => name));
  return [
    ...fields.flatMap((field): InputFault[] => {
      const { name } = field;
      const value = given.get(name);
      const text =
        value !== undefined
          ? faultOf(value, field)
          : isRequired(field)
            ? l10n.t("The input “{0}” is missing: the crew needs it.", name)
            : undefined;
      return text === undefined ? [] : [{ kind: "input", name, text }];
    }),
    ...[...given.keys()]
      .filter((name) => !listed.has(name))
      .map((name) => ({
        kind: "unlisted" as const,
        name,
        text: l10n.t("The crew doesn't list the input “{0}”. It will still be sent.", name),
      })),
  ];
}

function faultOf(value: JsonValue, { name, type, enum: choices }: InputField): string | undefined {
  if (type !== undefined && !isOfType(value, type))
    return l10n.t("The crew accepts only this for “{0}”: {1}.", name, type);
  const accepted = choices?.map((choice) => JSON.stringify(choice));
  if (accepted === undefined || accepted.includes(JSON.stringify(value))) return undefined;
  const shown = [...accepted.slice(0, 10), ...(accepted.length > 10 ? ["…"] : [])].join(", ");
  return l10n.t("The crew accepts only this for “{0}”: {1}.", name, shown);
}

function isOfType(value: JsonValue, type: NonNullable<InputField["type"]>): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  return type === "object" ? isObject(value) : typeof value === type;
}

export const isHarmless = ({ kind }: Pick<KickoffFault, "kind">): boolean => kind === "unlisted";
