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

const secretWord =
  /token|pass(?=w|phrase|code|key|[^a-z]|$)|pwd|secret|api[-_ ]?key|authenti|authori[sz]|\bauth\b|credential|bearer/i;

type Body = v.InferOutput<typeof schema>;
type Path = readonly string[];
type FoundSecret = Pick<Member, "name" | "key"> & {
  readonly of: SecretName;
  readonly text: string;
};

class Faults {
  readonly root: Node | undefined;
  readonly all: KickoffFault[] = [];

  constructor(root: Node | undefined) {
    this.root = root;
  }

  nodeAt(path: Path): Node | undefined {
    return this.root && findNodeAtLocation(this.root, [...path]);
  }

  keyAt(path: Path): Node | undefined {
    return this.nodeAt(path)?.parent?.children?.[0];
  }

  add(kind: KickoffFault["kind"], node: Node | undefined, text: string, name?: string): void {
    const at = node ? spanOf(node) : firstLine;
    this.all.push({ kind, ...defined({ name }), at, text });
  }

  addOther(key: Node, name: string): void {
    this.add("otherPart", key, l10n.t("“{0}” does not belong here.", name), name);
  }

  addMissing(name: string, path: Path): void {
    this.add("missingPart", this.keyAt(path), l10n.t("“{0}” is missing.", name), name);
  }
}

/** A kickoff or a request file, with comments and trailing commas. Never throws. */
function readKickoff(text: string) {
  const { root, value, faults: found } = parse(text, { allowTrailingComma: true });
  const faults = new Faults(root);
  for (const { kind, text, ...fault } of found)
    faults.all.push({
      ...{ kind, ...fault },
      text: kind === "syntax" ? l10n.t("This is not JSON: {0}", text) : text,
    });
  if (!isObject(value) && (root !== undefined || found.length === 0)) {
    const example = '{"crew": "Travel", "inputs": {}}';
    const text = l10n.t("A request file is a JSON object, such as {0}.", example);
    faults.add("notAnObject", root, text);
  }
  findUnknown(faults);
  const given = isObject(value) ? value : {};
  const read = readTypes(faults, given);
  checkCallbacks(faults, read);
  const { inputs, meta, extra, humanInputWebhook: human, webhooks, ...texts } = read;
  const secrets = [
    ...checkAuthentication(faults, "humanInput", "humanInputWebhook", human.authentication),
    ...checkAuthentication(faults, "streaming", "webhooks", webhooks.authentication),
  ];
  checkExtra(faults);
  const some = (text: string) => (text === "" ? undefined : text);
  const values: Prefill = {
    ...defined({ inputs: inputs ?? undefined, meta: meta ?? undefined }),
    ...defined({ restoreFromStateId: some(texts.restoreFromStateId), extra: extra ?? undefined }),
    ...toCallbacks({
      ...texts,
      ...(human.url !== "" && { humanInputWebhookUrl: human.url }),
      strategy: human.authentication.strategy,
      username: human.authentication.strategy === "basic" ? human.authentication.username : "",
      streamingUrl: webhooks.url,
      events: webhooks.events.join("\n"),
      realtime: webhooks.realtime ? "true" : "",
      streamingStrategy: webhooks.authentication.strategy,
    }),
  };
  const own = defined({ crew: some(texts.crew), label: some(texts.label) });
  return { ...own, given, values, secrets, faults };
}

function findUnknown(faults: Faults): void {
  for (const [path, entries] of known)
    for (const { name, key } of membersOf(faults.nodeAt(path))) {
      if (Object.hasOwn(entries, name)) continue;
      if (path.length > 0) faults.addOther(key, name);
      else
        faults.add(
          "otherMember",
          key,
          l10n.t(
            "A request file has no “{0}”. The crew's inputs belong in “inputs”, and members that Crewdeck doesn't know in “extra”.",
            name,
          ),
          name,
        );
    }
}

/** Takes away what has a wrong type, without which the rest is read. */
function readTypes(faults: Faults, given: object): Body {
  for (const { path = [], type, message } of v.safeParse(schema, given).issues ?? []) {
    const names = path.map(({ key }) => String(key));
    const node = faults.nodeAt(names);
    const name = names.pop() ?? "";
    const texts: Readonly<Record<string, string>> = {
      string: l10n.t("“{0}” must be a string.", name),
      object: l10n.t("“{0}” must be an object.", name),
      names: l10n.t("“{0}” must be a list of names without spaces and commas.", name),
      boolean: l10n.t("“{0}” must be true or false.", name),
    };
    if (type === "picklist")
      faults.add("wrongStrategy", node, l10n.t("“strategy” must be one of these: {0}.", message));
    else faults.add("wrongType", node, texts[message] ?? "", name);
    const around = names.reduce<unknown>((at, each) => asObject(at)[each], given);
    if (isObject(around)) Reflect.deleteProperty(around, name);
  }
  return v.parse(schema, given);
}

function checkCallbacks(faults: Faults, read: Body): void {
  const { humanInputWebhook: human, webhooks } = read;
  const addresses: readonly (readonly [Path, string])[] = [
    ...callbackNames.map((name) => [[name], read[name]] as const),
    [["humanInputWebhook", "url"], human.url],
    [["webhooks", "url"], webhooks.url],
  ];
  for (const [path, address] of addresses) {
    const [name = "", fault] = [path.at(-1), addressFault(address)];
    if (fault !== undefined)
      faults.add("address", faults.nodeAt(path), `“${name}”: ${fault}`, name);
  }
  const plain = "humanInputWebhookUrl";
  const both = l10n.t("keep only one of “humanInputWebhookUrl” and “humanInputWebhook”.");
  if (read[plain] !== "" && human.url !== "")
    faults.add("sameCallback", faults.keyAt([plain]), both, plain);
  if (human.url === "" && human.authentication.strategy !== "")
    faults.addMissing("url", ["humanInputWebhook"]);
  const [hasEvents, streams] = [webhooks.events.length > 0, webhooks.url !== ""];
  if (!streams && (hasEvents || webhooks.authentication.strategy !== ""))
    faults.addMissing("url", ["webhooks"]);
  if (streams && !hasEvents) faults.addMissing("events", ["webhooks"]);
}

/** Returns the callback's secrets. */
function checkAuthentication(
  faults: Faults,
  of: SecretName,
  callback: string,
  { strategy, ...read }: Body["humanInputWebhook"]["authentication"],
): readonly FoundSecret[] {
  const path = [callback, "authentication"];
  const parts = new Map(Object.entries(read));
  const own = strategy === "basic" ? ["username", "password"] : ["token"];
  const filled = membersOf(faults.nodeAt(path)).filter(({ name }) => parts.get(name));
  if (strategy === "" && filled.length > 0) faults.addMissing("strategy", path);
  if (strategy === "basic" && read.username === "") faults.addMissing("username", path);
  for (const { name, key } of filled)
    if (strategy !== "" && !own.includes(name)) faults.addOther(key, name);
  return filled
    .filter(({ name }) => name !== "username")
    .map(({ name, key }) => ({ of, name, key, text: parts.get(name) ?? "" }));
}

/** In “extra”, a secret would be stored, and a member that has its own place would be overwritten. */
function checkExtra(faults: Faults): void {
  const extra = faults.nodeAt(["extra"]);
  const nodes = extra === undefined ? [] : [extra];
  // Not recursive: it may be deep.
  for (const node of nodes) {
    const [key] = node.type === "property" ? (node.children ?? []) : [];
    const name = String(key?.value);
    const isOther = secretWord.test(name) || (node.parent === extra && Object.hasOwn(body, name));
    if (key !== undefined && isOther) faults.addOther(key, name);
    else for (const child of node.children ?? []) nodes.push(child);
  }
}

/** What is wrong with the text of an object of members that Crewdeck doesn't know. */
export function extraFault(text: string): string | undefined {
  const [fault] = readKickoff(`{"extra": ${text}}`).faults.all;
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
  const { crew, label, values, secrets, faults } = readKickoff(text);
  const [named, inputs] = [faults.nodeAt(["crew"]), faults.nodeAt(["inputs"])];
  if (faults.root !== undefined && crew === undefined && (!named || named.type === "string"))
    faults.add(
      "noCrew",
      named,
      l10n.t(
        "“crew” is missing: the name or address of a connected crew, or the folder of a project, such as ./.",
      ),
    );
  // A misplaced secret is reported once.
  const places = new Set(secrets.map(({ key }) => key.offset));
  const others = faults.all.filter(({ at }) => !places.has(at.start));
  const key = faults.keyAt(["inputs"]);
  return {
    ...defined({ crew, label }),
    values,
    faults: [
      ...secrets.map(({ name, key }) => secretFault(name, spanOf(key))),
      ...others.map((fault) =>
        // An unknown member may be a secret.
        fault.kind.startsWith("other") && secretWord.test(fault.name ?? "")
          ? secretFault(fault.name ?? "", fault.at)
          : fault,
      ),
    ],
    places: {
      crew: named ? spanOf(named) : firstLine,
      inputs: key ? spanOf(key) : firstLine,
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

/** A kickoff's body, as clients send it. Undefined without `inputs`; `refused` says why the form can't take it. */
export function readPastedKickoff(
  text: string,
): PastedKickoff | { readonly refused: string } | undefined {
  const { given, values, faults, secrets } = readKickoff(text);
  if (faults.nodeAt(["inputs"]) === undefined) return undefined;
  const moved = faults.all.flatMap(({ kind, name }) =>
    kind === "otherMember" && name !== undefined ? [name] : [],
  );
  const others = Object.entries(given as JsonObject).filter(([name]) => moved.includes(name));
  const extra: JsonObject = { ...values.extra, ...Object.fromEntries<JsonValue>(others) };
  const reason =
    faults.all.find((fault) => !isAccepted(fault))?.text ?? extraFault(JSON.stringify(extra));
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
