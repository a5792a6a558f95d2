import { parseTree } from "jsonc-parser";
import type { JsonValue } from "../../api/types.ts";
import { keptAddress, type AddressFault } from "../address.ts";
import { withUnlisted, type FieldValue, type FormField } from "./fields.ts";
import { readJson, type JsonFault } from "../json.ts";
import { membersOf, secondOf, spanOf, type Span } from "../json-tree.ts";
import { keepCallbacks, writeCallbacks } from "../json-view-callbacks.ts";
import {
  callbackMembers,
  canBeHeld,
  readCallbacks,
  type CallbackFault,
  type FoundSecret,
  type Wanted,
} from "../kickoff-json.ts";
import type { Strategy } from "../callbacks.ts";
import { edited } from "../text-edits.ts";
import { alignValues, asTyped, jsonOf, type FormValues, type NamedValue } from "./values.ts";

/** What keeps a text from being a kickoff's body, or from being sent. Line and column count from 1. */
export type JsonViewFault =
  | ({ readonly kind: "notJson" } & JsonFault)
  | (Place & { readonly kind: "noInputs" | "notAnObject" | "tooDeep" })
  | (Place & {
      readonly kind: "otherMember" | "otherPart" | "twice" | "sameCallback" | "missingPart";
      readonly name: string;
    })
  | (Place & { readonly kind: "wrongType"; readonly name: string; readonly wanted: Wanted })
  | (Place & { readonly kind: "wrongStrategy"; readonly wanted: readonly Strategy[] })
  | (Place & { readonly kind: "address"; readonly fault: AddressFault["kind"] });

interface Place {
  readonly line: number;
  readonly column: number;
}

/** What a text says that can be read. An input that has no field gets one. */
export interface JsonViewValues {
  readonly fields: readonly FormField[];
  readonly values: FormValues;
  /** Secrets that stand in the text; none is among the values. */
  readonly secrets: readonly FoundSecret[];
  /** The text without them, and without the names and passwords in addresses: what may be kept of it. */
  readonly kept: string;
  /** What keeps the callbacks from being sent: wrong addresses, and what is missing. */
  readonly wrong: readonly JsonViewFault[];
}

/** Values as a text says them, or what is wrong with it. */
export type JsonViewReading = JsonViewValues | { readonly fault: JsonViewFault };

const indent = "    ";

/** A kickoff's body as JSON text, without secrets. Each value stands as it was typed, so that no digit is lost. What is read as JSON must be JSON. */
export function writeJsonView(values: Omit<FormValues, "json">): string {
  const { inputs, meta } = values;
  const members = inputs.flatMap((value) => {
    const json = jsonOf(value);
    return json === undefined
      ? []
      : [`${indent}${JSON.stringify(value.name)}: ${json.replaceAll("\n", `\n${indent}`)}`];
  });
  const written = [
    ["inputs", members.length === 0 ? "{}" : `{\n${members.join(",\n")}\n  }`],
    ...(meta.trim() === "" ? [] : [["meta", nested(meta.trim())]]),
    ...Object.entries(writeCallbacks(values)).map(([name, value]) => [
      name,
      nested(JSON.stringify(value, undefined, 2)),
    ]),
  ];
  return `{\n${written.map(([name, json]) => `  "${name}": ${json}`).join(",\n")}\n}`;
}

/** Reads such a text back. A field whose value is the same stays as it is; an input that is no longer there is left out, unless it was blank. */
export function readJsonView(
  fields: readonly FormField[],
  before: FormValues,
  text: string,
): JsonViewReading {
  try {
    return readText(fields, before, text);
  } catch (error) {
    // The parser calls itself for each level, and only the stack's end stops it.
    if (!(error instanceof RangeError)) throw error;
    return { fault: { kind: "tooDeep", line: 1, column: 1 } };
  }
}

function readText(fields: readonly FormField[], before: FormValues, text: string): JsonViewReading {
  const reading = readJson(text);
  if ("fault" in reading) return { fault: { kind: "notJson", ...reading.fault } };
  const place = ({ start }: Span) => ({
    line: text.slice(0, start).split("\n").length,
    column: start - text.lastIndexOf("\n", start - 1),
  });
  const root = parseTree(text);
  if (root?.type !== "object")
    return { fault: { kind: "notAnObject", ...place({ start: root?.offset ?? 0, end: 0 }) } };
  const parts = membersOf(root);
  const inputs = parts.find(({ name }) => name === "inputs");
  // Clients send null for none.
  const meta = parts.find(({ name, value }) => name === "meta" && value.type !== "null");
  const other = parts.find(({ name }) => !bodyMembers.includes(name));
  if (inputs?.value.type !== "object")
    return { fault: { kind: "noInputs", ...place(spanOf(inputs?.value ?? root)) } };
  if (other !== undefined)
    return { fault: { kind: "otherMember", name: other.name, ...place(spanOf(other.key)) } };
  if (meta !== undefined && meta.value.type !== "object")
    return {
      fault: { kind: "wrongType", name: "meta", wanted: "object", ...place(spanOf(meta.value)) },
    };
  const given = membersOf(inputs.value);
  const twice = secondOf(parts) ?? secondOf(given);
  if (twice !== undefined)
    return { fault: { kind: "twice", name: twice.name, ...place(spanOf(twice.key)) } };
  const { secrets, faults, ...callbacks } = readCallbacks(parts);
  const fault = faults.find((each) => !canBeHeld(each));
  if (fault !== undefined) return { fault: placed(fault, place) };

  const sources = new Map(
    given.map(({ name, value }) => [name, text.slice(value.offset, value.offset + value.length)]),
  );
  const all = withUnlisted(fields, [...sources.keys()]);
  const old = alignValues(all, before).inputs;
  const metaText =
    meta === undefined
      ? ""
      : keepSame(
          before.meta,
          outdented(text.slice(meta.value.offset, meta.value.offset + meta.value.length), 2),
        );
  return {
    fields: all,
    values: {
      ...before,
      ...keepCallbacks(before, callbacks),
      inputs: all.map((field, index) =>
        read(field, old[index] ?? { name: field.name, ...field.initial }, sources.get(field.name)),
      ),
      meta: metaText,
      json: text,
    },
    secrets,
    kept: edited(text, [
      ...secrets.map(({ cut }) => ({ at: cut, text: "" })),
      ...faults
        .filter(({ kind }) => kind === "address")
        .map(({ at }) => ({ at, text: keptAddressAt(text.slice(at.start, at.end)) })),
    ]),
    wrong: faults.map((each) => placed(each, place)),
  };
}

/** The same for an address as it stands in the text. */
function keptAddressAt(json: string): string {
  const address = String(JSON.parse(json));
  const kept = keptAddress(address);
  return kept === address ? json : JSON.stringify(kept);
}

const bodyMembers: readonly string[] = ["inputs", "meta", ...callbackMembers];

function placed({ at, ...fault }: CallbackFault, placeOf: (span: Span) => Place): JsonViewFault {
  return { ...fault, ...placeOf(at) };
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
  return typed.mode === "json" || (typed.mode === "fitting" && typeof value === "number")
    ? { mode: typed.mode, text: outdented(source, indent.length) }
    : typed;
}

function keepSame(before: string, now: string): string {
  return squeezed(before) === squeezed(now) ? before : now;
}

/** JSON without the white space between its parts. */
function squeezed(json: string): string {
  return json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_, text: string | undefined) => text ?? "");
}

/** A value as a member of the whole. */
function nested(json: string): string {
  return json.replaceAll("\n", "\n  ");
}

/** A value without the indentation that it had as a member. */
function outdented(source: string, spaces: number): string {
  return source.replace(new RegExp(`\\n {1,${spaces}}`, "g"), "\n");
}
