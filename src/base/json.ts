export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

export type JsonObject = Readonly<Record<string, JsonValue>>;

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

export function defined<T extends object>(members: T): Defined<T> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<T>;
}

export type UnknownObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is UnknownObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function asObject(value: unknown): UnknownObject {
  return isObject(value) ? value : {};
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function firstOfEach<T>(values: readonly T[], keyOf: (value: T) => string): readonly T[] {
  const byKey = new Map(values.toReversed().map((value) => [keyOf(value), value]));
  return values.filter((value) => byKey.get(keyOf(value)) === value);
}

/** The first named member that is a non-blank string. */
export function textAt(object: UnknownObject, ...names: readonly string[]): string | undefined {
  return valuesAt(object, names).find(isText);
}

/** The first named member that is a finite number of at least 0. */
export function numberAt(object: UnknownObject, ...names: readonly string[]): number | undefined {
  return valuesAt(object, names).find(
    (value): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0,
  );
}

/** The first named member that is a number or a non-blank string. */
export function idAt(object: UnknownObject, ...names: readonly string[]): string | undefined {
  const id = valuesAt(object, names).find(isWord);
  return id === undefined ? undefined : String(id);
}

/** A list's numbers and non-blank strings. What is made of anything else could be empty, misleading or an error. */
export function wordsIn(value: unknown): readonly string[] {
  return asArray(value).filter(isWord).map(String);
}

/** Levels of JSON. Deeper ones would overflow the stack of JSON.stringify. */
const deepest = 1_000;

/** A string as it is, anything else as JSON on several lines; undefined for null and a blank string. */
export function readable(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  return laidOutJson(value);
}

/** How many times as long laid-out JSON may be: 1 MB of brackets would become 50 MB. */
const mostGrowth = 10;

/** Each value stays as it is written, such as big numbers, and all of it if far longer. */
export function laidOut(json: string): string {
  // Nobody reads it, and each token takes time.
  if (json.length > 2_000_000) return json;
  const parts: string[] = [];
  let [level, left, before] = [0, mostGrowth * json.length, ""];
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{},:]|[^\s"[\]{},:]+/g)) {
    const isEnd = token === "]" || token === "}";
    const isFirst = before === "[" || before === "{";
    if (isEnd) level--;
    if (isEnd !== isFirst || before === ",") {
      parts.push(`\n${"  ".repeat(level)}`);
      if ((left -= 1 + 2 * level) < 0) return json;
    }
    parts.push(token === ":" ? ": " : token);
    if (token === "[" || token === "{") level++;
    before = token;
  }
  return parts.join("");
}

export function laidOutJson(value: unknown): string {
  return laidOut(JSON.stringify(value));
}

/** Undefined for invalid or too deeply nested JSON. */
export function parseJson(text: string): unknown {
  if (isDeeper(text, deepest)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether it has more levels than these, for JSON that may be invalid. */
export function isDeeper(text: string, levels: number): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length && depth <= levels; at++) {
    const character = text[at];
    if (inText && character === "\\") at++;
    else if (character === '"') inText = !inText;
    else if (character === "\n" || character === "\r") inText = false;
    else if (!inText && (character === "[" || character === "{")) depth++;
    else if (!inText && (character === "]" || character === "}")) depth--;
  }
  return depth > levels;
}

function valuesAt(object: UnknownObject, names: readonly string[]): readonly unknown[] {
  return names.filter((name) => Object.hasOwn(object, name)).map((name) => object[name]);
}

function isWord(value: unknown): value is string | number {
  return typeof value === "number" || isText(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
