import { printParseErrorCode, visit, type Node, type ParseErrorCode } from "jsonc-parser";
import type { JsonObject, JsonValue } from "../api/types.ts";

/** By jsonc-parser's error names. `quotes`: they are missing. `nothing`: the value has ended. */
const expectedByError = {
  ValueExpected: "value",
  InvalidSymbol: "quotes",
  PropertyNameExpected: "propertyName",
  ColonExpected: "colon",
  CommaExpected: "comma",
  CloseBraceExpected: "closeBrace",
  CloseBracketExpected: "closeBracket",
  UnexpectedEndOfString: "endOfString",
  EndOfFileExpected: "nothing",
} as const;

/** What is expected at a fault. `exactNumber`: a number with fewer digits. */
export type Expected =
  (typeof expectedByError)[keyof typeof expectedByError] | "exactNumber" | "other";

/** Where JSON becomes invalid or can't be sent unchanged. From 1. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
  readonly expected: Expected;
}

/** RFC 8259, without numbers that JavaScript would change, such as 12345678901234567890. */
export function readJson(
  text: string,
): { readonly value: JsonValue } | { readonly fault: JsonFault } {
  try {
    const value = JSON.parse(text) as JsonValue;
    const fault = findInexact(text);
    return fault === undefined ? { value } : { fault };
  } catch {
    // The engine's message differs between browsers and has no reliable position.
    return { fault: findFault(text) };
  }
}

export function expectedAfter(error: ParseErrorCode): Expected {
  const byName: Readonly<Record<string, Expected>> = expectedByError;
  return byName[printParseErrorCode(error)] ?? "other";
}

function findFault(text: string): JsonFault {
  let first: JsonFault | undefined;
  try {
    visit(
      text,
      {
        onError(code, _offset, _length, line, character) {
          first ??= { line: line + 1, column: character + 1, expected: expectedAfter(code) };
        },
      },
      { disallowComments: true, allowTrailingComma: false },
    );
  } catch (error) {
    // The parser is recursive; deep nesting overflows the stack.
    if (!(error instanceof RangeError)) throw error;
  }
  return first ?? { line: 1, column: 1, expected: "other" };
}

/** A large integer, or a number out of range. */
function findInexact(text: string): JsonFault | undefined {
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

/** In UTF-16 units; `end` is exclusive. */
export type Span = { readonly start: number; readonly end: number };
export type Member = { readonly name: string; readonly key: Node; readonly value: Node };

export function membersOf({ type, children = [] }: Node): readonly Member[] {
  if (type !== "object") return [];
  return children.flatMap(({ children: [key, value] = [] }) =>
    key === undefined || value === undefined ? [] : [{ name: String(key.value), key, value }],
  );
}

export function spanOf({ offset, length }: Node): Span {
  return { start: offset, end: offset + length };
}

export function toObject(node: Node): JsonObject {
  // Unlike an assignment, fromEntries accepts `__proto__`.
  return Object.fromEntries(membersOf(node).map(({ name, value }) => [name, toJson(value)]));
}

function toJson(node: Node): JsonValue {
  if (node.type === "array") return (node.children ?? []).map(toJson);
  if (node.type === "object") return toObject(node);
  const value: unknown = node.value;
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : null;
}
