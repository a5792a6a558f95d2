import { asArray, asObject, isJson, isObject, textAt, type UnknownObject } from "./json.ts";
import type { CrewInputs, InputField } from "./types.ts";

/** Words for a type, in JSON Schema's language and in Python's. */
const types: Readonly<Record<string, NonNullable<InputField["type"]>>> = {
  string: "string",
  str: "string",
  text: "string",
  number: "number",
  float: "number",
  double: "number",
  integer: "integer",
  int: "integer",
  boolean: "boolean",
  bool: "boolean",
  object: "object",
  dict: "object",
  json: "object",
  array: "array",
  list: "array",
};

/**
 * Turns the answer of `GET /inputs` into fields, in the answer's order and each name once: a list of names (documented and
 * observed), a list of objects, a map of name to type, or a JSON Schema. Nothing where the answer is none of these, `null`
 * included, so that a stranger's JSON is not taken for a crew without inputs.
 * @param raw the answer, parsed from JSON
 */
export function readInputs(raw: unknown): CrewInputs | undefined {
  const wrapped = isObject(raw) && Object.hasOwn(raw, "inputs");
  const fields = readFields(wrapped ? raw["inputs"] : raw, wrapped);
  if (!fields) return undefined;
  const byName = new Map<string, InputField>();
  for (const field of fields) if (!byName.has(field.name)) byName.set(field.name, field);
  return { fields: [...byName.values()], raw };
}

function readFields(value: unknown, wrapped: boolean): readonly InputField[] | undefined {
  if (Array.isArray(value)) return readList(value);
  if (!isObject(value)) return undefined;
  if (isSchema(value)) return readSchema(value);
  const entries = Object.entries(value);
  // Without the wrapper only a map that is certainly one of names to types will do.
  if (
    !wrapped &&
    (entries.length === 0 || !entries.every(([, type]) => typeOf(type) !== undefined))
  )
    return undefined;
  return entries.map(([name, about]) => readMapped(name, about));
}

/** Of a list that is not empty, something must be readable: a crew without inputs starts without a question, and that costs money. */
function readList(list: readonly unknown[]): readonly InputField[] | undefined {
  const fields = list.map(readListed).filter((field) => field !== undefined);
  return fields.length === 0 && list.length > 0 ? undefined : fields;
}

function readListed(value: unknown): InputField | undefined {
  if (typeof value === "string") return { name: value };
  const object = asObject(value);
  const name = object["name"] ?? object["key"];
  return typeof name === "string" ? readField(name, object) : undefined;
}

function readMapped(name: string, about: unknown): InputField {
  if (isObject(about)) return readField(name, about);
  const type = typeOf(about);
  if (type) return { name, type };
  // A text that is no type's name is taken for what the map's author wanted to say of the input.
  return typeof about === "string" && about.trim() !== "" ? { name, description: about } : { name };
}

function readField(name: string, about: UnknownObject): InputField {
  const type = typeOf(about);
  const description = textAt(about, "description");
  const fallback = about["default"];
  const choices = asArray(about["enum"]).filter(isJson);
  return {
    name,
    ...(type === undefined ? {} : { type }),
    ...(description === undefined ? {} : { description }),
    ...(typeof about["required"] === "boolean" ? { required: about["required"] } : {}),
    ...(isJson(fallback) ? { default: fallback } : {}),
    ...(choices.length === 0 ? {} : { enum: choices }),
  };
}

/** A schema has `properties` that are schemas themselves; an input may well be called "properties". */
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

/** Follows one `$ref` into the same schema, which is how Python's models write an enumeration. */
function resolved(schema: UnknownObject, property: UnknownObject): UnknownObject {
  const path = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(textAt(property, "$ref") ?? "");
  if (path?.[1] === undefined || path[2] === undefined) return property;
  return { ...asObject(asObject(schema[path[1]])[path[2]]), ...property };
}

/** A type from a word, from a schema's `type` (a word, or several of which "null" does not count), or from its alternatives. */
function typeOf(about: unknown): InputField["type"] | undefined {
  if (typeof about === "string")
    return Object.hasOwn(types, about.toLowerCase()) ? types[about.toLowerCase()] : undefined;
  const object = asObject(about);
  const words = [
    object["type"],
    ...asArray(object["type"]),
    ...asArray(object["anyOf"]).map((one) => asObject(one)["type"]),
  ];
  return words
    .map((word) => (typeof word === "string" ? typeOf(word) : undefined))
    .find((type) => type !== undefined);
}
