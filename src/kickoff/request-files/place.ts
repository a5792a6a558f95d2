import { createScanner, getLocation } from "jsonc-parser";
import type { Span } from "../json.ts";
import { readRequestFile } from "./request-file.ts";

/** A place in a request file where something can be offered. */
export type WritingPlace = { readonly replaces: Span } & (
  | { readonly kind: "crew" }
  /** An input's name; `given` are the others' names. */
  | {
      readonly kind: "inputName";
      readonly given: ReadonlySet<string>;
      readonly hasValue: boolean;
      readonly needsComma: boolean;
    }
  | { readonly kind: "inputValue"; readonly name: string }
);

/** The place at an offset of a request file, which may be incomplete. */
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

function inputsGiven(text: string, except: Span): ReadonlySet<string> {
  const given = [...readRequestFile(text).places.inputName];
  return new Set(given.flatMap(([name, { start }]) => (start === except.start ? [] : name)));
}

/** Where the unquoted word before an offset begins. */
function wordStart(text: string, offset: number): number {
  return offset - (/[\w-]*$/.exec(text.slice(Math.max(0, offset - 200), offset))?.[0].length ?? 0);
}

/** The first character of the next token that is no comment; "" at the end. */
function tokenAfter(text: string, offset: number): string {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return text.charAt(scanner.getTokenOffset());
}
