import * as l10n from "@vscode/l10n";
import {
  findNodeAtLocation,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from "jsonc-parser";
import type { TextFile } from "./files.ts";
import { ProjectError, type Position } from "./types.ts";
import { maxDepth, type Path, type Source, type Value } from "./value.ts";

/**
 * Parses JSON with comments and trailing commas, as crewAI does.
 * @throws {ProjectError} also for a duplicate key
 */
export function parseJsonc({ file, text }: TextFile): Source {
  const position = (offset: number): Position => {
    const before = text.slice(0, offset).split("\n");
    return { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  };
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const [problem] = errors;
  if (problem)
    throw new ProjectError(
      l10n.t("This is not JSON: {0}.", spaced(printParseErrorCode(problem.error))),
      l10n.t("JSON; comments and trailing commas are allowed."),
      position(problem.offset),
    );
  if (!tree)
    throw new ProjectError(l10n.t("The file is empty."), l10n.t("a JSON object."), position(0));
  const value = toValue(
    tree,
    0,
    (node, message, expected) => new ProjectError(message, expected, position(node.offset)),
  );
  return { value, at: (path) => position(offsetOf(tree, path)) };
}

/** `PropertyNameExpected` becomes "property name expected". */
function spaced(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
}

type Refuse = (node: Node, message: string, expected: string) => ProjectError;

function toValue(node: Node, depth: number, refuse: Refuse): Value {
  if (depth > maxDepth)
    throw refuse(
      node,
      l10n.t("This is nested too deeply."),
      l10n.t("at most {0} levels.", maxDepth),
    );
  if (node.type === "array")
    return (node.children ?? []).map((child) => toValue(child, depth + 1, refuse));
  if (node.type !== "object") return scalar(node.value);
  const members = new Map<string, Value>();
  for (const property of node.children ?? []) {
    const [key, member] = property.children ?? [];
    if (!key || !member) continue;
    const name = String(key.value);
    if (members.has(name))
      throw refuse(key, l10n.t('"{0}" appears twice.', name), l10n.t("each key once."));
    members.set(name, toValue(member, depth + 1, refuse));
  }
  return members;
}

function scalar(value: unknown): Value {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : null;
}

/** The offset of a value, or of the key of an object or array; of the deepest part of the path that exists. */
function offsetOf(tree: Node, path: Path): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (!node) continue;
    const compound = node.type === "object" || node.type === "array";
    return compound && node.parent?.type === "property" ? node.parent.offset : node.offset;
  }
  return tree.offset;
}
