import * as l10n from "@vscode/l10n";
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type Node,
  type YAMLError,
} from "yaml";
import type { TextFile } from "./files.ts";
import { ProjectError, type Position } from "./types.ts";
import { maxDepth, type Path, type Source, type Value } from "./value.ts";

/**
 * Parses YAML 1.1 as crewAI does (PyYAML), so that `human_input: yes` is true.
 * @throws {ProjectError} also for a duplicate key and for recursive or too many aliases
 */
export function parseYaml({ file, text }: TextFile): Source {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, version: "1.1", prettyErrors: false });
  const position = (offset: number): Position => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const [problem] = document.errors;
  if (problem) throw new ProjectError(...explain(problem), position(problem.pos[0]));
  const at = (path: Path): Position => position(offsetOf(document, path));
  return { value: toValue(unfold(document, position(0)), [], at), at };
}

/** Resolves aliases and merge keys. The limit on aliases keeps a small file from filling the memory. */
function unfold(document: Document.Parsed, start: Position): unknown {
  try {
    return document.toJS({ mapAsMap: true, maxAliasCount: 1000 });
  } catch (error) {
    throw new ProjectError(
      sentence(error instanceof Error ? error.message : String(error)),
      l10n.t("plain mappings, lists and text."),
      start,
    );
  }
}

function explain({ code, message }: YAMLError): [problem: string, expected: string] {
  if (code === "DUPLICATE_KEY") return [sentence(message), l10n.t("each key once.")];
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
function toValue(value: unknown, path: Path, at: (path: Path) => Position): Value {
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

/** The offset of a value, or of the key of a mapping or list; of the deepest part of the path that exists. */
function offsetOf(document: Document.Parsed, path: Path): number {
  let node: Node | null | undefined = document.contents;
  let offset = 0;
  for (const step of path) {
    const found = stepInto(document, node, step);
    if (!found) return offset;
    node = found.value;
    const own = node?.range?.[0];
    offset =
      own !== undefined && ((isScalar(node) && node.value !== null) || found.key === undefined)
        ? own
        : (found.key ?? offset);
  }
  return offset;
}

function stepInto(
  document: Document.Parsed,
  from: Node | null | undefined,
  step: string | number,
): { value: Node | undefined; key?: number } | undefined {
  const node = isAlias(from) ? from.resolve(document) : from;
  if (isSeq(node) && typeof step === "number") {
    const item = node.items[step];
    return isNode(item) ? { value: item } : undefined;
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
  if (!pair || !isScalar(pair.key)) return undefined;
  const value = isNode(pair.value) ? pair.value : undefined;
  const key = pair.key.range?.[0];
  return key === undefined ? { value } : { value, key };
}
