import { createScanner, getLocation } from "jsonc-parser";
import { spanOf, type Span } from "../json.ts";
import { readRequestFile } from "./request-file.ts";

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

export function placeAt(text: string, offset: number): WritingPlace | undefined {
  const { path, isAtPropertyKey, previousNode } = getLocation(text, offset);
  const before = previousNode && spanOf(previousNode);
  // Else the unquoted word before the offset.
  const word = /(?<![\w-])[\w-]+$/.exec(text.slice(Math.max(0, offset - 200), offset))?.[0] ?? "";
  const replaces =
    before !== undefined && before.start <= offset && offset <= before.end
      ? before
      : { start: offset - word.length, end: offset };
  const [member, name, ...deeper] = path;
  if (member === "crew" && name === undefined && !isAtPropertyKey)
    return { kind: "crew", replaces };
  if (member !== "inputs" || typeof name !== "string" || deeper.length > 0) return undefined;
  if (!isAtPropertyKey) return { kind: "inputValue", name, replaces };
  const next = tokenAfter(text, replaces.end);
  const others = [...readRequestFile(text).places.inputName].filter(
    ([, { start }]) => start !== replaces.start,
  );
  const given = new Set(others.map(([other]) => other));
  return { kind: "inputName", replaces, given, hasValue: next === ":", needsComma: next === '"' };
}

/** The next token's first character, skipping comments; "" at the end. */
function tokenAfter(text: string, offset: number): string {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return text.charAt(scanner.getTokenOffset());
}
