import * as l10n from "@vscode/l10n";
import { parseTree, type Node, type ParseError, type ParseOptions } from "jsonc-parser";
import type { JsonValue } from "../api/types.ts";

/** In UTF-16 units; `end` is exclusive. */
export type Span = { readonly start: number; readonly end: number };
export type JsonFault = {
  readonly kind: "syntax" | "twice" | "wrong";
  readonly at: Span;
  readonly text: string;
};

export function spanOf({ offset, length }: Node): Span {
  return { start: offset, end: offset + length };
}

/** RFC 8259. `fault` says where and why. */
export function readJson(text: string): { readonly value: JsonValue } | { readonly fault: string } {
  const { value, faults } = parse(text, { disallowComments: true, allowTrailingComma: false });
  const fault = faults.find(({ kind }) => kind !== "twice");
  if (fault === undefined) return { value };
  const lines = text.slice(0, fault.at.start).split(/\r\n|\r|\n/);
  const place = [lines.length, (lines.at(-1) ?? "").length + 1] as const;
  return { fault: l10n.t("Line {0}, column {1}: {2}", ...place, fault.text) };
}

/** What precedes a syntax error, which is the first fault, is read. Never throws. */
export function parse(text: string, options: ParseOptions) {
  const faults: JsonFault[] = [];
  try {
    const errors: ParseError[] = [];
    const root = parseTree(text, errors, options);
    const [{ offset, length }] = [...errors, { offset: 0, length: 1 }];
    const at = { start: offset, end: offset + Math.max(1, length) };
    if (errors.length > 0 || root === undefined)
      faults.push({ kind: "syntax", at, text: l10n.t("This is not JSON.") });
    return { root, value: root ? valueOf(root, text, faults) : null, faults };
  } catch (error) {
    // The parser and `valueOf` are recursive; deep nesting overflows the stack.
    if (!(error instanceof RangeError)) throw error;
    const fault = l10n.t("This is nested too deeply.");
    const tooDeep = { kind: "wrong" as const, at: { start: 0, end: 1 }, text: fault };
    return { root: undefined, value: null, faults: [tooDeep] };
  }
}

function valueOf(node: Node, text: string, faults: JsonFault[]): JsonValue {
  if (node.type === "array")
    return (node.children ?? []).map((child) => valueOf(child, text, faults));
  if (node.type === "object") {
    const members = new Map<string, JsonValue>();
    for (const { children: [key, value] = [] } of node.children ?? []) {
      if (key === undefined || value === undefined) continue;
      const name = String(key.value);
      if (members.has(name)) {
        const text = l10n.t("“{0}” is given twice.", name);
        faults.push({ kind: "twice", at: spanOf(key), text });
      }
      members.set(name, valueOf(value, text, faults));
    }
    // Unlike an assignment, fromEntries accepts `__proto__`.
    return Object.fromEntries(members);
  }
  const value: unknown = node.value;
  const at = spanOf(node);
  // JavaScript would change it, such as 12345678901234567890.
  if (typeof value === "number" && !isExact(text.slice(at.start, at.end))) {
    const text = l10n.t("This number is too long. Put it in double quotes to send it as text.");
    faults.push({ kind: "wrong", at, text });
  }
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : null;
}

function isExact(source: string): boolean {
  const value = Number(source);
  return Number.isFinite(value) && (!/^-?\d+$/.test(source) || BigInt(source) === BigInt(value));
}
