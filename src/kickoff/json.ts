import { printParseErrorCode, visit } from "jsonc-parser";
import type { JsonValue } from "../api/types.ts";

/** What the reader of JSON expected where it stopped. `quotes`: a word stands where only a quoted one may. `nothing`: the value had ended already. */
export type Expected = "value" | "propertyName" | "colon" | "comma" | "closeBrace" | "closeBracket" | "endOfString" | "quotes" | "nothing" | "other";

/** Where a text stops being JSON. Line and column count from 1. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
  readonly expected: Expected;
}

/** A JSON value, or the place where the text stops being one. */
export type JsonReading = { readonly value: JsonValue } | { readonly fault: JsonFault };

/** Reads strict JSON (RFC 8259): no comments, no trailing commas. */
export function readJson(text: string): JsonReading {
  try {
    const value: unknown = JSON.parse(text);
    // What JSON.parse returns is a JSON value by definition.
    return { value: value as JsonValue };
  } catch {
    // The engine's own message differs between browsers and has no reliable position, so the place is looked for again.
    return { fault: findFault(text) };
  }
}

/** What was expected, by the parser's name of its error. */
export function expectedAfter(errorName: string): Expected {
  return expectedAt.get(errorName) ?? "other";
}

/** By the parser's names of its errors. */
const expectedAt = new Map<string, Expected>([
  ["ValueExpected", "value"],
  ["InvalidSymbol", "quotes"],
  ["PropertyNameExpected", "propertyName"],
  ["ColonExpected", "colon"],
  ["CommaExpected", "comma"],
  ["CloseBraceExpected", "closeBrace"],
  ["CloseBracketExpected", "closeBracket"],
  ["UnexpectedEndOfString", "endOfString"],
  ["EndOfFileExpected", "nothing"],
]);

function findFault(text: string): JsonFault {
  let first: JsonFault | undefined;
  visit(
    text,
    {
      onError(code, _offset, _length, line, character) {
        first ??= { line: line + 1, column: character + 1, expected: expectedAfter(printParseErrorCode(code)) };
      },
    },
    { disallowComments: true, allowTrailingComma: false },
  );
  return first ?? { line: 1, column: 1, expected: "other" };
}
