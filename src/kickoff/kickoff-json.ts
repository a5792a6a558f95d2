import type { Node } from "jsonc-parser";
import { callbackNames, type CallbackName } from "./callback-names.ts";
import { membersOf, secondOf, spanOf, type Member, type Span } from "./json-tree.ts";
import {
  strategies,
  streamingStrategies,
  type HumanInputValues,
  type SecretName,
  type Strategy,
  type StreamingValues,
} from "./callbacks.ts";
import { checkAddress, type AddressFault } from "./address.ts";

/** What a member must be where it is something else. `names`: a list of texts without spaces and commas. */
export type Wanted = "text" | "object" | "names" | "trueOrFalse";

/** What is wrong with a callback in a request's text, and where; whoever shows it finds the words. */
export type CallbackFault = { readonly at: Span; readonly name: string } & (
  | { readonly kind: "wrongType"; readonly wanted: Wanted }
  /** A callback has no such member. */
  | { readonly kind: "otherPart" }
  | { readonly kind: "twice" }
  | { readonly kind: "wrongStrategy"; readonly wanted: readonly Strategy[] }
  /** `humanInputWebhookUrl` and `humanInputWebhook` are given, which are one callback. */
  | { readonly kind: "sameCallback" }
  | { readonly kind: "address"; readonly fault: AddressFault["kind"] }
  /** A member that sending needs. */
  | { readonly kind: "missingPart" }
);

/** A secret in a request's text, which is no place for it. */
export interface FoundSecret {
  readonly of: SecretName;
  readonly text: string;
  /** `token` or `password`. */
  readonly name: string;
  readonly key: Span;
  readonly value: Span;
  /** What to cut out so that the rest is JSON still. */
  readonly cut: Span;
}

/** The callbacks of a request's text as somebody would have typed them in the form, the secrets beside them, and all that is wrong. */
export interface CallbacksReading {
  /** With the address of `humanInputWebhook`. */
  readonly callbacks: Readonly<Record<CallbackName, string>>;
  readonly humanInput: HumanInputValues;
  readonly streaming: StreamingValues;
  readonly secrets: readonly FoundSecret[];
  /** In the order of the text, but for what is missing or twice. */
  readonly faults: readonly CallbackFault[];
}

/** Members of a kickoff's body that are callbacks (specification, and the observed additions). */
export const callbackMembers = [...callbackNames, "humanInputWebhook", "webhooks"] as const;

/** Whether a fault only keeps a callback from being sent: the form can hold it. */
export function canBeHeld({ kind }: CallbackFault): boolean {
  return kind === "address" || kind === "missingPart";
}

/** Reads those members of a body that are callbacks. Absent, null and "" mean none (clients send all three). Never throws. */
export function readCallbacks(body: readonly Member[]): CallbacksReading {
  const reader = new Reader();
  const members = reader.only(
    callbackMembers,
    body.filter(({ name }) => callbackMembers.some((known) => known === name)),
  );
  const plain = (name: CallbackName) => reader.address(members.get(name));
  const [taskWebhookUrl, stepWebhookUrl, crewWebhookUrl, url] = [
    plain("taskWebhookUrl"),
    plain("stepWebhookUrl"),
    plain("crewWebhookUrl"),
    plain("humanInputWebhookUrl"),
  ];
  const { url: withMore, ...humanInput } = readHumanInput(reader, members.get("humanInputWebhook"));
  const both = url !== "" && withMore !== "" ? members.get("humanInputWebhookUrl") : undefined;
  if (both !== undefined)
    reader.faults.push({ kind: "sameCallback", name: both.name, at: spanOf(both.key) });
  return {
    callbacks: {
      taskWebhookUrl,
      stepWebhookUrl,
      crewWebhookUrl,
      humanInputWebhookUrl: withMore === "" ? url : withMore,
    },
    humanInput,
    streaming: readStreaming(reader, members.get("webhooks")),
    secrets: reader.secrets,
    faults: reader.faults,
  };
}

function readHumanInput(
  reader: Reader,
  member: Member | undefined,
): HumanInputValues & { readonly url: string } {
  const parts = reader.parts(member, ["url", "authentication"]);
  const url = reader.address(parts.get("url"));
  const authentication = reader.authentication(
    "humanInput",
    parts.get("authentication"),
    strategies,
  );
  if (member !== undefined && url === "" && authentication.strategy !== "none")
    reader.misses("url", member);
  return { url, ...authentication };
}

function readStreaming(reader: Reader, member: Member | undefined): StreamingValues {
  const parts = reader.parts(member, ["events", "url", "realtime", "authentication"]);
  const url = reader.address(parts.get("url"));
  const events = reader.names(parts.get("events"));
  const realtime = reader.trueOrFalse(parts.get("realtime"));
  const { strategy } = reader.authentication(
    "streaming",
    parts.get("authentication"),
    streamingStrategies,
  );
  if (member !== undefined && url === "" && (events.length > 0 || strategy !== "none"))
    reader.misses("url", member);
  if (member !== undefined && url !== "" && events.length === 0) reader.misses("events", member);
  return { url, events: events.join("\n"), realtime, strategy };
}

/** Reads values, and keeps what is wrong with them. A value of a wrong type counts as none. */
class Reader {
  readonly faults: CallbackFault[] = [];
  readonly secrets: FoundSecret[] = [];

  /** The members by name; null counts as absent. Others than these names do not belong there. */
  only(names: readonly string[], members: readonly Member[]): ReadonlyMap<string, Member> {
    const twice = secondOf(members);
    if (twice !== undefined)
      this.faults.push({ kind: "twice", name: twice.name, at: spanOf(twice.key) });
    const given = members.filter(({ value }) => value.type !== "null");
    for (const { name, key } of given) if (!names.includes(name)) this.#otherPart(name, key);
    return new Map(given.map((member) => [member.name, member]));
  }

  /** The members of an object. */
  parts(member: Member | undefined, names: readonly string[]): ReadonlyMap<string, Member> {
    if (member !== undefined && member.value.type !== "object") this.#wrongType(member, "object");
    return this.only(names, member === undefined ? [] : membersOf(member.value));
  }

  text(member: Member | undefined): string {
    if (member === undefined) return "";
    if (member.value.type === "string") return String(member.value.value);
    this.#wrongType(member, "text");
    return "";
  }

  /** Trimmed, as it is sent. */
  address(member: Member | undefined): string {
    const text = this.text(member).trim();
    const problem = checkAddress(text);
    if (member !== undefined && problem !== undefined)
      this.faults.push({
        kind: "address",
        name: member.name,
        fault: problem.kind,
        at: spanOf(member.value),
      });
    return text;
  }

  trueOrFalse(member: Member | undefined): boolean {
    if (member !== undefined && member.value.type !== "boolean")
      this.#wrongType(member, "trueOrFalse");
    return member?.value.value === true;
  }

  names(member: Member | undefined): readonly string[] {
    if (member === undefined) return [];
    const items = member.value.type === "array" ? (member.value.children ?? []) : undefined;
    const names = items?.flatMap(({ type, value }) =>
      type === "string" && /^[^\s,]+$/.test(String(value)) ? [String(value)] : [],
    );
    if (names !== undefined && names.length === items?.length) return names;
    this.#wrongType(member, "names");
    return [];
  }

  authentication<Kind extends Strategy>(
    of: SecretName,
    member: Member | undefined,
    kinds: readonly (Kind | "none")[],
  ): { readonly strategy: Kind | "none"; readonly username: string } {
    const parts = this.parts(member, ["strategy", "username", "token", "password"]);
    const none = { strategy: "none", username: "" } as const;
    if (member === undefined || parts.size === 0) return none;
    const [username, token, password] = [
      this.text(parts.get("username")),
      this.text(parts.get("token")),
      this.text(parts.get("password")),
    ];
    const given = parts.get("strategy");
    const strategy = kinds.find((kind) => kind !== "none" && kind === given?.value.value);
    if (strategy === undefined)
      this.faults.push({
        kind: "wrongStrategy",
        name: "strategy",
        wanted: kinds.filter((kind) => kind !== "none"),
        at: spanOf(given?.value ?? member.key),
      });
    const needed = strategy === "basic" ? "password" : "token";
    for (const [name, text] of [
      ["token", token],
      ["password", password],
    ] as const) {
      const part = parts.get(name);
      if (part === undefined || text === "") continue;
      if (strategy !== undefined && name !== needed) this.#otherPart(name, part.key);
      this.secrets.push({
        of,
        text,
        name,
        key: spanOf(part.key),
        value: spanOf(part.value),
        cut: cutOf(member.value, part),
      });
    }
    const user = parts.get("username");
    if (strategy === "bearer" && username !== "" && user !== undefined)
      this.#otherPart("username", user.key);
    if (strategy === "basic" && username === "") this.misses("username", member);
    return strategy === undefined
      ? none
      : { strategy, username: strategy === "basic" ? username : "" };
  }

  /** Something that sending needs is not there. */
  misses(name: string, { key }: Member): void {
    this.faults.push({ kind: "missingPart", name, at: spanOf(key) });
  }

  #wrongType({ name, value }: Member, wanted: Wanted): void {
    this.faults.push({ kind: "wrongType", name, wanted, at: spanOf(value) });
  }

  #otherPart(name: string, key: Node): void {
    this.faults.push({ kind: "otherPart", name, at: spanOf(key) });
  }
}

/** A member with the comma before it, or after it where it is the first. */
function cutOf(object: Node, { key, value }: Member): Span {
  const members = membersOf(object);
  const index = members.findIndex((member) => member.key === key);
  const [before, after] = [members[index - 1], members[index + 1]];
  if (before !== undefined) return { start: spanOf(before.value).end, end: spanOf(value).end };
  return { start: key.offset, end: after?.key.offset ?? spanOf(value).end };
}
