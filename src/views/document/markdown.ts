/**
 * Text from a crew or a person with line ends as Markdown wants them. VS Code asks about "unusual line terminators" and
 * takes a file with a NUL for a binary one, so neither gets into a document.
 */
export function cleanText(text: string): string {
  return text.replace(/\r\n?|\u2028|\u2029/g, "\n").replaceAll("\0", "\uFFFD");
}

/** One line of somebody's text inside a line of ours: only marks that would be read as Markdown get a backslash, so that it stays readable. */
export function inlineText(text: string): string {
  return cleanText(text)
    .trim()
    .replace(/\s+/g, " ")
    .replace(/[\\`*[\]<]|(?<!\w)_|_(?!\w)/g, "\\$&");
}

/** A code block of exactly this text; its fence is longer than any inside. */
export function fencedLines(text: string, language: string): string[] {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), (run) => run[0].length));
  const fence = "`".repeat(longest + 1);
  return [fence + language, ...cleanText(text).split("\n"), fence];
}

/** Words as a block quote. */
export function quotedLines(lines: readonly string[]): string[] {
  return lines.map((line) => (line === "" ? ">" : `> ${line}`));
}

/**
 * A text that is JSON (an object or an array), ready to be read: laid out if that loses nothing, else as it came (big
 * numbers, repeated names). Undefined for any other text.
 */
export function jsonText(text: string): string | undefined {
  const trimmed = text.trim();
  if (!/^[{[]/.test(trimmed)) return undefined;
  try {
    const value: unknown = JSON.parse(trimmed);
    return JSON.stringify(value) === trimmed ? JSON.stringify(value, undefined, 2) : trimmed;
  } catch {
    // Not JSON: it is shown as the text it is.
    return undefined;
  }
}
