import { isObject, parseJson } from "./json.ts";
import { withoutToken } from "./token.ts";

/** Longest body that a log shows, in characters. */
const longest = 4_000;
/** Longest body that is looked through for secrets, in characters; of more only the size is told. */
const longestRead = 1_000_000;
/** A shorter text is found everywhere by chance. */
const shortestSecret = 4;

const secretName =
  /token|secret|passw|username|authori[sz]ation|api[-_]?key|private[-_]?key|credential|cookie|bearer|signature/i;
const addressName = /url$/i;

/** Every text in a value that stands below a member named like a secret, such as `humanInputWebhook.authentication.token`. */
export function secretsIn(value: unknown, isSecret = false): readonly string[] {
  if (typeof value === "string") return isSecret && value.length >= shortestSecret ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((each) => secretsIn(each, isSecret));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    secretsIn(each, isSecret || secretName.test(name)),
  );
}

/** A text without the token and without what a request's body held in secret: a crew may repeat what it was sent. */
export function withoutSecrets(text: string, token: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (clean, secret) => withoutToken(clean, secret, "[secret]"),
    withoutToken(text, token),
  );
}

/**
 * A body as a log may show it: without texts below members that are named like secrets, with addresses down to their host
 * (a callback's path is often a secret itself), and cut at 4,000 characters. What is no JSON is not shown.
 */
export function bodyForLog(text: string, clean: (text: string) => string): string {
  if (text === "") return "(empty)";
  const size = `${text.length} characters`;
  if (text.length > longestRead) return `(${size}: too long for the log)`;
  const raw = parseJson(text);
  if (raw === undefined) return `(${size}, not JSON)`;
  const shown = clean(JSON.stringify(redact(raw)));
  return shown.length <= longest ? shown : `${shown.slice(0, longest)}… (${size})`;
}

function redact(value: unknown, name = "", isSecret = false): unknown {
  if (typeof value === "string") {
    if (isSecret) return "[secret]";
    return addressName.test(name) ? hostOnly(value) : value;
  }
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
