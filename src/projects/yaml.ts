import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node } from "yaml";
import type { TextFile } from "./files.ts";
import { ProjectError, type Position } from "./types.ts";
import type { Path, Source, Value } from "./value.ts";

/**
 * Parses a YAML file by YAML 1.1, as crewAI's own reader does (PyYAML), so that `human_input: yes` is true.
 * @throws ProjectError for anything that is not YAML, for a key given twice, and for aliases that unfold without end
 */
export function parseYaml({ file, text }: TextFile): Source {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, version: "1.1", prettyErrors: false });
  const position = (offset: number): Position => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const [problem] = document.errors;
  if (problem) {
    const expected = problem.code === "DUPLICATE_KEY" ? "each key once." : "valid YAML; look at the indentation, quotes and colons here.";
    throw new ProjectError(sentence(problem.message), expected, position(problem.pos[0]));
  }
  let value: Value;
  try {
    value = toValue(document.toJS({ mapAsMap: true, maxAliasCount: 1000 }));
  } catch (error) {
    throw new ProjectError(sentence(error instanceof Error ? error.message : String(error)), "plain mappings, lists and texts.", position(0));
  }
  return { value, at: (path) => position(offsetOf(document, path)) };
}

function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

/** Plain values of what YAML 1.1 knows besides them: keys become texts, dates and binary data stay foreign and are refused. */
function toValue(value: unknown): Value {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(toValue);
  if (value instanceof Map) return new Map([...value].map(([key, member]) => [String(key), toValue(member)]));
  if (value instanceof Date) throw new Error("A date stands where text is expected (put it in quotes)");
  throw new Error("A value of a kind that a crew does not use");
}

/** Where a value stands: a text or number itself, a mapping or list at its key. The deepest step that can be found counts. */
function offsetOf(document: Document.Parsed, path: Path): number {
  let node: Node | null | undefined = document.contents;
  let offset = 0;
  for (const step of path) {
    const found = stepInto(document, node, step);
    if (!found) return offset;
    node = found.value;
    const own = node?.range?.[0];
    offset = own !== undefined && (isScalar(node) && node.value !== null || found.key === undefined) ? own : found.key ?? offset;
  }
  return offset;
}

function stepInto(document: Document.Parsed, from: Node | null | undefined, step: string | number): { value: Node | undefined; key?: number } | undefined {
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
