import * as l10n from "@vscode/l10n";
import { defined, laidOutJson } from "../../base/json.ts";
import { toCallbacks, typedCallbacks, type Prefill } from "../callbacks.ts";
import { spanOf, type Span } from "../json.ts";
import { readKickoffJson, requestFileOwn, secretWord, type KickoffFault } from "../kickoff-json.ts";

export interface RequestFile {
  readonly crew?: string;
  readonly label?: string;
  readonly values: Prefill;
  readonly faults: readonly KickoffFault[];
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
  const faults: KickoffFault[] = [
    ...(json.syntax ? [json.syntax] : []),
    ...secrets.map(({ name, key }) => secretFault(name, key)),
    ...others.map((fault) =>
      // An unknown member may be a secret.
      ["otherMember", "otherPart"].includes(fault.kind) && secretWord.test(fault.name ?? "")
        ? secretFault(fault.name ?? "", fault.at)
        : fault,
    ),
  ];
  if (isCrewMissing)
    faults.push({
      kind: "noCrew",
      at: places.crew,
      text: l10n.t(
        "“crew” is missing: the name or address of a connected crew, or the folder of a project, such as ./.",
      ),
    });
  return {
    ...defined({ crew: texts.get("crew") || undefined, label: texts.get("label") || undefined }),
    values: json.values,
    faults,
    places,
  };
}

function secretFault(name: string, at: Span): KickoffFault {
  const text = l10n.t(
    "A request file holds no secrets, because it is shared: remove “{0}”. The crew's token is kept by Crewdeck, and a callback's secret is entered in the form.",
    name,
  );
  return { kind: "secret", name, at, text };
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
