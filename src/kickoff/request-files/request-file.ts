import { defined } from "../../base/json.ts";
import { callbackMembers, toCallbacks, typedCallbacks, type Prefill } from "../callbacks.ts";
import { spanOf, type Expected, type Span } from "../json.ts";
import { namesSecret, readKickoffJson, type KickoffFault } from "../kickoff-json.ts";

/** A problem in a request file and its place. */
export type FileFault =
  | KickoffFault
  | ({ readonly at: Span } & (
      | { readonly kind: "syntax"; readonly expected: Expected }
      | { readonly kind: "noCrew" }
      /** A token or a password, which a shared file must not have. */
      | { readonly kind: "secret"; readonly name: string }
    ));

/** What a request file says, without secrets, and its problems. */
export interface RequestFile {
  /** Name or address of the crew. */
  readonly crew?: string;
  readonly label?: string;
  readonly values: Prefill;
  readonly faults: readonly FileFault[];
  readonly places: Places;
}

/** Where problems that are found later are shown. */
export interface Places {
  readonly crew: Span;
  readonly inputs: Span;
  readonly input: ReadonlyMap<string, Span>;
  readonly inputName: ReadonlyMap<string, Span>;
}

/** Members of a request file that are texts. `$schema` is for editors. */
const ownMembers = ["crew", "label", "$schema"] as const;

export const requestFileMembers: readonly string[] = [
  ...ownMembers,
  "inputs",
  "meta",
  ...callbackMembers,
];

const firstLine: Span = { start: 0, end: 1 };

/** Reads a request file: JSON with comments and trailing commas. Never throws. */
export function readRequestFile(text: string): RequestFile {
  const json = readKickoffJson(text, ownMembers);
  const { members, texts, secrets } = json;
  const crew = members.get("crew");
  const isCrewMissing =
    json.root !== undefined &&
    texts.get("crew") === "" &&
    (crew === undefined || crew.value.type === "string");
  // A secret in the wrong place is reported once.
  const others = json.faults.filter(({ at }) => !secrets.some(({ key }) => key.start === at.start));
  const faults: FileFault[] = [
    ...(json.syntax ? [{ kind: "syntax", ...json.syntax } as const] : []),
    ...secrets.map(({ name, key }) => ({ kind: "secret", name, at: key }) as const),
    ...others.map(asFileFault),
    ...(isCrewMissing
      ? [{ kind: "noCrew", at: crew ? spanOf(crew.value) : firstLine } as const]
      : []),
  ];
  const inputs = members.get("inputs");
  return {
    ...defined({ crew: texts.get("crew") || undefined, label: texts.get("label") || undefined }),
    values: json.values,
    faults,
    places: {
      crew: crew ? spanOf(crew.value) : firstLine,
      inputs: inputs ? spanOf(inputs.key) : firstLine,
      input: new Map(json.inputs.map(({ name, value }) => [name, spanOf(value)])),
      inputName: new Map(json.inputs.map(({ name, key }) => [name, spanOf(key)])),
    },
  };
}

/** A member that doesn't belong there may be a secret. */
function asFileFault(fault: KickoffFault): FileFault {
  return (fault.kind === "otherMember" || fault.kind === "otherPart") && namesSecret(fault.name)
    ? { kind: "secret", name: fault.name, at: fault.at }
    : fault;
}

/** A request file's text: indented JSON without secrets. */
export function writeRequestFile(crew: string, values: Prefill, label?: string): string {
  const { inputs = {}, meta } = values;
  // As typed in the form, so that a stray secret is left out.
  const callbacks = toCallbacks(typedCallbacks(values));
  const file = { crew, ...defined({ label }), inputs, ...defined({ meta }), ...callbacks };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}
