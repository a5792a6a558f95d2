import { parseTree, printParseErrorCode, type Node, type ParseError } from "jsonc-parser";
import type { JsonValue } from "../../api/types.ts";
import { expectedAfter, type Expected } from "../json.ts";
import { membersOf, spanOf, type Span } from "../json-tree.ts";
import { namesSecret } from "../secret-words.ts";
import {
  callbackMembers,
  readCallbacks,
  type CallbackFault,
  type Wanted,
} from "../kickoff-json.ts";
import { isJsonObject, toCallbacks, type Prefill } from "../form/values.ts";

/** What is wrong with a request file, and where; whoever shows it finds the words. */
export type FileFault =
  | ({ readonly at: Span } & (
      | { readonly kind: "syntax"; readonly expected: Expected }
      | { readonly kind: "tooDeep" }
      | { readonly kind: "notAnObject" }
      | { readonly kind: "noCrew" }
      | { readonly kind: "wrongType"; readonly name: string; readonly wanted: Wanted }
      | { readonly kind: "unknownMember"; readonly name: string }
      /** A member that holds a token or a password, which a shared file must not. */
      | { readonly kind: "secret"; readonly name: string }
    ))
  | CallbackFault;

/** A request file as it was read: what can be used of it, and what is wrong with it. */
export interface RequestFile {
  /** Name or address of the crew. */
  readonly crew?: string;
  /** The title that the execution gets. */
  readonly label?: string;
  /** The secrets of its callbacks are entered in the form. */
  readonly values: Prefill;
  readonly faults: readonly FileFault[];
  readonly places: Places;
}

/** Where faults that are found later are shown. */
export interface Places {
  readonly crew: Span;
  readonly inputs: Span;
  /** Each input's value, by the input's name. */
  readonly input: ReadonlyMap<string, Span>;
  /** Each input's name itself. */
  readonly inputName: ReadonlyMap<string, Span>;
}

/** Members of a request file beside the callbacks' addresses. `$schema` is an editor's own. */
const otherMembers = ["crew", "label", "inputs", "meta", "$schema"] as const;
/** All members that a request file may have. */
export const requestFileMembers: readonly string[] = [...otherMembers, ...callbackMembers];

const firstLine: Span = { start: 0, end: 1 };

/** Reads a request file: JSON in which comments and trailing commas may stand. Never throws. */
export function readRequestFile(text: string): RequestFile {
  const errors: ParseError[] = [];
  let tree: Node | undefined;
  try {
    tree = parseTree(text, errors, { allowTrailingComma: true });
  } catch (error) {
    // The parser calls itself for each level, and only the stack's end stops it.
    if (!(error instanceof RangeError)) throw error;
    return nothing({ kind: "tooDeep", at: firstLine });
  }
  const [error] = errors;
  const syntax: FileFault[] =
    error === undefined
      ? []
      : [
          {
            kind: "syntax",
            expected: expectedAfter(printParseErrorCode(error.error)),
            at: { start: error.offset, end: error.offset + Math.max(1, error.length) },
          },
        ];
  if (tree?.type !== "object")
    return nothing(
      ...syntax,
      ...(tree === undefined ? [] : [{ kind: "notAnObject", at: spanOf(tree) } as const]),
    );
  return readMembers(tree, syntax);
}

function readMembers(tree: Node, syntax: readonly FileFault[]): RequestFile {
  const faults: FileFault[] = [...syntax];
  const texts = new Map<string, string>();
  const objects = new Map<string, Readonly<Record<string, JsonValue>>>();
  let crew: Span | undefined;
  let inputs: Node | undefined;
  const members = membersOf(tree);
  for (const { name, key, value } of members) {
    if (!requestFileMembers.includes(name)) {
      faults.push({ kind: namesSecret(name) ? "secret" : "unknownMember", name, at: spanOf(key) });
    } else if (name === "inputs" || name === "meta") {
      const read = toJson(value);
      if (isJsonObject(read)) objects.set(name, read);
      else faults.push({ kind: "wrongType", name, wanted: "object", at: spanOf(value) });
      if (name === "inputs") inputs = value;
    } else if (otherMembers.some((other) => other === name)) {
      if (value.type !== "string")
        faults.push({ kind: "wrongType", name, wanted: "text", at: spanOf(value) });
      else if (String(value.value).trim() !== "") texts.set(name, String(value.value).trim());
    }
    if (name === "crew") crew = spanOf(value);
  }
  const { secrets, faults: wrong, ...callbacks } = readCallbacks(members);
  // A secret where it does not belong is told once.
  const others = wrong.filter(({ at }) => !secrets.some(({ key }) => key.start === at.start));
  faults.push(
    ...secrets.map(({ name, key }) => ({ kind: "secret", name, at: key }) as const),
    ...others.map(asFileFault),
  );
  const named = texts.get("crew");
  if (
    named === undefined &&
    !faults.some((fault) => fault.kind === "wrongType" && fault.name === "crew")
  )
    faults.push({ kind: "noCrew", at: crew ?? firstLine });
  const label = texts.get("label");
  const given = inputs === undefined ? [] : membersOf(inputs);
  return {
    ...(named === undefined ? {} : { crew: named }),
    ...(label === undefined ? {} : { label }),
    values: { ...Object.fromEntries(objects), ...toCallbacks(callbacks) },
    faults,
    places: {
      crew: crew ?? firstLine,
      inputs: inputs === undefined ? firstLine : spanOf(inputs.parent?.children?.[0] ?? inputs),
      input: new Map(given.map(({ name, value }) => [name, spanOf(value)])),
      inputName: new Map(given.map(({ name, key }) => [name, spanOf(key)])),
    },
  };
}

function nothing(...faults: readonly FileFault[]): RequestFile {
  const all: readonly FileFault[] =
    faults.length > 0 ? faults : [{ kind: "notAnObject", at: firstLine }];
  return {
    values: {},
    faults: all,
    places: { crew: firstLine, inputs: firstLine, input: new Map(), inputName: new Map() },
  };
}

/** A secret that stands in a callback where it would not even be read. */
function asFileFault(fault: CallbackFault): FileFault {
  return fault.kind === "otherPart" && namesSecret(fault.name)
    ? { kind: "secret", name: fault.name, at: fault.at }
    : fault;
}

/** A node as plain JSON. Unlike an assignment, fromEntries makes `__proto__` a property like any other. */
function toJson(node: Node): JsonValue {
  if (node.type === "array") return (node.children ?? []).map(toJson);
  if (node.type === "object")
    return Object.fromEntries(membersOf(node).map(({ name, value }) => [name, toJson(value)]));
  const value: unknown = node.value;
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : null;
}
