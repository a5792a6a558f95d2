const hidden = "[hidden]";

/** The shortest secret that is hidden (characters). Shorter ones would hide parts of words. */
const shortestSecret = 6;

/** Each takes linear time: what a crew prints and what a receiver answers is not ours. */
const patterns: readonly (readonly [RegExp, string])[] = [
  // `Authorization: Basic …`, also in JSON.
  [/(authorization["']?\s*[:=]\s*["']?)(?:[a-z]+\s+)?[^\s"',;]+/gi, `$1${hidden}`],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/g, `$1 ${hidden}`],
  [
    /((?:password|passwd|pwd|token|secret|api[_-]?key)["']?\s*[=:]\s*["']?)[^\s"'&,;]+/gi,
    `$1${hidden}`,
  ],
];

/** Variables that name a model: an error that says which one is missing must stay readable. */
const modelName = /(^|_)MODEL(_NAME)?$/i;

export class Secrets {
  /** The longest first: one may contain another. */
  #known: readonly string[] = [];

  constructor(secrets: readonly string[] = []) {
    this.add(secrets);
  }

  add(secrets: readonly string[]): void {
    // An entry of the log may contain one line of a key.
    const lines = secrets.flatMap((secret) => secret.split(/\r?\n/));
    const long = lines.filter(({ length }) => length >= shortestSecret);
    this.#known = [...new Set([...this.#known, ...long])].toSorted(
      (one, other) => other.length - one.length,
    );
  }

  addVariables(variables: readonly (readonly [name: string, value: string | undefined])[]): void {
    const secret = variables.filter(([name]) => !modelName.test(name));
    this.add(secret.map(([, value = ""]) => value));
  }

  hide(text: string): string {
    const withoutKnown = this.#known.reduce(
      (rest, secret) => rest.replaceAll(secret, hidden),
      text,
    );
    return withoutKnown.split("\n").map(withoutCredentials).join("\n");
  }
}

function withoutCredentials(line: string): string {
  const rest = patterns.reduce((rest, [pattern, by]) => rest.replace(pattern, by), line);
  return rest.includes("://") ? rest.replace(/[^\s"'<>]+/g, withoutUser) : rest;
}

/** Hides the user in an address, up to the last @ of a word: a password may have one, and a slash. A host's port is no password. */
function withoutUser(word: string): string {
  const parts = word.split("://");
  const index = parts.findIndex((part, at) => at > 0 && !/^[^:@/]*(:\d+)?(\/|$)/.test(part));
  const begin = `${parts.slice(0, index).join("://")}://`.length;
  const end = word.lastIndexOf("@");
  return index < 0 || end < begin ? word : word.slice(0, begin) + hidden + word.slice(end);
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
