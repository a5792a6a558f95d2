import * as l10n from "@vscode/l10n";

const maxProcessed = 10_000;

/** Without control characters and marks that change the text direction. */
export function oneLine(text: string, longest = maxProcessed): string {
  const line = text
    .slice(0, maxProcessed)
    .replace(/(?!\u200d)\p{Cf}/gu, "") // Keep the zero-width joiner of emoji.
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
  const characters = Array.from(line);
  if (characters.length <= longest) return line;
  const beginning = characters.slice(0, longest - 1).join("");
  return `${beginning.trimEnd()}…`;
}

/** A remote name, such as a task ID, for display only. */
export function shortName(name: string): string {
  return oneLine(name, 80);
}

/** "812 bytes", "12 kB", "5.2 MB". */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return l10n.t("{0} bytes", bytes);
  if (bytes < 1_000_000) return l10n.t("{0} kB", Math.round(bytes / 1000));
  return l10n.t("{0} MB", Math.round(bytes / 100_000) / 10);
}

/** In UTF-16 units; one longer if that keeps a surrogate pair together. */
export function pieceOf(text: string, offset: number, longest: number) {
  const at = offset + longest;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) ? at + 1 : at;
  return { text: text.slice(offset, end), ...(end < text.length ? { next: end } : {}) };
}

/** Ends with the number of omitted characters. */
export function shortened(text: string, longest: number): string {
  const { text: beginning, next } = pieceOf(text, 0, longest);
  return next === undefined
    ? text
    : `${beginning} … ${l10n.t("({0} more characters, not shown)", text.length - next)}`;
}

const invisible = /[\p{Cf}\p{Co}\u2028\u2029]|(?![\n\t])\p{Cc}/gu;

export function visible(text: string, hidden = invisible): string {
  const escaped = (character: string) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  return text.replace(hidden, escaped);
}

/** The marks of a code block, longer than any inside. */
export function fenceFor(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return "`".repeat(longest + 1);
}

/** For HTML and XML, without what XML can't hold. */
export function escaped(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu, "\ufffd")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;");
}

/** The same for a tool's own name and for the one that newer versions of crewAI give it, for the model and in events. */
export function plainName(tool: string): string {
  const name = tool.normalize("NFKD").toLowerCase();
  return name.replace(/[^a-z0-9]/g, "") || tool.trim();
}

export function withoutEndSlashes(text: string): string {
  return text.replace(/(?<!\/)\/+$/, "");
}

/** Whether crewAI fills in an input of this name (`interpolate_only`, 1.0 to 1.15). Others, such as `"a": 1`, never reach a model. */
export function isFilled(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name);
}

/** The input that crewAI needs where it asks for another: of `{{topic}}`, it asks for `{topic`. */
export function filledIn(name: string): string | undefined {
  return isFilled(name) ? undefined : /\{([A-Za-z_][A-Za-z0-9_-]*)$/.exec(name)?.[1];
}
