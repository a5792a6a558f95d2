import * as l10n from "@vscode/l10n";
import { createScanner, getLocation } from "jsonc-parser";
import { isRequired } from "../../api/read-inputs.ts";
import type { CrewInputs, InputField, JsonValue } from "../../api/types.ts";
import { defined, isObject, laidOutJson } from "../../base/json.ts";
import type { Crew } from "../../crews/types.ts";
import { toCallbacks, typedCallbacks, type Prefill } from "../callbacks.ts";
import { spanOf, type Span } from "../json.ts";
import { readKickoffJson, secretWord, type KickoffFault } from "../kickoff-json.ts";

export interface RequestFile {
  readonly crew?: string;
  readonly label?: string;
  readonly values: Prefill;
  readonly faults: readonly KickoffFault[];
  readonly places: {
    readonly crew: Span;
    readonly inputs: Span;
    readonly input: ReadonlyMap<string, Span>;
    readonly inputName: ReadonlyMap<string, Span>;
  };
}

/** No longer file is read (characters): this one could come from a cloned repository. */
export const longestFile = 1_000_000;

const firstLine: Span = { start: 0, end: 1 };

/** Reads JSON with comments and trailing commas. Never throws. */
export function readRequestFile(text: string): RequestFile {
  const json = readKickoffJson(text);
  const { members, secrets } = json;
  const [crew, inputs] = [members.get("crew"), members.get("inputs")];
  const places = {
    crew: crew ? spanOf(crew.value) : firstLine,
    inputs: inputs ? spanOf(inputs.key) : firstLine,
    input: new Map(json.inputs.map(({ name, value }) => [name, spanOf(value)])),
    inputName: new Map(json.inputs.map(({ name, key }) => [name, spanOf(key)])),
  };
  const isCrewMissing =
    json.root !== undefined &&
    json.crew === "" &&
    (crew === undefined || crew.value.type === "string");
  // A misplaced secret is reported once.
  const others = json.faults.filter(({ at }) => !secrets.some(({ key }) => key.start === at.start));
  const faults: KickoffFault[] = [
    ...secrets.map(({ name, key }) => secretFault(name, key)),
    ...others.map((fault) =>
      // An unknown member may be a secret.
      ["otherMember", "otherPart"].includes(fault.kind) && secretWord.test(fault.name ?? "")
        ? secretFault(fault.name ?? "", fault.at)
        : fault,
    ),
  ];
  if (isCrewMissing)
    faults.push({
      kind: "noCrew",
      at: places.crew,
      text: l10n.t(
        "“crew” is missing: the name or address of a connected crew, or the folder of a project, such as ./.",
      ),
    });
  return {
    ...defined({ crew: json.crew || undefined, label: json.label || undefined }),
    values: json.values,
    faults,
    places,
  };
}

function secretFault(name: string, at: Span): KickoffFault {
  const text = l10n.t(
    "A request file holds no secrets, because it is shared: remove “{0}”. The crew's token is kept by Crewdeck, and a callback's secret is entered in the form.",
    name,
  );
  return { kind: "secret", name, at, text };
}

export function writeRequestFile(crew: string, values: Prefill, label?: string): string {
  const { inputs = {}, meta, restoreFromStateId, extra } = values;
  // As in the form, so that a stray secret is left out.
  const callbacks = toCallbacks(typedCallbacks(values));
  const file = {
    crew,
    ...defined({ label }),
    inputs,
    ...defined({ meta, restoreFromStateId }),
    ...callbacks,
    ...defined({ extra }),
  };
  return `${laidOutJson(file)}\n`;
}

type InputType = NonNullable<InputField["type"]>;

export function checkRequestFile(
  file: RequestFile,
  crew: Crew | undefined,
  inputs: CrewInputs | undefined,
): readonly KickoffFault[] {
  const name = crew === undefined ? file.crew : undefined;
  return [
    ...file.faults,
    ...(name === undefined ? [] : [unknownCrew(name, file)]),
    ...(inputs === undefined ? [] : checkInputs(file, inputs.fields)),
  ];
}

function unknownCrew(name: string, { places }: RequestFile): KickoffFault {
  const text = name.startsWith(".")
    ? l10n.t("The crew in the folder “{0}” was not started here yet.", name)
    : l10n.t("No crew named “{0}” is connected here.", name);
  return { kind: "unknownCrew", name, at: places.crew, text };
}

export function checkInputs(
  { values, places }: Pick<RequestFile, "values" | "places">,
  fields: readonly InputField[],
): readonly KickoffFault[] {
  const given = new Map(Object.entries(values.inputs ?? {}));
  const faults = fields.flatMap((field): KickoffFault[] => {
    const { name } = field;
    const value = given.get(name);
    const at = places.input.get(name) ?? places.inputs;
    if (value === undefined) {
      const text = l10n.t("The input “{0}” is missing: the crew needs it.", name);
      return isRequired(field) ? [{ kind: "missingInput", name, at, text }] : [];
    }
    const text = faultOf(value, field);
    return text === undefined ? [] : [{ kind: "wrongInput", name, at, text }];
  });
  const listed = new Set(fields.map(({ name }) => name));
  const unlisted = [...given.keys()].filter((name) => !listed.has(name));
  return [
    ...faults,
    ...unlisted.map((name): KickoffFault => ({
      kind: "unlistedInput",
      name,
      at: places.inputName.get(name) ?? places.inputs,
      text: l10n.t("The crew doesn't list the input “{0}”. It will still be sent.", name),
    })),
  ];
}

function faultOf(value: JsonValue, { name, type, enum: choices }: InputField): string | undefined {
  if (type !== undefined && !isOfType(value, type))
    return l10n.t("The crew describes “{0}” as {1}.", name, typeText(type));
  const isChoice = (choice: JsonValue) => JSON.stringify(choice) === JSON.stringify(value);
  return choices === undefined || choices.some(isChoice)
    ? undefined
    : l10n.t("The crew accepts only these values for “{0}”: {1}.", name, someOf(choices));
}

function isOfType(value: JsonValue, type: InputType): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  return type === "object" ? isObject(value) : typeof value === type;
}

export const isHarmless = ({ kind }: KickoffFault): boolean => kind === "unlistedInput";

function typeText(type: InputType): string {
  const texts = {
    string: l10n.t("a text"),
    number: l10n.t("a number"),
    integer: l10n.t("a whole number"),
    boolean: l10n.t("true or false"),
    object: l10n.t("an object"),
    array: l10n.t("a list"),
  };
  return texts[type];
}

function someOf(values: readonly JsonValue[]): string {
  const shown = values.slice(0, 10).map((value) => JSON.stringify(value));
  return [...shown, ...(values.length > 10 ? ["…"] : [])].join(", ");
}

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
  const next = tokenAfter(text, replaces.end);
  const others = [...readRequestFile(text).places.inputName].filter(
    ([, { start }]) => start !== replaces.start,
  );
  const given = new Set(others.map(([other]) => other));
  return { kind: "inputName", replaces, given, hasValue: next === ":", needsComma: next === '"' };
}

/** The next token's first character, skipping comments; "" at the end. */
function tokenAfter(text: string, offset: number): string {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return text.charAt(scanner.getTokenOffset());
}
