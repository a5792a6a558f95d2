import * as l10n from "@vscode/l10n";
import { findNodeAtLocation } from "jsonc-parser";
import * as v from "valibot";
import { isRequired } from "../../api/read-inputs.ts";
import type { CrewInputs, InputField, JsonObject, JsonValue } from "../../api/types.ts";
import { defined, isObject, laidOutJson, textAt } from "../../base/json.ts";
import type { Crew } from "../../crews/types.ts";
import {
  callbackFaults,
  forEachCallback,
  type Prefill,
  type SecretName,
  strategies,
  toCallbacks,
  typedCallbacks,
} from "../callbacks.ts";
import { type JsonFault, parse, type Span, spanOf } from "../json.ts";

/** A problem in a kickoff's JSON, or in a request file, and its place. */
export interface KickoffFault extends Omit<JsonFault, "kind"> {
  /**
   * `schema`: VS Code's JSON support reports it, too; `unknown`: no kickoff has this member; `unfinished`: the form
   * marks it, too; `unlisted`: still sent, since the crew may accept more inputs than it lists.
   */
  readonly kind:
    JsonFault["kind"] | "schema" | "unknown" | "unfinished" | "unknownCrew" | "input" | "unlisted";
}

// Null and "" mean none, since clients send all of them.
const text = v.nullish(v.string(), "");
const trimmed = v.nullish(v.pipe(v.string(), v.trim()), "");
const object = v.nullish(v.custom<JsonObject>(isObject));

function authentication<const Kind extends string>(kinds: readonly Kind[]) {
  const strategy = v.nullish(v.picklist(["", ...kinds] as const), "");
  return v.nullish(v.strictObject({ strategy, username: text, token: text, password: text }), {});
}

type Authentication = v.InferOutput<ReturnType<typeof authentication<"basic" | "bearer">>>;

/** Whether it has no part of another strategy, and is sent somewhere if it authenticates. */
function isConsistent(callback: { readonly url: string; readonly authentication: Authentication }) {
  const { strategy, username, token, password } = callback.authentication;
  const others = { basic: token, bearer: username + password, "": username + token + password };
  return others[strategy] === "" && (strategy === "" || callback.url !== "");
}

const human = v.pipe(
  v.strictObject({ url: trimmed, authentication: authentication(strategies) }),
  v.check(isConsistent),
);
const stream = v.pipe(
  v.strictObject({
    url: trimmed,
    events: v.nullish(v.array(v.pipe(v.string(), v.regex(/^[^\s,]+$/))), []),
    realtime: v.nullish(v.boolean(), false),
    authentication: authentication(["bearer"]),
  }),
  v.check((given) => isConsistent(given) && (given.url !== "" || given.events.length === 0)),
);
const ofTest = v.optional(v.unknown());
/** Of a request file, of which a kickoff has all but the first four and those of a test. `$schema` is for editors. */
const body = {
  ...{ crew: trimmed, label: trimmed, $schema: text, extra: object },
  ...{ inputs: object, meta: object, restoreFromStateId: trimmed },
  ...forEachCallback(() => trimmed),
  humanInputWebhook: v.nullish(human, {}),
  webhooks: v.nullish(stream, {}),
  approveTools: v.nullish(v.array(v.pipe(v.string(), v.nonEmpty())), []),
  limits: v.nullish(
    v.strictObject({
      tokens: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1))),
      dollars: v.exactOptional(v.pipe(v.number(), v.gtValue(0))),
    }),
    {},
  ),
  ...{ answers: ofTest, expect: ofTest, cases: ofTest, tools: ofTest },
};
const schema = v.object(body);
export const requestFileMembers = Object.keys(body);
type Body = v.InferOutput<typeof schema>;
type Path = readonly string[];

const secretWord =
  /token|pass(?=w|phrase|code|key|[^a-z]|$)|pwd|secret|api[-_ ]?key|authenti|authori[sz]|\bauth\b|credential|bearer/i;

function misplacedText(name: string): string {
  return secretWord.test(name)
    ? l10n.t(
        "Remove “{0}”: this is saved or shared, so it holds no secrets. Enter a callback's secret in the form.",
        name,
      )
    : l10n.t("“{0}” does not belong here.", name);
}

/** A kickoff or a request file, with comments and trailing commas. Never throws. */
function readKickoff(text: string) {
  const { root, value, faults: found } = parse(text, { allowTrailingComma: true });
  const faults: KickoffFault[] = [...found];
  /** The name of the member, or of what it would be in. */
  const at = (path: Path): Span => {
    const node = root && findNodeAtLocation(root, [...path]);
    if (node !== undefined) return spanOf(node.parent?.children?.[0] ?? node);
    return path.length === 0 ? { start: 0, end: 1 } : at(path.slice(0, -1));
  };
  const add = (kind: KickoffFault["kind"], path: Path, text: string) =>
    faults.push({ kind, at: at(path), text });
  const given = isObject(value) ? value : {};
  if (!isObject(value) && found.length === 0) {
    const example = '{"crew": "Travel", "inputs": {}}';
    add("schema", [], l10n.t("A request file is a JSON object, such as {0}.", example));
  }
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(body, name));
  for (const name of unknown) add("unknown", [name], misplacedText(name));
  const { typed, output, issues = [] } = v.safeParse(schema, given);
  for (const { type, path = [] } of issues) {
    const names = path.map(({ key }) => String(key));
    const name = names.at(-1) ?? "";
    if (type === "strict_object") add("wrong", names, misplacedText(name));
    else if (type === "check")
      add("wrong", names, l10n.t("“{0}” is incomplete or contradicts itself.", name));
    else add("schema", names, l10n.t("“{0}” has a wrong type or value.", name));
  }
  const read: Body = typed ? output : v.parse(schema, {});
  if (read.humanInputWebhookUrl !== "" && read.humanInputWebhook.url !== "")
    add("wrong", ["humanInputWebhookUrl"], misplacedText("humanInputWebhookUrl"));
  for (const [part, { text }] of callbackFaults(typedIn(read)))
    add("unfinished", placeOf(part, read), text);
  const misplaced = read.extra ? extraFault(read.extra) : undefined;
  if (misplaced !== undefined) add("wrong", ["extra"], misplaced);
  return { given, read, values: valuesOf(read), unknown, faults, at };
}

/** As the form has them, without secrets. */
function typedIn({ humanInputWebhook: human, webhooks, ...texts }: Body) {
  const { strategy, username } = human.authentication;
  return {
    ...texts,
    ...(human.url !== "" && { humanInputWebhookUrl: human.url }),
    strategy,
    username: strategy === "basic" ? username : "",
    streamingUrl: webhooks.url,
    events: webhooks.events.join("\n"),
    realtime: webhooks.realtime ? "true" : "",
    streamingStrategy: webhooks.authentication.strategy,
  };
}

function valuesOf(read: Body): Prefill {
  const { inputs, meta, extra, approveTools, limits } = read;
  const rules = {
    ...(approveTools.length > 0 && { approveTools }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
  return {
    ...defined({ inputs: inputs ?? undefined, meta: meta ?? undefined }),
    ...defined({ restoreFromStateId: read.restoreFromStateId || undefined }),
    ...defined({ extra: extra ?? undefined }),
    ...(Object.keys(rules).length > 0 && { rules }),
    ...toCallbacks(typedIn(read)),
  };
}

/** Where what the form has in a box of its own is in a file. */
function placeOf(part: string, { humanInputWebhook: human }: Body): Path {
  if (part === "username") return ["humanInputWebhook", "authentication", "username"];
  if (part === "streamingUrl") return ["webhooks", "url"];
  if (part === "events") return ["webhooks", "events"];
  return part === "humanInputWebhookUrl" && human.url !== ""
    ? ["humanInputWebhook", "url"]
    : [part];
}

/** In “extra”, a secret would be stored, and a member that has its own place would be overwritten. */
export function extraFault(extra: JsonObject): string | undefined {
  const values: JsonValue[] = [extra];
  // Not recursive: it may be deep.
  for (const value of values) {
    if (typeof value !== "object" || value === null) continue;
    for (const [name, member] of Object.entries(value)) {
      const hasPlace = value === extra && Object.hasOwn(body, name);
      if (hasPlace || secretWord.test(name)) return misplacedText(name);
      values.push(member);
    }
  }
  return undefined;
}

export type RequestFile = ReturnType<typeof readRequestFile>;

/** No longer file is read (characters): this one could come from a cloned repository. */
export const longestFile = 1_000_000;

export function readRequestFile(text: string) {
  const { given, read, values, faults, at } = readKickoff(text);
  const crew = textAt(given, "crew")?.trim();
  const others: KickoffFault[] = secretsIn(read).map(({ path }) => ({
    kind: "wrong",
    at: at(path),
    text: misplacedText(path.at(-1) ?? ""),
  }));
  if (crew === undefined && !["answers", "expect", "cases"].some((name) => name in given))
    others.push({
      kind: "schema",
      at: at(["crew"]),
      text: l10n.t(
        "“crew” is missing: the name or address of a connected crew, or the folder of a project, such as ./.",
      ),
    });
  const label = textAt(given, "label")?.trim();
  return { ...defined({ crew, label }), values, faults: [...faults, ...others], at };
}

function secretsIn({ humanInputWebhook, webhooks }: Body) {
  const human = ["humanInputWebhook", "authentication"];
  const stream = ["webhooks", "authentication"];
  const { token, password } = humanInputWebhook.authentication;
  const secrets: readonly { of: SecretName; path: Path; text: string }[] = [
    { of: "humanInput", path: [...human, "token"], text: token },
    { of: "humanInput", path: [...human, "password"], text: password },
    { of: "streaming", path: [...stream, "token"], text: webhooks.authentication.token },
  ];
  return secrets.filter(({ text }) => text !== "");
}

export function writeRequestFile(crew: string, values: Prefill, label?: string): string {
  const { inputs = {}, meta, restoreFromStateId, extra, rules } = values;
  // As in the form, so that a stray secret is left out.
  const callbacks = toCallbacks(typedCallbacks(values));
  const { approveTools, limits } = rules ?? {};
  const own = { approveTools, limits };
  const file = { crew, label, inputs, meta, restoreFromStateId, ...own, ...callbacks, extra };
  return `${laidOutJson(defined(file))}\n`;
}

export interface PastedKickoff {
  readonly values: Prefill;
  readonly secrets: readonly { readonly of: SecretName; readonly text: string }[];
  /** Unknown members, which became `extra`, from where they are sent as they are. */
  readonly moved: readonly string[];
}

/** A kickoff's body, as clients send it. Undefined without `inputs`; `refused` says why the form can't take it. */
export function readPastedKickoff(
  text: string,
): PastedKickoff | { readonly refused: string } | undefined {
  const { given, read, values, unknown: moved, faults } = readKickoff(text);
  if (!Object.hasOwn(given, "inputs")) return undefined;
  const others = Object.entries(given as JsonObject).filter(([name]) => moved.includes(name));
  const extra: JsonObject = { ...values.extra, ...Object.fromEntries<JsonValue>(others) };
  const reason =
    faults.find(({ kind }) => kind !== "unknown" && kind !== "unfinished")?.text ??
    extraFault(extra);
  if (reason !== undefined)
    return { refused: l10n.t("The pasted kickoff was not taken: {0}", reason) };
  return {
    values: moved.length === 0 ? values : { ...values, extra },
    secrets: secretsIn(read),
    moved,
  };
}

export function checkRequestFile(
  { crew: name = "", values, faults, at }: RequestFile,
  crew: Crew | undefined,
  inputs: CrewInputs | undefined,
): readonly KickoffFault[] {
  const unknown = name.startsWith(".")
    ? l10n.t("The crew in the folder “{0}” was not started here yet.", name)
    : l10n.t("No crew named “{0}” is connected here.", name);
  return [
    ...faults,
    ...(name === "" || crew !== undefined
      ? []
      : [{ kind: "unknownCrew" as const, at: at(["crew"]), text: unknown }]),
    ...(crew === undefined || crew.local ? [] : Object.keys(values.rules ?? {})).map((name) => ({
      ...{ kind: "wrong" as const, at: at([name]) },
      text: l10n.t("Only a local crew can let calls wait for you: remove “{0}”.", name),
    })),
    ...checkInputs(values.inputs, inputs?.fields).map(({ kind, name, text }) => ({
      ...{ kind, text },
      at: at(["inputs", name]),
    })),
  ];
}

interface InputFault {
  readonly kind: "input" | "unlisted";
  readonly name: string;
  readonly text: string;
}

/** @param fields undefined if they aren't known */
export function checkInputs(
  inputs: JsonObject = {},
  fields: readonly InputField[] | undefined,
): readonly InputFault[] {
  if (fields === undefined) return [];
  const given = new Map(Object.entries(inputs));
  const listed = new Set(fields.map(({ name }) => name));
  return [
    ...fields.flatMap((field): InputFault[] => {
      const { name } = field;
      const value = given.get(name);
      const text =
        value !== undefined
          ? faultOf(value, field)
          : isRequired(field)
            ? l10n.t("The input “{0}” is missing: the crew needs it.", name)
            : undefined;
      return text === undefined ? [] : [{ kind: "input", name, text }];
    }),
    ...[...given.keys()]
      .filter((name) => !listed.has(name))
      .map((name) => ({
        kind: "unlisted" as const,
        name,
        text: l10n.t("The crew doesn't list the input “{0}”. It will still be sent.", name),
      })),
  ];
}

function faultOf(value: JsonValue, { name, type, enum: choices }: InputField): string | undefined {
  if (type !== undefined && !isOfType(value, type))
    return l10n.t("The crew accepts only this for “{0}”: {1}.", name, type);
  const accepted = choices?.map((choice) => JSON.stringify(choice));
  if (accepted === undefined || accepted.includes(JSON.stringify(value))) return undefined;
  const shown = [...accepted.slice(0, 10), ...(accepted.length > 10 ? ["…"] : [])].join(", ");
  return l10n.t("The crew accepts only this for “{0}”: {1}.", name, shown);
}

function isOfType(value: JsonValue, type: NonNullable<InputField["type"]>): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  return type === "object" ? isObject(value) : typeof value === type;
}

export const isHarmless = ({ kind }: Pick<KickoffFault, "kind">): boolean => kind === "unlisted";
