const hidden = "[hidden]";

/** The shortest secret that is hidden (characters). Shorter ones would hide parts of words. */
const shortestSecret = 6;

const patterns: readonly (readonly [RegExp, string])[] = [
  // `Authorization: Basic …`, also in JSON.
  [/(authorization["']?\s*[:=]\s*["']?)(?:[a-z]+\s+)?[^\s"',;]+/gi, `$1${hidden}`],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/g, `$1 ${hidden}`],
  // Up to the last @: a password may have one, and a slash. A host's port is no password.
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/:@"'<>]*:(?!\d+\/)[^\s"'<>]*@/gi, `$1${hidden}@`],
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/"'<>]*@/gi, `$1${hidden}@`],
  [
    /\b([\w-]*(?:password|passwd|pwd|token|secret|api[_-]?key)["']?\s*[=:]\s*["']?)[^\s"'&,;]+/gi,
    `$1${hidden}`,
  ],
];

/** Hides `secrets`, credentials in addresses and headers, and named passwords and tokens. */
export function redact(text: string, secrets: readonly string[]): string {
  // The longest first: one may contain another.
  const known = secrets
    .filter(({ length }) => length >= shortestSecret)
    .toSorted((one, other) => other.length - one.length);
  const withoutKnown = known.reduce((rest, secret) => rest.replaceAll(secret, hidden), text);
  return patterns.reduce((rest, [pattern, by]) => rest.replace(pattern, by), withoutKnown);
}

/** Hides all but the origin of web addresses. The path of a callback's address may be a secret. */
export function withoutPaths(text: string): string {
  // Punctuation at its end belongs to the sentence.
  return text.replace(/\bhttps?:\/\/[^\s"'<>]*[^\s"'<>.,;:!?)\]]/gi, (address) => {
    const url = URL.parse(address);
    if (url === null) return hidden;
    return url.pathname + url.search + url.hash === "/" ? url.origin : `${url.origin}/${hidden}`;
  });
}
