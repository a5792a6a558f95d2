import { printParseErrorCode, visit } from "jsonc-parser";
import type { JsonValue } from "../api/types.ts";

/** What the reader of JSON expected where it stopped. `quotes`: a word stands where only a quoted one may. `nothing`: the value had ended already. `exactNumber`: a number with more digits than can be sent. */
export type Expected =
  | "value"
  | "propertyName"
  | "colon"
  | "comma"
  | "closeBrace"
  | "closeBracket"
  | "endOfString"
  | "quotes"
  | "nothing"
  | "exactNumber"
  | "other";

/** Where a text stops being JSON that can be sent as it stands. Line and column count from 1. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
  readonly expected: Expected;
}

/** A JSON value, or the place where the text stops being one. */
export type JsonReading = { readonly value: JsonValue } | { readonly fault: JsonFault };

/**
 * Reads strict JSON (RFC 8259): no comments, no trailing commas; and no number that this machine would change without a word,
 * such as 12345678901234567890.
 */
export function readJson(text: string): JsonReading {
  try {
    const value: unknown = JSON.parse(text);
    const inexact = findInexact(text);
    // What JSON.parse returns is a JSON value by definition.
    return inexact === undefined ? { value: value as JsonValue } : { fault: inexact };
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
        first ??= {
          line: line + 1,
          column: character + 1,
          expected: expectedAfter(printParseErrorCode(code)),
        };
      },
    },
    { disallowComments: true, allowTrailingComma: false },
  );
  return first ?? { line: 1, column: 1, expected: "other" };
}

/** The first number that JSON.parse changes: a whole one beyond what a double holds exactly, or one that is too large for it. */
function findInexact(text: string): JsonFault | undefined {
  // Most texts hold no such number, and need no second look.
  if (!/\d{16}|[eE]\+?\d/.test(text)) return undefined;
  let first: JsonFault | undefined;
  visit(text, {
    onLiteralValue(value, offset, length, line, character) {
      if (typeof value === "number" && !isExact(text.slice(offset, offset + length)))
        first ??= { line: line + 1, column: character + 1, expected: "exactNumber" };
    },
  });
  return first;
}

function isExact(source: string): boolean {
  const value = Number(source);
  return Number.isFinite(value) && (!/^-?\d+$/.test(source) || BigInt(source) === BigInt(value));
}
