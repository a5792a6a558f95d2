import * as l10n from "@vscode/l10n";
import { parse, printParseErrorCode, stripComments, type ParseError } from "jsonc-parser";
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type YAMLError,
} from "yaml";
import type { JsonValue } from "../base/json.ts";
import type { TextFile } from "./files.ts";
import { attempt, type Reading } from "./reading.ts";
import { ProjectError, type Position } from "./types.ts";

/** Mappings keep the order of the file. */
type Value = string | number | boolean | null | Value[] | Map<string, Value>;
type Path = readonly (string | number)[];
/** The position of the value at a path, or of its key if it is a mapping or list; or of a text in the value. */
type At = (path: Path, text?: string) => Position;
type Problems = Pick<Reading, "report" | "broken">;

/** Deeper nesting is a mistake, and could overflow the stack. */
const maxDepth = 100;

/** Its checks throw a ProjectError with the value's position. */
export class Place {
  readonly value: Value;
  readonly #at: At;
  readonly #path: Path;

  constructor(value: Value, at: At, path: Path = []) {
    this.value = value;
    this.#at = at;
    this.#path = path;
  }

  /** @param text in the value */
  error(problem: string, expected: string, text?: string): ProjectError {
    return new ProjectError(problem, expected, this.#at(this.#path, text));
  }

  get position(): Position {
    return this.#at(this.#path);
  }

  /** Empty if it is no mapping. */
  get inside(): ReadonlyMap<string, Place> {
    return this.value instanceof Map ? this.members("") : new Map<string, Place>();
  }

  /** Empty if it is no list. */
  get list(): readonly Place[] {
    return Array.isArray(this.value) ? this.items("") : [];
  }

  members(expected: string): Map<string, Place> {
    if (!(this.value instanceof Map)) throw this.#wrongType(expected);
    return new Map([...this.value].map(([key, value]) => [key, this.#inside(key, value)]));
  }

  items(expected: string): Place[] {
    if (!Array.isArray(this.value)) throw this.#wrongType(expected);
    return this.value.map((value, index) => this.#inside(index, value));
  }

  /** Text that isn't blank. */
  text(expected: string): string {
    if (typeof this.value !== "string") throw this.#wrongType(expected);
    if (this.value.trim() === "") throw this.error(l10n.t("This text is empty."), expected);
    return this.value;
  }

  #inside(step: string | number, value: Value): Place {
    return new Place(value, this.#at, [...this.#path, step]);
  }

  #wrongType(expected: string): ProjectError {
    return this.error(l10n.t("This is {0}.", describe(this.value)), expected);
  }
}

/** The member, unless it has no value (`role:` in YAML, `null` in JSON). */
export function given(place: Place | undefined): Place | undefined {
  return place?.value === null ? undefined : place;
}

export function toPlain(value: Value): JsonValue {
  if (Array.isArray(value)) return value.map(toPlain);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([key, member]) => [key, toPlain(member)]));
}

function describe(value: Value): string {
  if (value === null) return l10n.t("empty");
  if (typeof value === "string") return l10n.t("text");
  if (typeof value === "number") return l10n.t("the number {0}", value);
  if (typeof value === "boolean") return String(value);
  return Array.isArray(value) ? l10n.t("a list") : l10n.t("a mapping");
}

/** With comments and trailing commas, as in crewAI. Also reports duplicate keys. */
export function parseJsonc({ file, text }: TextFile, problems: Problems): Place {
  const errors: ParseError[] = [];
  parse(text, errors, { allowTrailingComma: true });
  const [problem] = errors;
  if (problem) {
    // `PropertyNameExpected` becomes "property name expected".
    const code = printParseErrorCode(problem.error).replace(/([a-z])([A-Z])/g, "$1 $2");
    const before = text.slice(0, problem.offset).split("\n");
    problems.report(
      new ProjectError(
        l10n.t("This is not JSON: {0}.", code.toLowerCase()),
        l10n.t("JSON; comments and trailing commas are allowed."),
        { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 },
      ),
    );
    problems.broken.add(file);
  }
  // Without comments, valid JSON is valid YAML 1.2, trailing commas included.
  return parseYaml({ file, text: stripComments(text, " ") }, problems, "1.2");
}

/**
 * YAML 1.1, as in crewAI (PyYAML): `human_input: yes` is true. Also reports duplicate keys, and
 * recursive or too many aliases.
 */
export function parseYaml(
  { file, text }: TextFile,
  problems: Problems,
  version: "1.1" | "1.2" = "1.1",
): Place {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, version, prettyErrors: false });
  const place = (offset: number) => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const position = ([start, end]: Range): Position => ({
    file,
    ...place(start),
    ...(end !== undefined && { end: place(end) }),
  });
  for (const problem of document.errors)
    problems.report(new ProjectError(...explain(problem), position([problem.pos[0]])));
  if (document.errors.some(({ code }) => code !== "DUPLICATE_KEY")) problems.broken.add(file);
  const at: At = (path, part) => {
    const [start, end = start] = rangeOf(document, path);
    const found = part === undefined ? -1 : text.slice(start, end).indexOf(part);
    return position(
      part === undefined || found < 0
        ? rangeOf(document, path)
        : [start + found, start + found + part.length],
    );
  };
  const read = (): Value => {
    let value: unknown;
    try {
      // Resolves aliases and merge keys. The limit keeps a small file from filling the memory.
      value = document.toJS({ mapAsMap: true, maxAliasCount: 1000 });
    } catch (error) {
      const message = sentence(error instanceof Error ? error.message : String(error));
      throw new ProjectError(message, l10n.t("plain mappings, lists and text."), position([0]));
    }
    return toValue(value, [], at, problems.report);
  };
  const value = attempt(problems.report, read, undefined);
  if (value === undefined) problems.broken.add(file);
  return new Place(value ?? null, at);
}

function explain({ code, message }: YAMLError): [problem: string, expected: string] {
  if (code === "DUPLICATE_KEY")
    return [l10n.t("This key appears twice."), l10n.t("each key once.")];
  if (code === "MULTIPLE_DOCS")
    return [
      l10n.t("A second document starts here."),
      l10n.t('one document; remove the line "---".'),
    ];
  return [
    sentence(message),
    l10n.t("valid YAML; look at the indentation, quotes and colons here."),
  ];
}

function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

/** Keys become text; dates, binary data and other types of YAML 1.1 are problems. */
function toValue(value: unknown, path: Path, at: At, report: Problems["report"]): Value {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return value;
  // Always thrown: what contains itself twice would never end.
  if (path.length > maxDepth)
    throw new ProjectError(
      l10n.t("This is nested too deeply, or contains itself."),
      l10n.t("at most {0} levels.", maxDepth),
      at(path.slice(0, 1)),
    );
  const inside = (step: string | number, member: unknown) =>
    toValue(member, [...path, step], at, report);
  if (Array.isArray(value)) return value.map((item, index) => inside(index, item));
  if (value instanceof Map)
    return new Map([...value].map(([key, member]) => [String(key), inside(String(key), member)]));
  const isDate = value instanceof Date;
  const kind = isDate ? l10n.t("a date") : l10n.t("a value of an unsupported type");
  report(
    new ProjectError(l10n.t("This is {0}.", kind), l10n.t("text; put it in quotes."), at(path)),
  );
  return isDate ? value.toISOString() : null;
}

/** Offsets; without an end for a mapping or list without a key. */
type Range = readonly [start: number, end?: number];

/** The range of a value, or of its key if it is a mapping or list. */
function rangeOf(document: Document, path: Path): Range {
  let node: unknown = document.contents;
  let range: Range = isNode(node) ? [node.range?.[0] ?? 0] : [0];
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    const pairs = isMap(node) ? node.items : [];
    const pair = pairs.find(({ key }) => isScalar(key) && String(key.value) === String(step));
    node = isSeq(node) ? node.items[Number(step)] : pair?.value;
    if (!isNode(node) && !pair) break;
    const key = isScalar(pair?.key) ? pair.key.range : undefined;
    const own = isNode(node) ? node.range : undefined;
    if (isScalar(node) && node.value !== null && own) range = [own[0], own[1]];
    else if (key) range = [key[0], key[1]];
    else if (own) range = [own[0]];
  }
  return range;
}
