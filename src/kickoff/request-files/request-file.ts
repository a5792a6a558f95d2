import * as l10n from "@vscode/l10n";
import { findNodeAtLocation, type Node } from "jsonc-parser";
import * as v from "valibot";
import type { JsonObject, JsonValue } from "../../api/types.ts";
import { asObject, defined, isObject, laidOutJson } from "../../base/json.ts";
import {
  addressFault,
  callbackNames,
  forEachCallback,
  type Prefill,
  type SecretName,
  strategies,
  toCallbacks,
  typedCallbacks,
} from "../callbacks.ts";
import {
  firstLine,
  type JsonFault,
  type Member,
  membersOf,
  parse,
  type Span,
  spanOf,
} from "../json.ts";

/** A problem in a kickoff's JSON, or in a request file, and its place. */
export interface KickoffFault extends Omit<JsonFault, "kind"> {
  /**
   * `otherMember`: no kickoff has it; `otherPart`: no callback has it; `sameCallback`: both members of the human input
   * callback are given; `missingPart`: sending needs it; `secret`: a file must not have it, because it is shared;
   * `unlistedInput`: still sent, since the crew may accept more than it lists.
   */
  readonly kind:
    | JsonFault["kind"]
    | "notAnObject"
    | "wrongType"
    | "wrongStrategy"
    | "address"
    | "otherMember"
    | "otherPart"
    | "sameCallback"
    | "missingPart"
    | "secret"
    | "noCrew"
    | "unknownCrew"
    | "missingInput"
    | "wrongInput"
    | "unlistedInput";
}

// Null and "" mean none, since clients send all of them. Each message names what a value must be.
const text = v.nullish(v.string("string"), "");
const trimmed = v.nullish(v.pipe(v.string("string"), v.trim()), "");
const object = v.nullish(v.custom<JsonObject>(isObject, "object"));
const eventNames = v.nullish(v.custom<readonly string[]>(areNames, "names"), []);

function areNames(raw: unknown): boolean {
  const isName = (name: unknown) => typeof name === "string" && /^[^\s,]+$/.test(name);
  return Array.isArray(raw) && raw.every(isName);
}

function authentication<const Kind extends string>(kinds: readonly Kind[]) {
  const wanted = kinds.map((kind) => `"${kind}"`).join(", ");
  const strategy = v.nullish(v.picklist(["", ...kinds] as const, wanted), "");
  const parts = { strategy, username: text, token: text, password: text };
  return v.nullish(v.object(parts, "object"), {});
}

const human = { url: trimmed, authentication: authentication(strategies) };
const stream = {
  events: eventNames,
  url: trimmed,
  realtime: v.nullish(v.boolean("boolean"), false),
  authentication: authentication(["bearer"]),
};
/** Of a request file, of which a kickoff has all but the first four. `$schema` is for editors. */
const body = {
  ...{ crew: trimmed, label: trimmed, $schema: text, extra: object },
  ...{ inputs: object, meta: object, restoreFromStateId: trimmed },
  ...forEachCallback(() => trimmed),
  humanInputWebhook: v.nullish(v.object(human, "object"), {}),
  webhooks: v.nullish(v.object(stream, "object"), {}),
};
const schema = v.object(body);
export const requestFileMembers = Object.keys(body);

/** Objects of which all members are known. */
const known: readonly (readonly [readonly string[], object])[] = [
  [[], body],
  [["humanInputWebhook"], human],
  [["humanInputWebhook", "authentication"], human.authentication.wrapped.entries],
  [["webhooks"], stream],
  [["webhooks", "authentication"], stream.authentication.wrapped.entries],
];

/** Common names of secrets. */
const secretWord =
  /token|pass(?=w|phrase|code|key|[^a-z]|$)|pwd|secret|api[-_ ]?key|authenti|authori[sz]|\bauth\b|credential|bearer/i;

/** A kickoff or a request file, with comments and trailing commas. Never throws. */
function readKickoff(text: string) {
  const { root, value, faults } = parse(text, { allowTrailingComma: true });
  const notAnObject = l10n.t(
    "A request file is a JSON object, such as {0}.",
    '{"crew": "Travel", "inputs": {}}',
  );
  const isOther = !isObject(value) && (root !== undefined || faults.length === 0);
  const given = isObject(value) ? value : {};
  const wrong = (v.safeParse(schema, given).issues ?? []).map(({ path = [], type, message }) => {
    const names = path.map(({ key }) => String(key));
    const node = nodeAt(root, names);
    const name = names.pop() ?? "";
    // The rest can be read without it.
    const around = names.reduce<unknown>((at, each) => asObject(at)[each], given);
    if (isObject(around)) Reflect.deleteProperty(around, name);
    return type === "picklist"
      ? faultAt(node, "wrongStrategy", l10n.t("“strategy” must be one of these: {0}.", message))
      : faultAt(node, "wrongType", wrongTypeText(name, message), name);
  });
  const read = v.parse(schema, given);
  const { inputs, meta, extra, humanInputWebhook: own, webhooks, ...texts } = read;
  const some = (text: string) => (text === "" ? undefined : text);
  const values: Prefill = {
    ...defined({ inputs: inputs ?? undefined, meta: meta ?? undefined }),
    ...defined({ restoreFromStateId: some(texts.restoreFromStateId), extra: extra ?? undefined }),
    ...toCallbacks({
      ...texts,
      ...(own.url !== "" && { humanInputWebhookUrl: own.url }),
      strategy: own.authentication.strategy,
      username: own.authentication.strategy === "basic" ? own.authentication.username : "",
      streamingUrl: webhooks.url,
      events: webhooks.events.join("\n"),
      realtime: webhooks.realtime ? "true" : "",
      streamingStrategy: webhooks.authentication.strategy,
    }),
  };
  const authentications = [
    authenticationIn(root, "humanInputWebhook", own.authentication),
    authenticationIn(root, "webhooks", webhooks.authentication),
  ];
  return {
    ...defined({ crew: some(texts.crew), label: some(texts.label) }),
    ...{ root, given, values },
    secrets: authentications.flatMap(({ secrets }) => secrets),
    faults: [
      ...faults.map((fault) =>
        fault.kind === "syntax"
          ? { ...fault, text: l10n.t("This is not JSON: {0}", fault.text) }
          : fault,
      ),
      ...(isOther ? [faultAt(root, "notAnObject", notAnObject)] : []),
      ...known.flatMap(([path, entries]) =>
        membersOf(nodeAt(root, path))
          .filter(({ name }) => !Object.hasOwn(entries, name))
          .map((member) => otherFault(member, path.length === 0)),
      ),
      ...wrong,
      ...callbackFaults(root, read),
      ...authentications.flatMap(({ faults }) => faults),
      ...extraFaults(nodeAt(root, ["extra"])),
    ],
  };
}

type Body = v.InferOutput<typeof schema>;
type Root = Node | undefined;

function nodeAt(root: Root, path: readonly string[]): Root {
  return root && findNodeAtLocation(root, [...path]);
}

/** The name of a member. */
function keyOf(node: Root): Root {
  return node?.parent?.children?.[0];
}

function faultAt(
  node: Root,
  kind: KickoffFault["kind"],
  text: string,
  name?: string,
): KickoffFault {
  return { kind, ...defined({ name }), at: node ? spanOf(node) : firstLine, text };
}

function otherFault({ name, key }: Pick<Member, "name" | "key">, isMember = false): KickoffFault {
  return isMember
    ? faultAt(
        key,
        "otherMember",
        l10n.t(
          "A request file has no “{0}”. The crew's inputs belong in “inputs”, and members that Crewdeck doesn't know in “extra”.",
          name,
        ),
        name,
      )
    : faultAt(key, "otherPart", l10n.t("“{0}” does not belong here.", name), name);
}

function missingFault(name: string, within: Root): KickoffFault {
  return faultAt(keyOf(within), "missingPart", l10n.t("“{0}” is missing.", name), name);
}

function wrongTypeText(name: string, wanted: string): string {
  const texts: Readonly<Record<string, string>> = {
    string: l10n.t("“{0}” must be a string.", name),
    object: l10n.t("“{0}” must be an object.", name),
    names: l10n.t("“{0}” must be a list of names without spaces and commas.", name),
    boolean: l10n.t("“{0}” must be true or false.", name),
  };
  return texts[wanted] ?? "";
}

function callbackFaults(root: Root, read: Body): readonly KickoffFault[] {
  const { humanInputWebhook, webhooks } = read;
  const [human, stream] = [["humanInputWebhook"], ["webhooks"]].map((path) => nodeAt(root, path));
  const addresses: readonly (readonly [string, Root, string])[] = [
    ...callbackNames.map((name) => [name, nodeAt(root, [name]), read[name]] as const),
    ["url", nodeAt(human, ["url"]), humanInputWebhook.url],
    ["url", nodeAt(stream, ["url"]), webhooks.url],
  ];
  const both = l10n.t("keep only one of “humanInputWebhookUrl” and “humanInputWebhook”.");
  const plain = read.humanInputWebhookUrl === "" ? undefined : "humanInputWebhookUrl";
  const authenticates = humanInputWebhook.authentication.strategy !== "";
  const streams = webhooks.events.length > 0 || webhooks.authentication.strategy !== "";
  return [
    ...addresses.flatMap(([name, node, address]) => {
      const fault = addressFault(address);
      return fault === undefined ? [] : [faultAt(node, "address", `“${name}”: ${fault}`, name)];
    }),
    ...(plain !== undefined && humanInputWebhook.url !== ""
      ? [faultAt(keyOf(nodeAt(root, [plain])), "sameCallback", both, plain)]
      : []),
    ...(humanInputWebhook.url === "" && authenticates ? [missingFault("url", human)] : []),
    ...(webhooks.url === "" && streams ? [missingFault("url", stream)] : []),
    ...(webhooks.url !== "" && webhooks.events.length === 0
      ? [missingFault("events", stream)]
      : []),
  ];
}

/** What authenticates a callback: what is wrong with it, and its secrets. */
function authenticationIn(
  root: Root,
  callback: "humanInputWebhook" | "webhooks",
  read: Body["humanInputWebhook"]["authentication"],
) {
  const node = nodeAt(root, [callback, "authentication"]);
  const { strategy, ...parts } = read;
  const own = strategy === "basic" ? ["username", "password"] : ["token"];
  const filled = membersOf(node).flatMap(({ name, key }) => {
    const text = Object.entries(parts).find(([part]) => part === name)?.[1] ?? "";
    return text === "" ? [] : [{ name, key, text }];
  });
  const of: SecretName = callback === "webhooks" ? "streaming" : "humanInput";
  return {
    secrets: filled.filter(({ name }) => name !== "username").map((secret) => ({ of, ...secret })),
    faults: [
      ...(strategy === "" && filled.length > 0 ? [missingFault("strategy", node)] : []),
      ...(strategy === "basic" && parts.username === "" ? [missingFault("username", node)] : []),
      ...filled
        .filter(({ name }) => strategy !== "" && !own.includes(name))
        .map((part) => otherFault(part)),
    ],
  };
}

/** In “extra”, a secret would be stored, and a member that has its own place would be overwritten. */
function extraFaults(extra: Root): readonly KickoffFault[] {
  const faults: KickoffFault[] = [];
  const nodes = extra === undefined ? [] : [extra];
  // Not recursive: it may be deep.
  for (const node of nodes) {
    const [key] = node.type === "property" ? (node.children ?? []) : [];
    const name = String(key?.value);
    const isOther = secretWord.test(name) || (node.parent === extra && Object.hasOwn(body, name));
    if (key !== undefined && isOther) faults.push(otherFault({ name, key }));
    else for (const child of node.children ?? []) nodes.push(child);
  }
  return faults;
}

/** What is wrong with the text of an object of members that Crewdeck doesn't know. */
export function extraFault(text: string): string | undefined {
  const [fault] = readKickoff(`{"extra": ${text}}`).faults;
  if (fault?.name === undefined) return undefined;
  return fault.kind === "otherPart" && secretWord.test(fault.name)
    ? l10n.t("Remove “{0}”: this is saved on disk, and a secret must not be.", fault.name)
    : fault.text;
}

export type RequestFile = ReturnType<typeof readRequestFile>;

/** No longer file is read (characters): this one could come from a cloned repository. */
export const longestFile = 1_000_000;

/** Never throws. */
export function readRequestFile(text: string) {
  const { root, secrets, faults, values, ...own } = readKickoff(text);
  const [crew, inputs] = [nodeAt(root, ["crew"]), nodeAt(root, ["inputs"])];
  const isCrewMissing =
    root !== undefined && own.crew === undefined && (!crew || crew.type === "string");
  const crewMissing = l10n.t(
    "“crew” is missing: the name or address of a connected crew, or the folder of a project, such as ./.",
  );
  // A misplaced secret is reported once.
  const others = faults.filter(({ at }) => !secrets.some(({ key }) => key.offset === at.start));
  return {
    ...defined({ crew: own.crew, label: own.label }),
    values,
    faults: [
      ...secrets.map(({ name, key }) => secretFault(name, spanOf(key))),
      ...others.map((fault) =>
        // An unknown member may be a secret.
        fault.kind.startsWith("other") && secretWord.test(fault.name ?? "")
          ? secretFault(fault.name ?? "", fault.at)
          : fault,
      ),
      ...(isCrewMissing ? [faultAt(crew, "noCrew", crewMissing)] : []),
    ],
    places: {
      crew: crew ? spanOf(crew) : firstLine,
      inputs: inputs?.parent ? spanOf(keyOf(inputs) ?? inputs) : firstLine,
      input: new Map(membersOf(inputs).map((member) => [member.name, member])),
    },
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
  const file = { crew, label, inputs, meta, restoreFromStateId, ...callbacks, extra };
  return `${laidOutJson(defined(file))}\n`;
}

export interface PastedKickoff {
  readonly values: Prefill;
  readonly secrets: Readonly<Partial<Record<SecretName, string>>>;
  /** Unknown members, which became `extra`, from where they are sent as they are. */
  readonly moved: readonly string[];
}

/**
 * The body of a kickoff, as other clients send it. Undefined if the text has no `inputs`; `refused` says why the form
 * can't take it.
 */
export function readPastedKickoff(
  text: string,
): PastedKickoff | { readonly refused: string } | undefined {
  const { root, given, values, faults, secrets } = readKickoff(text);
  if (!membersOf(root).some(({ name }) => name === "inputs")) return undefined;
  const moved = faults.flatMap(({ kind, name }) =>
    kind === "otherMember" && name !== undefined ? [name] : [],
  );
  const others = Object.entries(given as JsonObject).filter(([name]) => moved.includes(name));
  const extra: JsonObject = { ...values.extra, ...Object.fromEntries<JsonValue>(others) };
  const reason =
    faults.find((fault) => !isAccepted(fault))?.text ?? extraFault(JSON.stringify(extra));
  if (reason !== undefined)
    return { refused: l10n.t("The pasted kickoff was not taken: {0}", reason) };
  return {
    values: others.length === 0 ? values : { ...values, extra },
    secrets: Object.fromEntries(secrets.map(({ of, text }) => [of, text])),
    moved,
  };
}

/** Becomes `extra`, or the form marks it and doesn't send it. */
function isAccepted({ kind, name }: KickoffFault): boolean {
  const isMarked = kind === "missingPart" && (name === "username" || name === "events");
  return kind === "otherMember" || kind === "address" || isMarked;
}
