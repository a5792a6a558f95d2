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
  visit,
  type Alias,
  type Document,
  type Node,
  type YAMLError,
} from "yaml";
import { isDeeper, type JsonValue } from "../base/json.ts";
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
/** More agents or tasks are a mistake, and to find all their places would take long. */
const mostMembers = 1000;
/** To parse more takes seconds. */
const mostLines = 20_000;
/** Each is searched for, and what it stands for counts again. */
const mostAliases = 1000;

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

  /** Empty if it is no mapping, or too large. */
  get inside(): ReadonlyMap<string, Place> {
    const isFit = this.value instanceof Map && this.value.size <= mostMembers;
    return isFit ? this.members("") : new Map<string, Place>();
  }

  /** Empty if it is no list, or too large. */
  get list(): readonly Place[] {
    const isFit = Array.isArray(this.value) && this.value.length <= mostMembers;
    return isFit ? this.items("") : [];
  }

  members(expected: string): Map<string, Place> {
    if (!(this.value instanceof Map)) throw this.#wrongType(expected);
    this.#limit(this.value.size);
    return new Map([...this.value].map(([key, value]) => [key, this.#inside(key, value)]));
  }

  items(expected: string): Place[] {
    if (!Array.isArray(this.value)) throw this.#wrongType(expected);
    this.#limit(this.value.length);
    return this.value.map((value, index) => this.#inside(index, value));
  }

  text(expected: string): string {
    if (typeof this.value !== "string") throw this.#wrongType(expected);
    return this.value;
  }

  /** Text that isn't blank. */
  name(expected: string): string {
    const text = this.text(expected);
    if (text.trim() === "") throw this.error(l10n.t("This text is empty."), expected);
    return text;
  }

  #limit(count: number): void {
    if (count > mostMembers)
      throw this.error(
        l10n.t("There are {0} entries here.", count),
        l10n.t("at most {0}.", mostMembers),
      );
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
  const plain = stripComments(text, " ");
  const start = { file, line: 1, column: 1 };
  if (isDeeper(plain, maxDepth)) {
    problems.report(tooDeep(start));
    problems.broken.add(file);
    return new Place(null, () => start);
  }
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
  return parseYaml({ file, text: plain }, problems, "1.2");
}

function tooDeep(position: Position): ProjectError {
  return new ProjectError(
    l10n.t("This is nested too deeply, or contains itself."),
    l10n.t("at most {0} levels.", maxDepth),
    position,
  );
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
  const count = text.split("\n").length;
  if (count > mostLines) {
    const start = { file, line: 1, column: 1 };
    problems.report(
      new ProjectError(
        l10n.t("The file has {0} lines.", count),
        l10n.t("at most {0}.", mostLines),
        start,
      ),
    );
    problems.broken.add(file);
    return new Place(null, () => start);
  }
  const lines = new LineCounter();
  // The library takes long to compare many keys.
  const options = { version, uniqueKeys: false, prettyErrors: false };
  const document = parseDocument(text, { ...options, lineCounter: lines });
  const place = (offset: number) => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const position = ([start, end]: Range): Position => ({
    file,
    ...place(start),
    ...(end !== undefined && { end: place(end) }),
  });
  const { doubledKeys, targets } = lookThrough(document);
  for (const key of doubledKeys)
    problems.report(
      new ProjectError(
        l10n.t("This key appears twice."),
        l10n.t("each key once; the last one counts."),
        position([key]),
      ),
      "warning",
    );
  // Others often follow from the first.
  const [first] = document.errors;
  if (first) {
    problems.report(new ProjectError(...explain(first, text), position([first.pos[0]])));
    problems.broken.add(file);
  }
  const at: At = (path, part) => {
    const range = rangeOf(document, targets, path);
    const [start, end = start] = range;
    const found = part === undefined ? -1 : text.slice(start, end).indexOf(part);
    return position(
      part === undefined || found < 0 ? range : [start + found, start + found + part.length],
    );
  };
  const read = (): Value => {
    if (targets.size > mostAliases)
      throw new ProjectError(
        l10n.t("There are {0} aliases.", targets.size),
        l10n.t("at most {0}.", mostAliases),
        position([0]),
      );
    let value: unknown;
    try {
      // Resolves aliases and merge keys. The limit keeps a small file from filling the memory.
      value = document.toJS({ mapAsMap: true, maxAliasCount: mostAliases });
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

type Targets = ReadonlyMap<Alias, Node>;

/** Where keys of one mapping stand again, and what the aliases stand for: the library searches the whole document for each. */
function lookThrough(document: Document) {
  const doubledKeys: number[] = [];
  const anchored = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(document, (_, node) => {
    if (isAlias(node)) {
      const target = anchored.get(node.source);
      if (target) targets.set(node, target);
    } else if (isNode(node) && node.anchor !== undefined) anchored.set(node.anchor, node);
    const seen = new Set<string>();
    for (const { key } of isMap(node) ? node.items : []) {
      if (!isScalar(key) || key.value === "<<") continue;
      const name = String(key.value);
      if (seen.has(name)) doubledKeys.push(key.range?.[0] ?? 0);
      seen.add(name);
    }
  });
  doubledKeys.sort((one, other) => one - other);
  return { doubledKeys, targets };
}

function explain(
  { code, message, pos: [start] }: YAMLError,
  text: string,
): [problem: string, expected: string] {
  if (code === "MULTIPLE_DOCS")
    return [
      l10n.t("A second document starts here."),
      l10n.t('one document; remove the line "---".'),
    ];
  const lines = text.slice(0, start).split("\n");
  const before = lines.slice(0, -1).findLastIndex((line) => line.trim() !== "");
  if (before >= 0 && (code === "MULTILINE_IMPLICIT_KEY" || isWithoutColon(code, message)))
    return [
      l10n.t("Line {0} continues line {1}.", lines.length, before + 1),
      l10n.t("a line with more indentation than its key, or a new key with a colon."),
    ];
  if (code === "BLOCK_AS_IMPLICIT_KEY")
    return [
      l10n.t("There is a second colon in this line."),
      l10n.t('text with a colon in quotes, or in lines of its own below "key: >".'),
    ];
  return [
    sentence(message),
    l10n.t("valid YAML; look at the indentation, quotes and colons here."),
  ];
}

/** The library has this code for other characters, too. */
function isWithoutColon(code: string, message: string): boolean {
  return code === "MISSING_CHAR" && message.startsWith("Implicit map keys");
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
  if (path.length > maxDepth) throw tooDeep(at(path.slice(0, 1)));
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
function rangeOf(document: Document, targets: Targets, path: Path): Range {
  let node: unknown = document.contents;
  let range: Range = isNode(node) ? [node.range?.[0] ?? 0] : [0];
  for (const step of path) {
    if (isAlias(node)) node = targets.get(node);
    const pairs = isMap(node) ? node.items : [];
    const pair = pairs.findLast(({ key }) => isScalar(key) && String(key.value) === String(step));
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
