import * as l10n from "@vscode/l10n";
import { createScanner, getLocation } from "jsonc-parser";
import { isRequired } from "../../api/read-inputs.ts";
import type { CrewInputs, InputField, JsonObject, JsonValue } from "../../api/types.ts";
import { isObject } from "../../base/json.ts";
import type { Crew } from "../../crews/types.ts";
import { type Span, spanOf } from "../json.ts";
import { type KickoffFault, readRequestFile, type RequestFile } from "./request-file.ts";

export function checkRequestFile(
  file: RequestFile,
  crew: Crew | undefined,
  inputs: CrewInputs | undefined,
): readonly KickoffFault[] {
  const { places, values } = file;
  const name = crew === undefined ? file.crew : undefined;
  return [
    ...file.faults,
    ...(name === undefined
      ? []
      : [{ kind: "unknownCrew" as const, name, at: places.crew, text: unknownText(name) }]),
    ...checkInputs(values.inputs, inputs?.fields).map((fault) => {
      const input = places.input.get(fault.name);
      const node = fault.kind === "unlistedInput" ? input?.key : input?.value;
      return { ...fault, at: node ? spanOf(node) : places.inputs };
    }),
  ];
}

function unknownText(name: string): string {
  return name.startsWith(".")
    ? l10n.t("The crew in the folder “{0}” was not started here yet.", name)
    : l10n.t("No crew named “{0}” is connected here.", name);
}

interface InputFault {
  readonly kind: "missingInput" | "wrongInput" | "unlistedInput";
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
      if (value === undefined) {
        const text = l10n.t("The input “{0}” is missing: the crew needs it.", name);
        return isRequired(field) ? [{ kind: "missingInput", name, text }] : [];
      }
      const text = faultOf(value, field);
      return text === undefined ? [] : [{ kind: "wrongInput", name, text }];
    }),
    ...[...given.keys()]
      .filter((name) => !listed.has(name))
      .map((name) => ({
        kind: "unlistedInput" as const,
        name,
        text: l10n.t("The crew doesn't list the input “{0}”. It will still be sent.", name),
      })),
  ];
}

function faultOf(value: JsonValue, { name, type, enum: choices }: InputField): string | undefined {
  if (type !== undefined && !isOfType(value, type)) {
    const texts = {
      string: l10n.t("a text"),
      number: l10n.t("a number"),
      integer: l10n.t("a whole number"),
      boolean: l10n.t("true or false"),
      object: l10n.t("an object"),
      array: l10n.t("a list"),
    };
    return l10n.t("The crew describes “{0}” as {1}.", name, texts[type]);
  }
  const accepted = choices?.map((choice) => JSON.stringify(choice));
  if (accepted === undefined || accepted.includes(JSON.stringify(value))) return undefined;
  const shown = [...accepted.slice(0, 10), ...(accepted.length > 10 ? ["…"] : [])].join(", ");
  return l10n.t("The crew accepts only these values for “{0}”: {1}.", name, shown);
}

function isOfType(value: JsonValue, type: NonNullable<InputField["type"]>): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  return type === "object" ? isObject(value) : typeof value === type;
}

export const isHarmless = ({ kind }: Pick<KickoffFault, "kind">): boolean =>
  kind === "unlistedInput";

export type WritingPlace = { readonly replaces: Span } & (
  | { readonly kind: "crew" }
  /** An input's name; `given` are the others' names. */
  | {
      readonly kind: "inputName";
      readonly given: ReadonlySet<string>;
      readonly hasValue: boolean;
      readonly needsComma: boolean;
    }
  | { readonly kind: "inputValue"; readonly name: string }
);

export function placeAt(text: string, offset: number): WritingPlace | undefined {
  const { path, isAtPropertyKey, previousNode } = getLocation(text, offset);
  const before = previousNode && spanOf(previousNode);
  // Else the unquoted word before the offset.
  const word = /(?<![\w-])[\w-]+$/.exec(text.slice(Math.max(0, offset - 200), offset))?.[0] ?? "";
  const replaces =
    before !== undefined && before.start <= offset && offset <= before.end
      ? before
      : { start: offset - word.length, end: offset };
  const [member, name, ...deeper] = path;
  if (member === "crew" && name === undefined && !isAtPropertyKey)
    return { kind: "crew", replaces };
  if (member !== "inputs" || typeof name !== "string" || deeper.length > 0) return undefined;
  if (!isAtPropertyKey) return { kind: "inputValue", name, replaces };
  // The next token's first character, skipping comments; "" at the end.
  const scanner = createScanner(text, true);
  scanner.setPosition(replaces.end);
  scanner.scan();
  const next = text.charAt(scanner.getTokenOffset());
  const others = [...readRequestFile(text).places.input.values()].filter(
    ({ key }) => key.offset !== replaces.start,
  );
  const given = new Set(others.map((other) => other.name));
  return { kind: "inputName", replaces, given, hasValue: next === ":", needsComma: next === '"' };
}
