import { digest } from "../base/bearer.ts";
import { asObject, defined, isObject, parseJson, type UnknownObject } from "../base/json.ts";
import { type Payload, readPayload } from "./payload.ts";

/** The order of preference, if a text has several callbacks. */
const kinds: readonly Payload["kind"][] = ["pause", "task", "crew", "step", "events"];
/** How deep a callback may be nested in a tool's output, and how many objects are looked at. */
const [deepest, mostObjects] = [6, 2_000];

/**
 * Finds the callback in a text that a person pasted: its body alone, or inside a log line or a tool's export, as JSON
 * or as Python prints it. Undefined if there is none.
 * @param at now (ms since 1970)
 */
export function readPasted(text: string, at: number): Payload | undefined {
  const objects = objectsIn(text);
  if (objects.some(isFlowRequest)) return undefined;
  const found = objects.map((body) =>
    readPayload(body, digest(JSON.stringify(body)).toString("base64url"), at),
  );
  const [best] = kinds.flatMap((kind) => found.filter((payload) => payload.kind === kind));
  const kickoffId = found.find((payload) => payload.kickoffId !== undefined)?.kickoffId;
  return best && { ...defined({ kickoffId }), ...best };
}

/** Whether the text has a flow's request for feedback. It isn't accepted, because its signature is not in the text. */
export function hasFlowRequest(text: string): boolean {
  return objectsIn(text).some(isFlowRequest);
}

function isFlowRequest(body: UnknownObject): boolean {
  return isObject(body["request"]) && ("callback_url" in body || body["event"] === "new_request");
}

/** All JSON objects in a text, the outermost first. A string inside an object may itself hold JSON. */
function objectsIn(text: string): readonly UnknownObject[] {
  const found: UnknownObject[] = [];
  let level: readonly unknown[] = [text];
  for (let depth = 0; depth <= deepest && found.length < mostObjects; depth += 1) {
    const values = level.flatMap((value) =>
      typeof value === "string" ? valuesIn(value) : [value],
    );
    found.push(...values.filter(isObject).slice(0, mostObjects));
    level = values.flatMap((value) =>
      typeof value === "string" || Array.isArray(value) ? value : Object.values(asObject(value)),
    );
  }
  return found.slice(0, mostObjects);
}

function valuesIn(text: string): readonly unknown[] {
  const [start, end] = [text.indexOf("{"), text.lastIndexOf("}")];
  if (start === -1) return [];
  const whole = parseJson(text);
  if (whole !== undefined) return [whole];
  const pieces = bracedIn(text).flatMap((piece) => parseJson(piece) ?? []);
  if (pieces.length > 0) return pieces;
  const piece = text.slice(start, end + 1);
  // As Python prints it; or with its quotation marks escaped, as a part of a text.
  return [jsonOfPython(piece), `"${piece}"`].flatMap((each) => parseJson(each) ?? []).slice(0, 1);
}

/** Each part of a text from a brace to the one that closes it. */
function bracedIn(text: string): readonly string[] {
  const found: string[] = [];
  let [depth, start, isQuoted] = [0, 0, false];
  for (let at = 0; at < text.length && found.length < mostObjects; at += 1) {
    const character = text[at];
    if (isQuoted && character === "\\") at += 1;
    else if (character === '"' && depth > 0) isQuoted = !isQuoted;
    else if (!isQuoted && character === "{" && depth++ === 0) start = at;
    else if (!isQuoted && character === "}" && depth > 0 && --depth === 0)
      found.push(text.slice(start, at + 1));
  }
  return found;
}

const pythons: Readonly<Record<string, string>> = { None: "null", True: "true", False: "false" };
/** A string without an end takes the rest of the text. Otherwise, each of its quotation marks would be tried, which takes long. */
const pythonParts = /'((?:[^'\\]|\\.)*)'?|"(?:[^"\\]|\\.)*"?|\b(?:None|True|False)\b/gs;

function jsonOfPython(text: string): string {
  const json = text.replace(pythonParts, (token, inside: string | undefined) =>
    inside === undefined
      ? (pythons[token] ?? token)
      : `"${inside.replace(/\\[^']|\\'|"/gs, (part) => quotes[part] ?? part)}"`,
  );
  return json.replace(/\\x([\da-f]{2})/g, "\\u00$1");
}

const quotes: Readonly<Record<string, string>> = { "\\'": "'", '"': '\\"' };
