import type { Node } from "jsonc-parser";
import { forEachCallback, keptAddress, writeCallbacks, type TypedCallbacks } from "../callbacks.ts";
import { edited, membersOf, readJson, type JsonFault, type Member } from "../json.ts";
import {
  readKickoffJson,
  secretWord,
  type FoundSecret,
  type KickoffFault,
} from "../kickoff-json.ts";
import { asTyped, withUnlisted, type FieldValue, type FormField } from "./fields.ts";
import { alignValues, jsonOf, type FormValues, type NamedValue } from "./values.ts";
import { defined, laidOutJson } from "../../base/json.ts";

type Placed<Fault> = Fault extends unknown
  ? Omit<Fault, "at"> & { readonly line: number; readonly column: number }
  : never;

export type JsonViewFault =
  | ({ readonly kind: "notJson" } & JsonFault)
  | Placed<KickoffFault | { readonly kind: "noInputs"; readonly at: unknown }>;

export interface Filled {
  readonly fields: readonly FormField[];
  readonly values: FormValues;
}

/** Inputs without a field get one. */
export interface JsonViewValues extends Filled {
  readonly secrets: readonly FoundSecret[];
  readonly kept: string;
  /** What the form can hold but not send: invalid addresses and missing parts. */
  readonly wrong: readonly JsonViewFault[];
}

const indent = "    ";

/** Without secrets. Values stay as typed, so that no digit is lost. */
export function writeJsonView(values: Omit<FormValues, "json">): string {
  const { inputs, meta, restoreFromStateId = "", extra = "" } = values;
  const nested = (json: string) => json.replaceAll("\n", "\n  ");
  const members = inputs.flatMap((value) => {
    const json = jsonOf(value);
    return json === undefined
      ? []
      : [`${indent}${JSON.stringify(value.name)}: ${json.replaceAll("\n", `\n${indent}`)}`];
  });
  const written = [
    ["inputs", members.length === 0 ? "{}" : `{\n${members.join(",\n")}\n  }`],
    ...(meta.trim() === "" ? [] : [["meta", nested(meta.trim())]]),
    ...(restoreFromStateId === ""
      ? []
      : [["restoreFromStateId", JSON.stringify(restoreFromStateId)]]),
    ...Object.entries(writeCallbacks(values)).map(([name, value]) => [
      name,
      nested(laidOutJson(value)),
    ]),
    ...(extra.trim() === "" ? [] : [["extra", nested(extra.trim())]]),
  ];
  return `{\n${written.map(([name, json]) => `  "${name}": ${json}`).join(",\n")}\n}`;
}

/** Unchanged fields stay; a removed input is left out, unless it was blank. */
export function readJsonView(
  fields: readonly FormField[],
  before: FormValues,
  text: string,
): JsonViewValues | { readonly fault: JsonViewFault } {
  const reading = readJson(text);
  if ("fault" in reading) return { fault: { kind: "notJson", ...reading.fault } };
  const json = readKickoffJson(text);
  const placeOf = (offset: number) => ({
    line: text.slice(0, offset).split("\n").length,
    column: offset - text.lastIndexOf("\n", offset - 1),
  });
  const placed = ({ at, ...fault }: KickoffFault) => ({ ...fault, ...placeOf(at.start) });
  const isHeld = ({ kind }: KickoffFault) => kind === "address" || kind === "missingPart";
  const fault = json.faults.find((each) => !isHeld(each));
  if (fault !== undefined) return { fault: placed(fault) };
  if (json.root === undefined || !json.members.has("inputs"))
    return { fault: { kind: "noInputs", ...placeOf(json.root?.offset ?? 0) } };

  const sourceOf = (node: Node) => text.slice(node.offset, node.offset + node.length);
  const sources = new Map(json.inputs.map(({ name, value }) => [name, sourceOf(value)]));
  const textOf = (name: string) => {
    const member = json.members.get(name);
    return member === undefined ? "" : outdented(sourceOf(member.value), 2);
  };
  const metaText = textOf("meta");
  const others = { ...before };
  for (const name of ["restoreFromStateId", "extra"] as const) Reflect.deleteProperty(others, name);
  const all = withUnlisted(fields, [...sources.keys()]);
  const old = alignValues(all, before).inputs;
  const addresses = json.faults.filter(({ kind }) => kind === "address");
  return {
    fields: all,
    values: {
      ...others,
      ...keepCallbacks(before, json),
      inputs: all.map((field, index) =>
        read(field, old[index] ?? { name: field.name, ...field.initial }, sources.get(field.name)),
      ),
      meta: squeezed(before.meta) === squeezed(metaText) ? before.meta : metaText,
      ...defined({
        restoreFromStateId: json.values.restoreFromStateId,
        extra: textOf("extra") || undefined,
      }),
      json: text,
    },
    secrets: json.secrets,
    kept: edited(text, [
      ...json.secrets.map(({ cut }) => ({ at: cut, text: "" })),
      ...addresses.map(({ at }) => ({ at, text: keptJson(text.slice(at.start, at.end)) })),
    ]),
    wrong: json.faults.map(placed),
  };
}

/**
 * A pasted text with the members that a kickoff doesn't have moved to `extra`. Undefined if there are none, or if the
 * text can't be read even then.
 */
export function movedToExtra(text: string): string | undefined {
  const { root, syntax, faults, members } = readKickoffJson(text);
  const isUnknown = (name: string) =>
    faults.some((fault) => fault.kind === "otherMember" && fault.name === name);
  const all = root === undefined || syntax !== undefined ? [] : membersOf(root);
  const moved = all.filter(({ name }) => isUnknown(name) && !secretWord.test(name));
  if (moved.length === 0 || !members.has("inputs") || members.has("extra")) return undefined;
  const line = ({ name, value }: Member, indent: string) =>
    `${indent}${JSON.stringify(name)}: ${text.slice(value.offset, value.offset + value.length)}`;
  const kept = all.filter((member) => !moved.includes(member)).map((each) => line(each, "  "));
  const extra = `  "extra": {\n${moved.map((each) => line(each, indent)).join(",\n")}\n  }`;
  return `{\n${[...kept, extra].join(",\n")}\n}`;
}

function keepCallbacks(before: TypedCallbacks, now: TypedCallbacks): TypedCallbacks {
  const [was, is] = [writeCallbacks(before), writeCallbacks(now)];
  const isSame = (name: keyof typeof was) => JSON.stringify(was[name]) === JSON.stringify(is[name]);
  const isSameHuman = isSame("humanInputWebhookUrl") && isSame("humanInputWebhook");
  return {
    callbacks: forEachCallback(
      (name) =>
        (before.callbacks[name].trim() === now.callbacks[name] ? before : now).callbacks[name],
    ),
    humanInput: (isSameHuman ? before : now).humanInput,
    streaming: (isSame("webhooks") ? before : now).streaming,
  };
}

function keptJson(json: string): string {
  const address = String(JSON.parse(json));
  const kept = keptAddress(address);
  return kept === address ? json : JSON.stringify(kept);
}

function read(field: FormField, old: NamedValue, source: string | undefined): NamedValue {
  const before = jsonOf(old);
  if (source === undefined) return before === undefined ? old : { ...old, mode: "omit" };
  if (before !== undefined && squeezed(before) === squeezed(source)) return old;
  return { name: field.name, ...typed(field, source) };
}

function typed(field: FormField, source: string): FieldValue {
  const reading = readJson(source);
  const value = "value" in reading ? reading.value : null;
  const typed = asTyped(value, field);
  // A text is the same however it is written; anything else stays as typed.
  return typed.mode === "json" || (typed.mode === "fitting" && typeof value === "number")
    ? { mode: typed.mode, text: outdented(source, indent.length) }
    : typed;
}

function squeezed(json: string): string {
  return json.replace(/("(?:[^"\\]|\\.)*"?)|\s+/g, (_, text: string | undefined) => text ?? "");
}

function outdented(source: string, spaces: number): string {
  return source.replace(new RegExp(`\\n {1,${spaces}}`, "g"), "\n");
}
