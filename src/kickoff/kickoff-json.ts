import * as l10n from "@vscode/l10n";
import { parseTree, type Node, type ParseError } from "jsonc-parser";
import { callbackMembers, forEachCallback } from "../api/callbacks.ts";
import {
  checkAddress,
  strategies,
  streamingStrategies,
  toCallbacks,
  type Prefill,
  type SecretName,
  type Strategy,
  type TypedCallbacks,
} from "./callbacks.ts";
import { addressFaultText } from "./texts.ts";
import { expectedText, membersOf, spanOf, toObject, type Member, type Span } from "./json.ts";

/** A problem in a kickoff's JSON, or in a request file, and its place. */
export interface KickoffFault {
  /**
   * `otherMember`: no kickoff has it; `otherPart`: no callback has it; `sameCallback`: both members of the human input
   * callback are given; `missingPart`: sending needs it; `secret`: a file must not have it, because it is shared;
   * `unlistedInput`: still sent, since the crew may accept more than it lists.
   */
  readonly kind:
    | "syntax"
    | "tooDeep"
    | "notAnObject"
    | "wrongType"
    | "wrongStrategy"
    | "address"
    | "otherMember"
    | "otherPart"
    | "twice"
    | "sameCallback"
    | "missingPart"
    | "secret"
    | "noCrew"
    | "unknownCrew"
    | "missingInput"
    | "wrongInput"
    | "unlistedInput";
  readonly name?: string;
  readonly at: Span;
  readonly text: string;
}

interface FoundSecret {
  readonly of: SecretName;
  readonly text: string;
  readonly name: string;
  readonly key: Span;
}

/** Members that only a request file has; all are texts. `$schema` is for editors. */
export const requestFileOwn = ["crew", "label", "$schema"] as const;

/** What a kickoff sends, as far as Crewdeck knows. */
export const kickoffMembers = ["inputs", "meta", "restoreFromStateId", ...callbackMembers];

const firstLine: Span = { start: 0, end: 1 };

/** Of a kickoff or a request file. Accepts comments and trailing commas. Never throws. */
export function readKickoffJson(text: string) {
  try {
    const reader = new Reader();
    const errors: ParseError[] = [];
    const tree = parseTree(text, errors, { allowTrailingComma: true });
    const [error] = errors;
    const root = tree?.type === "object" ? tree : undefined;
    if (root === undefined && (tree !== undefined || error === undefined))
      reader.faults.push({
        kind: "notAnObject",
        at: tree ? spanOf(tree) : firstLine,
        text: l10n.t(
          "A request file is a JSON object, such as {0}.",
          '{"crew": "Travel", "inputs": {}}',
        ),
      });
    // What precedes the error is read.
    if (error !== undefined)
      reader.faults.push({
        kind: "syntax",
        at: { start: error.offset, end: error.offset + Math.max(1, error.length) },
        text: l10n.t("This is not JSON: {0}", expectedText(error.error)),
      });
    return readMembers(reader, root);
  } catch (error) {
    // Parser and reader are recursive; deep nesting overflows the stack.
    if (!(error instanceof RangeError)) throw error;
    const reader = new Reader();
    const text = l10n.t("This is nested too deeply.");
    reader.faults.push({ kind: "tooDeep", at: firstLine, text });
    return readMembers(reader, undefined);
  }
}

function readMembers(reader: Reader, root: Node | undefined) {
  const known = [...requestFileOwn, ...kickoffMembers, "extra"];
  // Null and a wrong type count as none.
  const members = new Map(root && reader.members(root, known, "otherMember"));
  for (const name of ["inputs", "meta", "extra"])
    if (!reader.is(members.get(name), "object")) members.delete(name);
  const inputs = members.get("inputs");
  if (inputs !== undefined) reader.checkTwice(membersOf(inputs.value));
  const [crew, label] = requestFileOwn.map((name) => reader.text(members.get(name)).trim());
  const callbacks = forEachCallback((name) => reader.address(members.get(name)));
  const { url, ...humanInput } = readHumanInput(reader, members.get("humanInputWebhook"));
  const plain = members.get("humanInputWebhookUrl");
  if (plain !== undefined && callbacks.humanInputWebhookUrl !== "" && url !== "")
    reader.fault(
      "sameCallback",
      plain,
      l10n.t("keep only one of “humanInputWebhookUrl” and “humanInputWebhook”."),
    );
  const typed = {
    callbacks: url === "" ? callbacks : { ...callbacks, humanInputWebhookUrl: url },
    humanInput,
    streaming: readStreaming(reader, members.get("webhooks")),
  };
  const [meta, extra] = [members.get("meta"), members.get("extra")];
  if (extra !== undefined) reader.checkExtra(membersOf(extra.value), known);
  const restoreFromStateId = reader.text(members.get("restoreFromStateId")).trim();
  const values: Prefill = {
    ...(inputs && { inputs: toObject(inputs.value) }),
    ...(meta && { meta: toObject(meta.value) }),
    ...(restoreFromStateId !== "" && { restoreFromStateId }),
    ...(extra && { extra: toObject(extra.value) }),
    ...toCallbacks(typed),
  };
  const { secrets, faults } = reader;
  const inputMembers = inputs === undefined ? [] : membersOf(inputs.value);
  return { root, ...typed, members, inputs: inputMembers, values, crew, label, secrets, faults };
}

function readHumanInput(
  reader: Reader,
  member: Member | undefined,
): TypedCallbacks["humanInput"] & { readonly url: string } {
  const parts = reader.parts(member, ["url", "authentication"]);
  const url = reader.address(parts.get("url"));
  const human = reader.authentication("humanInput", parts.get("authentication"), strategies);
  if (member !== undefined && url === "" && human.strategy !== "none")
    reader.missing("url", member);
  return { url, ...human };
}

function readStreaming(reader: Reader, member: Member | undefined): TypedCallbacks["streaming"] {
  const parts = reader.parts(member, ["events", "url", "realtime", "authentication"]);
  const url = reader.address(parts.get("url"));
  const events = reader.names(parts.get("events"));
  const realtime = reader.trueOrFalse(parts.get("realtime"));
  const given = parts.get("authentication");
  const { strategy } = reader.authentication("streaming", given, streamingStrategies);
  if (member !== undefined && url === "" && (events.length > 0 || strategy !== "none"))
    reader.missing("url", member);
  if (member !== undefined && url !== "" && events.length === 0) reader.missing("events", member);
  return { url, events: events.join("\n"), realtime, strategy };
}

/** Undefined, null, a wrong type and "" mean none, since clients send all of them. */
class Reader {
  readonly faults: KickoffFault[] = [];
  readonly secrets: FoundSecret[] = [];

  fault(kind: KickoffFault["kind"], { name, key }: Member, text: string): void {
    this.faults.push({ kind, name, at: spanOf(key), text });
  }

  #other(kind: "otherMember" | "otherPart", member: Member): void {
    const { name } = member;
    const text =
      kind === "otherPart"
        ? l10n.t("“{0}” does not belong here.", name)
        : l10n.t(
            "A request file has no “{0}”. The crew's inputs belong in “inputs”, and members that Crewdeck doesn't know in “extra”.",
            name,
          );
    this.fault(kind, member, text);
  }

  missing(name: string, { key }: Member): void {
    const text = l10n.t("“{0}” is missing.", name);
    this.faults.push({ kind: "missingPart", name, at: spanOf(key), text });
  }

  checkTwice(members: readonly Member[]): void {
    const seen = new Set<string>();
    const twice = members.find(({ name }) => seen.size === seen.add(name).size);
    if (twice !== undefined)
      this.fault("twice", twice, l10n.t("“{0}” is given twice.", twice.name));
  }

  /** In there, a secret would be stored, and a member that has its own place would be overwritten. */
  checkExtra(members: readonly Member[], known: readonly string[]): void {
    this.checkTwice(members);
    for (const member of members)
      if (known.includes(member.name)) this.#other("otherPart", member);
      else this.#checkSecrets(member);
  }

  #checkSecrets(member: Member): void {
    if (secretWord.test(member.name)) this.#other("otherPart", member);
    else for (const inner of membersWithin(member.value)) this.#checkSecrets(inner);
  }

  /** Reports unknown members. */
  members(
    object: Node,
    known: readonly string[],
    other: "otherMember" | "otherPart",
  ): ReadonlyMap<string, Member> {
    const all = membersOf(object);
    this.checkTwice(all);
    for (const member of all) if (!known.includes(member.name)) this.#other(other, member);
    return new Map(
      all.filter(({ value }) => value.type !== "null").map((member) => [member.name, member]),
    );
  }

  /** Reports another type. */
  is(
    member: Member | undefined,
    type: "string" | "object" | "array" | "boolean",
  ): member is Member {
    if (member === undefined || member.value.type === type) return member !== undefined;
    this.#wrongType(member, type);
    return false;
  }

  parts(member: Member | undefined, known: readonly string[]): ReadonlyMap<string, Member> {
    return this.is(member, "object")
      ? this.members(member.value, known, "otherPart")
      : new Map<string, Member>();
  }

  text(member: Member | undefined): string {
    return this.is(member, "string") ? String(member.value.value) : "";
  }

  address(member: Member | undefined): string {
    const text = this.text(member).trim();
    const fault = checkAddress(text)?.kind;
    if (member !== undefined && fault !== undefined)
      this.#value("address", member, `“${member.name}”: ${addressFaultText(fault)}`);
    return text;
  }

  trueOrFalse(member: Member | undefined): boolean {
    return this.is(member, "boolean") && member.value.value === true;
  }

  names(member: Member | undefined): readonly string[] {
    if (!this.is(member, "array")) return [];
    const names = (member.value.children ?? []).map(({ value }): unknown => value);
    const isName = (name: unknown) => typeof name === "string" && /^[^\s,]+$/.test(name);
    if (names.every((name): name is string => isName(name))) return names;
    this.#wrongType(member, "array");
    return [];
  }

  authentication<Kind extends Strategy>(
    of: SecretName,
    member: Member | undefined,
    kinds: readonly (Kind | "none")[],
  ): { readonly strategy: Kind | "none"; readonly username: string } {
    const parts = this.parts(member, ["strategy", "username", "token", "password"]);
    if (member === undefined || parts.size === 0) return { strategy: "none", username: "" };
    const given = parts.get("strategy");
    const wanted = kinds.filter((kind) => kind !== "none");
    const strategy = wanted.find((kind) => kind === given?.value.value);
    if (strategy === undefined) {
      const named = wanted.map((kind) => JSON.stringify(kind)).join(", ");
      const text = l10n.t("“strategy” must be one of these: {0}.", named);
      this.faults.push({ kind: "wrongStrategy", at: spanOf(given?.value ?? member.key), text });
    }
    const user = parts.get("username");
    const username = this.text(user);
    if (strategy === "bearer" && user !== undefined && username !== "")
      this.#other("otherPart", user);
    if (strategy === "basic" && username === "") this.missing("username", member);
    for (const name of ["token", "password"]) {
      const part = parts.get(name);
      const text = this.text(part);
      if (part === undefined || text === "") continue;
      if (strategy !== undefined && (name === "password") !== (strategy === "basic"))
        this.#other("otherPart", part);
      this.secrets.push({ of, text, name, key: spanOf(part.key) });
    }
    return { strategy: strategy ?? "none", username: strategy === "basic" ? username : "" };
  }

  #wrongType(member: Member, wanted: "string" | "object" | "array" | "boolean"): void {
    const { name } = member;
    const texts = {
      string: l10n.t("“{0}” must be a string.", name),
      object: l10n.t("“{0}” must be an object.", name),
      array: l10n.t("“{0}” must be a list of names without spaces and commas.", name),
      boolean: l10n.t("“{0}” must be true or false.", name),
    };
    this.#value("wrongType", member, texts[wanted]);
  }

  #value(kind: KickoffFault["kind"], { name, value }: Member, text: string): void {
    this.faults.push({ kind, name, at: spanOf(value), text });
  }
}

function membersWithin(node: Node): readonly Member[] {
  return node.type === "array" ? (node.children ?? []).flatMap(membersWithin) : membersOf(node);
}

/** Common names of secrets. */
export const secretWord =
  /token|pass(?=w|phrase|code|key|[^a-z]|$)|pwd|secret|api[-_ ]?key|authenti|authori[sz]|\bauth\b|credential|bearer/i;
