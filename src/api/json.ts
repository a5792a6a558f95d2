import type { JsonValue } from "./types.ts";

/** A JSON object of which nothing is known yet. */
export type UnknownObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object: not null and not an array. */
export function isObject(value: unknown): value is UnknownObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value as an object; an empty one where it is none, so that members of what is missing read as missing. */
export function asObject(value: unknown): UnknownObject {
  return isObject(value) ? value : {};
}

/** The value as an array; an empty one where it is none. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Whether a part of an answer is a JSON value. All of an answer was parsed from JSON, so only a missing member is none. */
export function isJson(value: unknown): value is JsonValue {
  return value !== undefined;
}

/** The first of the named members that is a text and not blank. */
export function textAt(object: UnknownObject, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = own(object, name);
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  return undefined;
}

/** The first of the named members that is a finite number and not negative. */
export function numberAt(object: UnknownObject, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = own(object, name);
    if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  }
  return undefined;
}

/** The first of the named members that is an id: a text that is not blank, or a number. */
export function idAt(object: UnknownObject, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = own(object, name);
    if (typeof value === "number") return String(value);
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  return undefined;
}

/** A value as a person reads it: a text as it is, anything else as indented JSON; nothing for null, a blank text and what is missing. */
export function readable(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  return JSON.stringify(value, undefined, 2);
}

/** Deeper answers than this would break whoever walks through them, JSON.stringify first of all. No crew answers so deep. */
const deepest = 1000;

/** Parses a text; nothing where it is no JSON, or nested without sense. */
export function parseJson(text: string): unknown {
  if (depthOf(text) > deepest) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // The caller says what an answer that is no JSON means.
    return undefined;
  }
}

/** How deep brackets nest outside of texts; no more is counted than matters. */
function depthOf(text: string): number {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length && depth <= deepest; at++) {
    const character = text[at];
    if (inText && character === "\\") at++;
    else if (character === '"') inText = !inText;
    else if (!inText && (character === "[" || character === "{")) depth++;
    else if (!inText && (character === "]" || character === "}")) depth--;
  }
  return depth;
}

function own(object: UnknownObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
