import { isObject, parseJson } from "../base/json.ts";
import type { CrewApiErrorKind } from "./errors.ts";

/** A request or its end, for a log. Holds no header and no token. */
export type Traffic = {
  /** Unique in this process. */
  readonly id: number;
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Without secrets, truncated, and computed on demand. */
  readonly body?: () => string;
} & (
  | { readonly kind: "request" }
  | {
      readonly kind: "end";
      readonly status?: number;
      readonly error?: CrewApiErrorKind;
      /** From sending to the end of the body. */
      readonly milliseconds: number;
    }
);

let exchanges = 0;

export function nextExchange(): number {
  return ++exchanges;
}

/** Characters of a body. */
const [maxLogged, maxParsed] = [4_000, 1_000_000];
/** Shorter texts occur by chance. */
const shortestSecret = 4;
const secretName =
  /token|secret|passw|username|authori[sz]ation|api[-_]?key|private[-_]?key|credential|cookie|bearer|signature/i;
const addressName = /url$/i;
/** A part of a path that nobody can guess, such as in a callback's address: it is a secret. */
const longPart = /(?<![\w-])[\w-]{32,}$/;

/** Strings below a member with a secret's name, such as `authentication.token`, and long last parts of addresses. */
export function secretsIn(value: unknown, isSecret = false, name = ""): readonly string[] {
  if (typeof value === "string" && !isSecret)
    return addressName.test(name) ? (longPart.exec(value) ?? []) : [];
  if (typeof value === "string") return value.length >= shortestSecret ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((each) => secretsIn(each, isSecret));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    secretsIn(each, isSecret || secretName.test(key), key),
  );
}

/** Also removes a request's secrets, which a crew may repeat. */
export function withoutSecrets(text: string, token: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (clean, secret) => withoutToken(clean, secret, "[secret]"),
    withoutToken(text, token),
  );
}

/**
 * A JSON body without secrets, truncated. URLs become hosts: a callback's path is often a secret.
 */
export function bodyForLog(text: string, clean: (text: string) => string): string {
  if (text === "") return "(empty)";
  const size = `${text.length} characters`;
  if (text.length > maxParsed) return `(${size}: too long for the log)`;
  const raw = parseJson(text);
  if (raw === undefined) return `(${size}, not JSON)`;
  const shown = clean(JSON.stringify(redact(raw)));
  return shown.length <= maxLogged ? shown : `${shown.slice(0, maxLogged)}… (${size})`;
}

function redact(value: unknown, name = "", isSecret = false): unknown {
  if (typeof value === "string" && isSecret) return "[secret]";
  if (typeof value === "string") return addressName.test(name) ? hostOnly(value) : value;
  if (Array.isArray(value)) return value.map((each) => redact(each, name, isSecret));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      redact(each, key, isSecret || secretName.test(key)),
    ]),
  );
}

function hostOnly(address: string): string {
  return URL.canParse(address) ? `${new URL(address).origin}/…` : "(no address)";
}

function withoutToken(text: string, token: string, instead = "[token]"): string {
  if (token === "") return text;
  const forms = new Set([
    token,
    JSON.stringify(token).slice(1, -1),
    encodeURIComponent(token.replace(/\p{Cs}/gu, "\uFFFD")),
  ]);
  return [...forms].reduce((clean, form) => clean.replaceAll(form, instead), text);
}
