import { isObject } from "../base/json.ts";

const secretName =
  /token|secret|passw|username|authori[sz]ation|api[-_]?key|private[-_]?key|credential|cookie|bearer|signature/i;
/** A part of a path that nobody can guess, such as in a callback's address: it is a secret. */
const longPart = /(?<![\w-])[\w-]{32,}$/;

/** Of a request, which the crew may repeat: texts below members with a secret's name, and the long last parts of addresses. */
export function secretsIn(value: unknown, name = "", isSecret = false): readonly string[] {
  if (typeof value === "string") {
    // Shorter texts occur by chance.
    if (isSecret) return value.length >= 4 ? [value] : [];
    return /url$/i.test(name) ? (longPart.exec(value) ?? []) : [];
  }
  if (Array.isArray(value)) return value.flatMap((each) => secretsIn(each, name, isSecret));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    secretsIn(each, key, isSecret || secretName.test(key)),
  );
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
