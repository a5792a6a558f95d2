import {
  createScanner,
  getLocation,
  getNodeValue,
  parseTree,
  findNodeAtLocation,
} from "jsonc-parser";
import type { Span } from "../json-tree.ts";

/** Where in a request file somebody writes, as far as something can be offered there. */
export type WritingPlace = { readonly replaces: Span } & (
  | { readonly kind: "crew" }
  /** The name of an input; `given` stand there already. */
  | {
      readonly kind: "inputName";
      readonly given: ReadonlySet<string>;
      readonly hasValue: boolean;
      readonly needsComma: boolean;
    }
  | { readonly kind: "inputValue"; readonly name: string }
);

/** What stands at an offset of a request file, complete or half written; nothing where nothing can be offered. */
export function placeAt(text: string, offset: number): WritingPlace | undefined {
  const { path, isAtPropertyKey, previousNode } = getLocation(text, offset);
  const isInside =
    previousNode !== undefined &&
    previousNode.offset <= offset &&
    offset <= previousNode.offset + previousNode.length;
  const replaces = isInside
    ? { start: previousNode.offset, end: previousNode.offset + previousNode.length }
    : { start: wordStart(text, offset), end: offset };
  const [member, name, ...deeper] = path;
  if (member === "crew" && name === undefined && !isAtPropertyKey)
    return { kind: "crew", replaces };
  if (member !== "inputs" || typeof name !== "string" || deeper.length > 0) return undefined;
  if (!isAtPropertyKey) return { kind: "inputValue", name, replaces };
  const next = tokenAfter(text, replaces.end);
  return {
    kind: "inputName",
    replaces,
    given: inputsGiven(text, replaces),
    hasValue: next === ":",
    needsComma: next === '"',
  };
}

/** The crew that a half written request file names. */
export function crewNamedIn(text: string): string | undefined {
  const tree = parseTree(text);
  const node = tree && findNodeAtLocation(tree, ["crew"]);
  return node?.type === "string" ? String(getNodeValue(node)) : undefined;
}

/** The names of the inputs that stand there, but for the one that is being written. */
function inputsGiven(text: string, except: Span): ReadonlySet<string> {
  const tree = parseTree(text);
  const inputs = tree && findNodeAtLocation(tree, ["inputs"]);
  const keys = (inputs?.children ?? []).flatMap(({ children }) => children?.[0] ?? []);
  return new Set(
    keys.filter(({ offset }) => offset !== except.start).map(({ value }) => String(value)),
  );
}

/** A word without quotes that is being written. */
function wordStart(text: string, offset: number): number {
  return offset - (/[\w-]*$/.exec(text.slice(Math.max(0, offset - 200), offset))?.[0].length ?? 0);
}

/** The first character of the token that follows, comments left out; empty at the end. */
function tokenAfter(text: string, offset: number): string {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return text.charAt(scanner.getTokenOffset());
}
