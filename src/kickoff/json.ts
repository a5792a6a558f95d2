import * as l10n from "@vscode/l10n";
import { printParseErrorCode, visit, type Node, type ParseErrorCode } from "jsonc-parser";
import type { JsonObject, JsonValue } from "../api/types.ts";

/** RFC 8259, without numbers that JavaScript would change, such as 12345678901234567890. `fault` says where and why. */
export function readJson(text: string): { readonly value: JsonValue } | { readonly fault: string } {
  try {
    const value = JSON.parse(text) as JsonValue;
    const fault = findInexact(text);
    return fault === undefined ? { value } : { fault };
  } catch {
    // The engine's message differs between browsers and has no reliable position.
    return { fault: findFault(text) };
  }
}

/** What is expected where JSON ends. */
export function expectedText(error: ParseErrorCode | undefined): string {
  const texts: Readonly<Record<string, string>> = {
    ValueExpected: l10n.t("a value is expected."),
    InvalidSymbol: l10n.t("texts and names need double quotes."),
    PropertyNameExpected: l10n.t("a property name in double quotes is expected."),
    ColonExpected: l10n.t("a colon is expected."),
    CommaExpected: l10n.t("a comma is expected."),
    CloseBraceExpected: l10n.t("a closing brace is expected."),
    CloseBracketExpected: l10n.t("a closing bracket is expected."),
    UnexpectedEndOfString: l10n.t("the text has no closing quote."),
    EndOfFileExpected: l10n.t("nothing more is expected."),
  };
  const name = error === undefined ? "" : printParseErrorCode(error);
  return texts[name] ?? l10n.t("this can't be read.");
}

function findFault(text: string): string {
  let first: string | undefined;
  const say = (line: number, column: number, error?: ParseErrorCode) =>
    l10n.t("Not JSON: line {0}, column {1}: {2}", line, column, expectedText(error));
  try {
    visit(
      text,
      {
        onError(error, _offset, _length, line, character) {
          first ??= say(line + 1, character + 1, error);
        },
      },
      { disallowComments: true, allowTrailingComma: false },
    );
  } catch (error) {
    // The parser is recursive; deep nesting overflows the stack.
    if (!(error instanceof RangeError)) throw error;
  }
  return first ?? say(1, 1);
}

/** A large integer, or a number out of range. */
function findInexact(text: string): string | undefined {
  if (!/\d{16}|[eE]\+?\d/.test(text)) return undefined;
  let first: string | undefined;
  visit(text, {
    onLiteralValue(value, offset, length, line, character) {
      if (typeof value === "number" && !isExact(text.slice(offset, offset + length)))
        first ??= l10n.t(
          "Line {0}, column {1}: this number is too long. Put it in double quotes to send it as text.",
          line + 1,
          character + 1,
        );
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
