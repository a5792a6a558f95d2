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
import { ProjectError, type Position } from "./types.ts";

/** Mappings keep the order of the file. */
type Value = string | number | boolean | null | Value[] | Map<string, Value>;
type Path = readonly (string | number)[];
/** The position of the value at a path, or of its key if it is a mapping or list. */
type At = (path: Path) => Position;

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

  error(problem: string, expected: string): ProjectError {
    return new ProjectError(problem, expected, this.#at(this.#path));
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

/**
 * With comments and trailing commas, as in crewAI.
 * @throws {ProjectError} also for a duplicate key
 */
export function parseJsonc({ file, text }: TextFile): Place {
  const errors: ParseError[] = [];
  parse(text, errors, { allowTrailingComma: true });
  const [problem] = errors;
  if (problem) {
    // `PropertyNameExpected` becomes "property name expected".
    const code = printParseErrorCode(problem.error).replace(/([a-z])([A-Z])/g, "$1 $2");
    const before = text.slice(0, problem.offset).split("\n");
    throw new ProjectError(
      l10n.t("This is not JSON: {0}.", code.toLowerCase()),
      l10n.t("JSON; comments and trailing commas are allowed."),
      { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 },
    );
  }
  // Without comments, valid JSON is valid YAML 1.2, trailing commas included.
  return parseYaml({ file, text: stripComments(text, " ") }, "1.2");
}

/**
 * YAML 1.1, as in crewAI (PyYAML): `human_input: yes` is true.
 * @throws {ProjectError} also for a duplicate key and for recursive or too many aliases
 */
export function parseYaml({ file, text }: TextFile, version: "1.1" | "1.2" = "1.1"): Place {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, version, prettyErrors: false });
  const position = (offset: number): Position => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const [problem] = document.errors;
  if (problem) throw new ProjectError(...explain(problem), position(problem.pos[0]));
  const at: At = (path) => position(offsetOf(document, path));
  let value: unknown;
  try {
    // Resolves aliases and merge keys. The limit keeps a small file from filling the memory.
    value = document.toJS({ mapAsMap: true, maxAliasCount: 1000 });
  } catch (error) {
    const message = sentence(error instanceof Error ? error.message : String(error));
    throw new ProjectError(message, l10n.t("plain mappings, lists and text."), position(0));
  }
  return new Place(toValue(value, [], at), at);
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

/** Keys become text; dates, binary data and other types of YAML 1.1 are errors. */
function toValue(value: unknown, path: Path, at: At): Value {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return value;
  if (path.length > maxDepth)
    throw new ProjectError(
      l10n.t("This is nested too deeply, or contains itself."),
      l10n.t("at most {0} levels.", maxDepth),
      at(path.slice(0, 1)),
    );
  if (Array.isArray(value)) return value.map((item, index) => toValue(item, [...path, index], at));
  if (value instanceof Map)
    return new Map(
      [...value].map(([key, member]) => [String(key), toValue(member, [...path, String(key)], at)]),
    );
  const kind = value instanceof Date ? l10n.t("a date") : l10n.t("a value of an unsupported type");
  throw new ProjectError(l10n.t("This is {0}.", kind), l10n.t("text; put it in quotes."), at(path));
}

/** The offset of a value, or of its key if it is a mapping or list. */
function offsetOf(document: Document.Parsed, path: Path): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    const pairs = isMap(node) ? node.items : [];
    const pair = pairs.find(({ key }) => isScalar(key) && String(key.value) === String(step));
    node = isSeq(node) ? node.items[Number(step)] : pair?.value;
    if (!isNode(node) && !pair) break;
    const key = isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
    const own = isNode(node) ? node.range?.[0] : undefined;
    const isScalarValue = isScalar(node) && node.value !== null;
    offset = (isScalarValue ? own : key) ?? own ?? offset;
  }
  return offset;
}
