import { parseTree, type Node } from "jsonc-parser";
import type { JsonValue } from "../api/types.ts";
import { withUnlisted, type FieldValue, type FormField } from "./fields.ts";
import { readJson, type JsonFault } from "./json.ts";
import { alignValues, asTyped, jsonOf, type FormValues, type NamedValue } from "./values.ts";

/** What keeps a text from being inputs and meta. Line and column count from 1. */
export type JsonViewFault =
  | ({ readonly kind: "notJson" } & JsonFault)
  | { readonly kind: "noInputs" | "notAnObject" | "metaNotAnObject"; readonly line: number; readonly column: number }
  | { readonly kind: "otherMember" | "twice"; readonly name: string; readonly line: number; readonly column: number };

/** Inputs and meta as a text says them, or what is wrong with it. An input that has no field gets one. */
export type JsonViewReading = { readonly fields: readonly FormField[]; readonly values: FormValues } | { readonly fault: JsonViewFault };

const indent = "    ";

/** Inputs and meta as one JSON text: `{"inputs": …, "meta": …}`, as a request has them. Each value stands as it was typed, so that no digit is lost. What is read as JSON must be JSON. */
export function writeJsonView({ inputs, meta }: Pick<FormValues, "inputs" | "meta">): string {
  const members = inputs.flatMap((value) => {
    const json = jsonOf(value);
    return json === undefined ? [] : [`${indent}${JSON.stringify(value.name)}: ${json.replaceAll("\n", `\n${indent}`)}`];
  });
  const written = members.length === 0 ? "{}" : `{\n${members.join(",\n")}\n  }`;
  return `{\n  "inputs": ${written}${meta.trim() === "" ? "" : `,\n  "meta": ${meta.trim().replaceAll("\n", "\n  ")}`}\n}`;
}

/** Reads such a text back. A field whose value is the same stays as it is; one that is no longer there is left out, unless it was blank. */
export function readJsonView(fields: readonly FormField[], before: FormValues, text: string): JsonViewReading {
  const reading = readJson(text);
  if ("fault" in reading) return { fault: { kind: "notJson", ...reading.fault } };
  const place = (offset: number) => ({ line: text.slice(0, offset).split("\n").length, column: offset - text.lastIndexOf("\n", offset - 1) });
  const root = parseTree(text);
  if (root?.type !== "object") return { fault: { kind: "notAnObject", ...place(root?.offset ?? 0) } };
  const parts = membersOf(root);
  const inputs = parts.find(({ name }) => name === "inputs");
  const meta = parts.find(({ name }) => name === "meta");
  const other = parts.find(({ name }) => name !== "inputs" && name !== "meta");
  if (inputs?.value.type !== "object") return { fault: { kind: "noInputs", ...place(inputs?.value.offset ?? root.offset) } };
  if (other !== undefined) return { fault: { kind: "otherMember", name: other.name, ...place(other.offset) } };
  if (meta !== undefined && meta.value.type !== "object") return { fault: { kind: "metaNotAnObject", ...place(meta.value.offset) } };
  const given = membersOf(inputs.value);
  const twice = secondOf(parts) ?? secondOf(given);
  if (twice !== undefined) return { fault: { kind: "twice", name: twice.name, ...place(twice.offset) } };

  const sourceOf = ({ value }: Member) => text.slice(value.offset, value.offset + value.length);
  const sources = new Map(given.map((member) => [member.name, sourceOf(member)]));
  const all = withUnlisted(fields, [...sources.keys()]);
  const old = alignValues(all, before).inputs;
  const metaText = meta === undefined ? "" : keepSame(before.meta, outdented(sourceOf(meta), 2));
  return { fields: all, values: { ...before, inputs: all.map((field, index) => read(field, old[index] ?? { name: field.name, ...field.initial }, sources.get(field.name))), meta: metaText, json: text } };
}

interface Member {
  readonly name: string;
  /** Where its name begins. */
  readonly offset: number;
  readonly value: Node;
}

function membersOf(object: Node): readonly Member[] {
  return (object.children ?? []).flatMap(({ offset, children }) => {
    const [key, value] = children ?? [];
    return key === undefined || value === undefined ? [] : [{ name: String(key.value), offset, value }];
  });
}

function secondOf(members: readonly Member[]): Member | undefined {
  const seen = new Set<string>();
  return members.find(({ name }) => seen.size === seen.add(name).size);
}

function read(field: FormField, old: NamedValue, source: string | undefined): NamedValue {
  const before = jsonOf(old);
  if (source === undefined) return before === undefined ? old : { ...old, mode: "omit" };
  if (before !== undefined && squeezed(before) === squeezed(source)) return old;
  return { name: field.name, ...typed(field, source) };
}

function typed(field: FormField, source: string): FieldValue {
  const reading = readJson(source);
  const value: JsonValue = "value" in reading ? reading.value : null;
  const typed = asTyped(value, field);
  // Texts are the same however they are written; all else stays as it was typed.
  return typed.mode === "json" || (typed.mode === "fitting" && typeof value === "number") ? { mode: typed.mode, text: outdented(source, indent.length) } : typed;
}

function keepSame(before: string, now: string): string {
  return squeezed(before) === squeezed(now) ? before : now;
}

/** JSON without the white space between its parts. */
function squeezed(json: string): string {
  return json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_, text: string | undefined) => text ?? "");
}

/** A value without the indentation that it had as a member. */
function outdented(source: string, spaces: number): string {
  return source.replace(new RegExp(`\\n {1,${spaces}}`, "g"), "\n");
}
