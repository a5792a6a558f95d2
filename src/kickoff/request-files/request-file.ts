import { defined, laidOutJson } from "../../base/json.ts";
import { toCallbacks, typedCallbacks, type Prefill } from "../callbacks.ts";
import { spanOf, type Expected, type Span } from "../json.ts";
import { readKickoffJson, requestFileOwn, secretWord, type KickoffFault } from "../kickoff-json.ts";

export type FileFault =
  | KickoffFault
  | ({ readonly at: Span } & (
      | { readonly kind: "syntax"; readonly expected: Expected }
      | { readonly kind: "noCrew" }
      /** A token or a password, which a shared file must not have. */
      | { readonly kind: "secret"; readonly name: string }
    ));

export interface RequestFile {
  readonly crew?: string;
  readonly label?: string;
  readonly values: Prefill;
  readonly faults: readonly FileFault[];
  readonly places: {
    readonly crew: Span;
    readonly inputs: Span;
    readonly input: ReadonlyMap<string, Span>;
    readonly inputName: ReadonlyMap<string, Span>;
  };
}

/** No longer file is read (characters): this one could come from a cloned repository. */
export const longestFile = 1_000_000;

const firstLine: Span = { start: 0, end: 1 };

/** Reads JSON with comments and trailing commas. Never throws. */
export function readRequestFile(text: string): RequestFile {
  const json = readKickoffJson(text, requestFileOwn);
  const { members, texts, secrets } = json;
  const [crew, inputs] = [members.get("crew"), members.get("inputs")];
  const places = {
    crew: crew ? spanOf(crew.value) : firstLine,
    inputs: inputs ? spanOf(inputs.key) : firstLine,
    input: new Map(json.inputs.map(({ name, value }) => [name, spanOf(value)])),
    inputName: new Map(json.inputs.map(({ name, key }) => [name, spanOf(key)])),
  };
  const isCrewMissing =
    json.root !== undefined &&
    texts.get("crew") === "" &&
    (crew === undefined || crew.value.type === "string");
  // A misplaced secret is reported once.
  const others = json.faults.filter(({ at }) => !secrets.some(({ key }) => key.start === at.start));
  const faults: FileFault[] = [
    ...(json.syntax ? [{ kind: "syntax", ...json.syntax } as const] : []),
    ...secrets.map(({ name, key }) => ({ kind: "secret", name, at: key }) as const),
    ...others.map((fault) =>
      // An unknown member may be a secret.
      (fault.kind === "otherMember" || fault.kind === "otherPart") && secretWord.test(fault.name)
        ? ({ kind: "secret", name: fault.name, at: fault.at } as const)
        : fault,
    ),
    ...(isCrewMissing ? [{ kind: "noCrew", at: places.crew } as const] : []),
  ];
  return {
    ...defined({ crew: texts.get("crew") || undefined, label: texts.get("label") || undefined }),
    values: json.values,
    faults,
    places,
  };
}

export function writeRequestFile(crew: string, values: Prefill, label?: string): string {
  const { inputs = {}, meta, restoreFromStateId, extra } = values;
  // As in the form, so that a stray secret is left out.
  const callbacks = toCallbacks(typedCallbacks(values));
  const file = {
    crew,
    ...defined({ label }),
    inputs,
    ...defined({ meta, restoreFromStateId }),
    ...callbacks,
    ...defined({ extra }),
  };
  return `${laidOutJson(file)}\n`;
}
