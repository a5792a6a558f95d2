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
  type Scalar,
  type YAMLError,
  type YAMLMap,
} from "yaml";
import { isDeeper, type JsonValue } from "../base/json.ts";
import type { Reading, TextFile } from "./reading.ts";
import { ProjectError, type Position } from "./types.ts";

type Problems = Pick<Reading, "report" | "broken">;

/** Deeper nesting is a mistake, and could overflow the stack. */
const maxDepth = 100;
/** A small file can stand for many more. */
const mostValues = 100_000;

interface Source extends TextFile {
  readonly problems: Problems;
  readonly lines: LineCounter;
  /** What the aliases stand for: the library searches the whole document for each. */
  readonly targets: Map<Alias, Node>;
  /** Each is read once, because mappings can be merged into many others. */
  readonly mappings: Map<YAMLMap, ReadonlyMap<string, Place>>;
  merged: number;
}

export class Place {
  readonly #source: Source;
  readonly #node: unknown;
  readonly #key: Scalar | undefined;
  readonly #content: unknown;

  constructor(source: Source, node: unknown, key?: Scalar) {
    this.#source = source;
    this.#node = node;
    this.#key = key;
    this.#content = isAlias(node) ? source.targets.get(node) : node;
  }

  /** Of text, a number or a truth value; null for nothing; undefined for a mapping or list. */
  get value(): string | number | boolean | null | undefined {
    if (this.isMapping || isSeq(this.#content)) return undefined;
    const value: unknown = isScalar(this.#content) ? this.#content.value : null;
    if (value instanceof Date) return value.toISOString();
    return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      ? value
      : null;
  }

  get isMapping(): boolean {
    return isMap(this.#content);
  }

  error(text: string): ProjectError {
    return new ProjectError(text, this.position);
  }

  get position(): Position {
    const node = isNode(this.#node) ? this.#node : undefined;
    const isValue = isScalar(node) && node.value !== null;
    const [start, end] = (isValue ? node : (this.#key ?? node))?.range ?? [0, undefined];
    return positionIn(this.#source, start, isValue || this.#key ? end : undefined);
  }

  get list(): readonly Place[] {
    const items = isSeq(this.#content) ? this.#content.items : [];
    return items.map((item) => new Place(this.#source, item));
  }

  given(key: string): Place | undefined {
    const member = this.inside.get(key);
    return member?.value === null ? undefined : member;
  }

  report(text: string): void {
    this.#source.problems.report(this.error(text));
  }

  members(): ReadonlyMap<string, Place> {
    if (!this.isMapping) this.report(l10n.t("This must be a mapping of names to values."));
    return this.inside;
  }

  items(): readonly Place[] {
    if (!isSeq(this.#content)) this.report(l10n.t("This must be a list."));
    return this.list;
  }

  text(): string {
    if (typeof this.value === "string") return this.value;
    this.report(noText());
    return "";
  }

  name(): string | undefined {
    const text = this.text();
    if (text.trim() !== "") return text;
    this.report(noText());
    return undefined;
  }

  /** As JSON, without what is nested too deeply or contains itself. */
  plain(): JsonValue {
    let count = 0;
    const read = (place: Place, depth: number): JsonValue => {
      if (depth > maxDepth || (count += 1) > mostValues) return null;
      if (isSeq(place.#content)) return place.list.map((item) => read(item, depth + 1));
      if (!place.isMapping) return place.value ?? null;
      return Object.fromEntries(
        [...place.inside].map(([name, member]) => [name, read(member, depth + 1)]),
      );
    };
    return read(this, 0);
  }

  /** In the order of the file, with those of merged mappings (`<<`). Empty if it is no mapping. */
  get inside(): ReadonlyMap<string, Place> {
    const mapping = this.#content;
    const members = new Map<string, Place>();
    if (!isMap(mapping)) return members;
    const known = this.#source.mappings.get(mapping);
    if (known !== undefined) return known;
    this.#source.mappings.set(mapping, members);
    for (const { key, value } of mapping.items) {
      if (!isScalar(key)) continue;
      const member = new Place(this.#source, value, key);
      if (typeof key.value !== "symbol") members.set(String(key.value), member);
      else
        for (const merged of isSeq(member.#content) ? member.list : [member])
          for (const [name, each] of merged.inside) {
            if ((this.#source.merged += 1) > mostValues) break;
            if (!members.has(name)) members.set(name, each);
          }
    }
    return members;
  }
}

function noText(): string {
  return l10n.t("This must be text; put a number or a date in quotes.");
}

function positionIn({ file, text, lines }: Source, start: number, end?: number): Position {
  const place = (offset: number) => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  return { file, ...place(start), ...(end !== undefined && { end: place(end) }) };
}

/** With comments and trailing commas, as in crewAI. Also reports what {@link parseYaml} does. */
export function parseJsonc(file: TextFile, problems: Problems): Place {
  const source = sourceOf(file, problems);
  // It isn't always as long as the text.
  const plain = stripComments(file.text, " ");
  if (isDeeper(plain, maxDepth))
    return giveUp(source, 0, l10n.t("There is too much here to read."));
  const errors: ParseError[] = [];
  parse(file.text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) {
    // `PropertyNameExpected` becomes "property name expected".
    const words = printParseErrorCode(error.error).replace(/([a-z])([A-Z])/g, "$1 $2");
    giveUp(source, error.offset, l10n.t("This is not JSON: {0}.", words.toLowerCase()));
  }
  // Without comments, valid JSON is valid YAML 1.2, trailing commas included.
  return placeIn(sourceOf({ ...file, text: plain }, problems), "1.2");
}

/** YAML 1.1, as in crewAI (PyYAML): `human_input: yes` is true. Also reports aliases of nothing. */
export function parseYaml(file: TextFile, problems: Problems): Place {
  return placeIn(sourceOf(file, problems), "1.1");
}

function sourceOf({ file, text }: TextFile, problems: Problems): Source {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (const { index } of text.matchAll(/\n/g)) lines.addNewLine(index + 1);
  return { file, text, problems, lines, targets: new Map(), mappings: new Map(), merged: 0 };
}

function giveUp(source: Source, at: number, problem: string): Place {
  source.problems.report(new ProjectError(problem, positionIn(source, at)));
  source.problems.broken.add(source.file);
  return new Place(source, undefined);
}

function placeIn(source: Source, version: "1.1" | "1.2"): Place {
  const { text } = source;
  // A doubled key is no error for crewAI, and the library takes long to compare many.
  const document = parseDocument(text, { version, uniqueKeys: false, prettyErrors: false });
  lookThrough(document, source);
  // Others often follow from the first.
  const [first] = document.errors;
  if (first) giveUp(source, first.pos[0], explain(first, text));
  return new Place(source, document.contents);
}

function lookThrough(document: Document, source: Source): void {
  const anchored = new Map<string, Node>();
  visit(document, (_, node) => {
    if (!isNode(node)) return;
    const report = (text: string) =>
      source.problems.report(new ProjectError(text, positionIn(source, node.range?.[0] ?? 0)));
    if (isAlias(node)) {
      const target = anchored.get(node.source);
      if (target) source.targets.set(node, target);
      else report(l10n.t('There is no "&{0}" before this.', node.source));
    } else if (node.anchor !== undefined) anchored.set(node.anchor, node);
    if (isScalar(node) && typeof node.value === "object" && node.value !== null) report(noText());
  });
}

function explain({ code, message, pos: [start] }: YAMLError, text: string): string {
  const lines = text.slice(0, start).split("\n");
  const before = lines.slice(0, -1).findLastIndex((line) => line.trim() !== "");
  // The library has MISSING_CHAR for other characters, too.
  const lacksColon = code === "MISSING_CHAR" && message.startsWith("Implicit map keys");
  if (before >= 0 && (code === "MULTILINE_IMPLICIT_KEY" || lacksColon))
    return l10n.t(
      "Line {0} continues line {1}. It needs more indentation than its key, or a colon.",
      lines.length,
      before + 1,
    );
  if (code === "BLOCK_AS_IMPLICIT_KEY")
    return l10n.t("There is a second colon in this line. Put the text in quotes.");
  return l10n.t("This is not YAML: {0}", message);
}
