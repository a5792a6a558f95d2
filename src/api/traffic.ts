import { isObject, parseJson } from "../base/json.ts";
import type { CrewApiErrorKind } from "./errors.ts";

/** A request or its end, for a log. Holds no header and no token. */
export type Traffic = TrafficEvent & {
  readonly id: number;
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Without secrets, truncated, and computed on demand. */
  readonly body?: () => string;
};

export type TrafficEvent =
  | { readonly kind: "request" }
  | {
      readonly kind: "end";
      readonly status?: number;
      readonly error?: CrewApiErrorKind;
      /** From sending to the end of the body. */
      readonly milliseconds: number;
    };

const [maxLogged, maxParsed] = [4_000, 1_000_000];
/** Shorter texts occur by chance. */
const shortestSecret = 4;
const secretName =
  /token|secret|passw|username|authori[sz]ation|api[-_]?key|private[-_]?key|credential|cookie|bearer|signature/i;
const addressName = /url$/i;
/** A part of a path that nobody can guess, such as in a callback's address: it is a secret. */
const longPart = /(?<![\w-])[\w-]{32,}$/;

type ChangeText = (text: string, name: string, isSecret: boolean) => string;

/** Changes each text; `isSecret` below a member with a secret's name, such as `authentication.token`. */
function withTexts(value: unknown, change: ChangeText, name = "", isSecret = false): unknown {
  if (typeof value === "string") return change(value, name, isSecret);
  if (Array.isArray(value)) return value.map((each) => withTexts(each, change, name, isSecret));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(
    ([key, each]) => [key, withTexts(each, change, key, isSecret || secretName.test(key))] as const,
  );
  return Object.fromEntries(entries);
}

/** Of a request, which the crew may repeat: also the long last parts of addresses. */
export function secretsIn(value: unknown): readonly string[] {
  const found: string[] = [];
  withTexts(value, (text, name, isSecret) => {
    if (isSecret && text.length >= shortestSecret) found.push(text);
    else if (!isSecret && addressName.test(name)) found.push(...(longPart.exec(text) ?? []));
    return text;
  });
  return found;
}

export function withoutSecrets(text: string, token: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (clean, secret) => without(clean, secret, "[secret]"),
    without(text, token, "[token]"),
  );
}

function without(text: string, secret: string, instead: string): string {
  if (secret === "") return text;
  const inUrl = encodeURIComponent(secret.toWellFormed());
  return [secret, JSON.stringify(secret).slice(1, -1), inUrl].reduce(
    (clean, form) => clean.replaceAll(form, instead),
    text,
  );
}

/** A JSON body without secrets, truncated. URLs become hosts: a callback's path is often a secret. */
export function bodyForLog(text: string, clean: (text: string) => string): string {
  if (text === "") return "(empty)";
  const size = `${text.length} characters`;
  if (text.length > maxParsed) return `(${size}: too long for the log)`;
  const raw = parseJson(text);
  if (raw === undefined) return `(${size}, not JSON)`;
  const redacted = withTexts(raw, (value, name, isSecret) => {
    if (isSecret) return "[secret]";
    return addressName.test(name) ? hostOnly(value) : value;
  });
  const shown = clean(JSON.stringify(redacted));
  return shown.length <= maxLogged ? shown : `${shown.slice(0, maxLogged)}… (${size})`;
}

function hostOnly(address: string): string {
  return URL.canParse(address) ? `${new URL(address).origin}/…` : "(no address)";
}
