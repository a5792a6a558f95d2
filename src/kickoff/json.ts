import * as l10n from "@vscode/l10n";
import {
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
  type ParseErrorCode,
  type ParseOptions,
} from "jsonc-parser";
import type { JsonValue } from "../api/types.ts";

/** In UTF-16 units; `end` is exclusive. */
export type Span = { readonly start: number; readonly end: number };
export type Member = { readonly name: string; readonly key: Node; readonly value: Node };
export type JsonFault = {
  readonly kind: "syntax" | "tooDeep" | "twice" | "wrongNumber";
  readonly name?: string;
  readonly at: Span;
  readonly text: string;
};

export const firstLine: Span = { start: 0, end: 1 };

export function spanOf({ offset, length }: Node): Span {
  return { start: offset, end: offset + length };
}

export function membersOf(node: Node | undefined): readonly Member[] {
  if (node?.type !== "object") return [];
  return (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    key === undefined || value === undefined ? [] : [{ name: String(key.value), key, value }],
  );
}

/** RFC 8259. `fault` says where and why. */
export function readJson(text: string): { readonly value: JsonValue } | { readonly fault: string } {
  try {
    const value = JSON.parse(text) as JsonValue;
    // Long numbers could be inexact.
    if (!/\d{16}|[eE]\+?\d/.test(text)) return { value };
  } catch {
    // The engine's message differs between browsers and has no reliable position.
  }
  const { value, faults } = parse(text, { disallowComments: true, allowTrailingComma: false });
  const fault = faults.find(({ kind }) => kind !== "twice");
  if (value !== undefined && fault === undefined) return { value };
  const { at, text: reason, kind } = fault ?? { at: firstLine, text: expectedText(), kind: "" };
  const lines = text.slice(0, at.start).split(/\r\n|\r|\n/);
  const place = [lines.length, (lines.at(-1) ?? "").length + 1] as const;
  return {
    fault:
      kind === "wrongNumber"
        ? l10n.t("Line {0}, column {1}: {2}", ...place, reason)
        : l10n.t("Not JSON: line {0}, column {1}: {2}", ...place, reason),
  };
}

/** What precedes a syntax error, which is the first fault, is read. Never throws. */
export function parse(text: string, options: ParseOptions) {
  const faults: JsonFault[] = [];
  try {
    const errors: ParseError[] = [];
    const root = parseTree(text, errors, options);
    const [error] = errors;
    if (error !== undefined) {
      const { offset, length } = error;
      const at = { start: offset, end: offset + Math.max(1, length) };
      faults.push({ kind: "syntax", at, text: expectedText(error.error) });
    }
    return { root, value: root && valueOf(root, text, faults), faults };
  } catch (error) {
    // The parser and `valueOf` are recursive; deep nesting overflows the stack.
    if (!(error instanceof RangeError)) throw error;
    const text = l10n.t("This is nested too deeply.");
    faults.splice(0, Infinity, { kind: "tooDeep", at: firstLine, text });
    return { root: undefined, value: undefined, faults };
  }
}

function valueOf(node: Node, text: string, faults: JsonFault[]): JsonValue {
  if (node.type === "array")
    return (node.children ?? []).map((child) => valueOf(child, text, faults));
  if (node.type === "object") {
    const seen = new Set<string>();
    const entries = membersOf(node).map(({ name, key, value }) => {
      if (seen.has(name)) {
        const text = l10n.t("“{0}” is given twice.", name);
        faults.push({ kind: "twice", name, at: spanOf(key), text });
      }
      seen.add(name);
      return [name, valueOf(value, text, faults)] as const;
    });
    // Unlike an assignment, fromEntries accepts `__proto__`.
    return Object.fromEntries(entries);
  }
  const value: unknown = node.value;
  const at = spanOf(node);
  // JavaScript would change it, such as 12345678901234567890.
  if (typeof value === "number" && !isExact(text.slice(at.start, at.end))) {
    const text = l10n.t("this number is too long. Put it in double quotes to send it as text.");
    faults.push({ kind: "wrongNumber", at, text });
  }
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : null;
}

function isExact(source: string): boolean {
  const value = Number(source);
  return Number.isFinite(value) && (!/^-?\d+$/.test(source) || BigInt(source) === BigInt(value));
}

/** What is expected where JSON ends. */
function expectedText(error?: ParseErrorCode): string {
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
