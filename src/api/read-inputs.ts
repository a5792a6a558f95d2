import * as l10n from "@vscode/l10n";
import {
  asArray,
  asObject,
  defined,
  firstOfEach,
  isObject,
  textAt,
  type UnknownObject,
} from "../base/json.ts";
import { isFilled } from "../base/text.ts";
import type { CrewInputs, InputField, JsonObject, JsonValue } from "./types.ts";

/** JSON Schema's names, each followed by those of Python and others. */
const typeNames = [
  ["string", "str", "text"],
  ["number", "float", "double"],
  ["integer", "int"],
  ["boolean", "bool"],
  ["object", "dict", "json"],
  ["array", "list"],
] as const;

/**
 * Accepts in `inputs` a list of names (documented and observed) or objects, a map of them, and a JSON Schema; a list and
 * a schema also alone. Undefined for anything else: other JSON must not look like a crew without inputs, which is kicked
 * off without questions, and costs money.
 */
export function readInputs(raw: unknown): CrewInputs | undefined {
  const isAlone = Array.isArray(raw) || (isObject(raw) && isSchema(raw));
  const { inputs, crewdeck } = isAlone ? { inputs: raw } : asObject(raw);
  const fields = Array.isArray(inputs)
    ? readList(inputs, asObject(crewdeck))
    : isObject(inputs)
      ? readMap(inputs)
      : undefined;
  const examples = new Map(Object.entries(asObject(asObject(crewdeck)["examples"])));
  const withExample = (field: InputField) => ({
    ...field,
    ...defined({ example: examples.get(field.name) as JsonValue | undefined }),
  });
  return fields && { fields: firstOfEach(fields, ({ name }) => name).map(withExample) };
}

function readMap(map: UnknownObject): readonly InputField[] {
  if (isSchema(map)) return readSchema(map);
  return Object.entries(map).map(([name, about]) => {
    if (isObject(about)) return readField(name, about);
    return readField(name, typeOf(about) ? { type: about } : { description: about });
  });
}

/**
 * A deployed flow lists its state model's members (published by the vendor), of which one is its ID. A local one that
 * declares them has their JSON Schema beside them.
 */
function readList(list: readonly unknown[], { kind, schema }: UnknownObject) {
  const names = list.filter((name) => typeof name === "string");
  if (names.length === list.length && (kind === "flow" || names.includes("id"))) {
    const model = kind === "flow" ? asObject(schema) : {};
    const declared = isSchema(model) ? readSchema(model) : [];
    // None is required. A wrong type is an error, and the type isn't known.
    const description = l10n.t(
      "Part of the flow's state. Send a number, true or false, a list or an object as JSON.",
    );
    return names
      .filter((name) => name !== "id")
      .map(
        (name) =>
          declared.find((field) => field.name === name) ?? { name, required: false, description },
      );
  }
  const fields = list.flatMap((value) => {
    if (typeof value === "string") return { name: value };
    const object = asObject(value);
    const name = object["name"] ?? object["key"];
    return typeof name === "string" ? readField(name, object) : [];
  });
  return fields.length === 0 && list.length > 0 ? undefined : fields;
}

function readField(name: string, about: UnknownObject): InputField {
  const { required, default: fallback } = about;
  const choices = asArray(about["enum"]) as readonly JsonValue[];
  return {
    name,
    ...defined({
      type: typeOf(about),
      description: textAt(about, "description"),
      // In parsed JSON, only undefined is no value.
      example: about["example"] as JsonValue | undefined,
      required: typeof required === "boolean" ? required : undefined,
      default: fallback as JsonValue | undefined,
      enum: choices.length === 0 ? undefined : choices,
    }),
  };
}

/** An input may itself be named "properties". */
function isSchema(value: UnknownObject): boolean {
  const properties = value["properties"];
  return isObject(properties) && Object.values(properties).every(isObject);
}

function readSchema(schema: UnknownObject): readonly InputField[] {
  const required = new Set(asArray(schema["required"]));
  return Object.entries(asObject(schema["properties"])).map(([name, property]) => ({
    ...readField(name, resolved(schema, asObject(property))),
    required: required.has(name),
  }));
}

/** Python's models write enumerations this way. */
function resolved(schema: UnknownObject, property: UnknownObject): UnknownObject {
  const path = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(textAt(property, "$ref") ?? "");
  if (path?.[1] === undefined || path[2] === undefined) return property;
  return { ...asObject(asObject(schema[path[1]])[path[2]]), ...property };
}

function typeOf(about: unknown): InputField["type"] | undefined {
  if (typeof about === "string")
    return typeNames.find((names) => names.some((name) => name === about.toLowerCase()))?.[0];
  const { type, anyOf } = asObject(about);
  return [type, ...asArray(type), ...asArray(anyOf).map((one) => asObject(one)["type"])]
    .map((name) => (typeof name === "string" ? typeOf(name) : undefined))
    .find((found) => found !== undefined);
}

/** Whether crewAI doesn't fill it in, though the crew lists it. What a flow or a schema declares is always read. */
export function isOdd({ name, required }: Pick<InputField, "name" | "required">): boolean {
  return required === undefined && !isFilled(name);
}

/** By default yes: deployed crews list only names, and refuse a kickoff without one (422). But what crewAI doesn't fill in is sent empty. */
export function isRequired(input: Pick<InputField, "name" | "required" | "default">): boolean {
  return !isOdd(input) && (input.required ?? input.default === undefined);
}

/** Empty values for the inputs that a crew asks for and crewAI doesn't fill in. */
export function emptyInputs(fields: readonly InputField[]): JsonObject {
  const odd = fields.filter((field) => isOdd(field) && field.default === undefined);
  return Object.fromEntries(odd.map(({ name }) => [name, ""]));
}
