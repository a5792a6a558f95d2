import { layOutJson } from "./json-layout.ts";

/**
 * Text from a crew or a person with line ends as Markdown wants them. VS Code asks about "unusual line terminators" and
 * takes a file with a NUL for a binary one, so neither gets into a document.
 */
export function cleanText(text: string): string {
  return text.replace(/\r\n?|\u2028|\u2029/g, "\n").replaceAll("\0", "\uFFFD");
}

/** One line of somebody's text inside a line of ours: only marks that would be read as Markdown get a backslash, so that it stays readable. */
export function inlineText(text: string): string {
  const marked = cleanText(text)
    .trim()
    .replace(/\s+/g, " ")
    .replace(/[\\`*[\]<]|(?<!\w)_|_(?!\w)/g, "\\$&");
  return withoutCommands(marked);
}

/** Schemes of addresses that VS Code carries out itself: a command of its own, or what an extension does with a link to it. The bound keeps long texts quick. */
const actingScheme = /\b(command|(?:vscode|vscodium)[\w.+-]{0,40}|code-oss):(?=\S)/gi;
const characterReference = /&#x([\da-f]+);?|&#(\d+);?|&colon;?/gi;

/**
 * Markdown in which no address runs a command of VS Code or leads to an extension. In a Markdown editor VS Code makes a link of
 * such an address in a Markdown link, in a definition and in the attribute of a tag, even of one with a backslash before it and
 * with character references in the attribute, and a click on that link runs the command (observed in 1.139). It makes none in
 * code blocks, but what is a code block is for its parser to say: nothing here depends on it.
 */
export function withoutCommands(markdown: string): string {
  const shown = markdown.replace(/^.*&(?:#|colon).*$/gim, (line) =>
    isActing(line.replace(characterReference, characterOf))
      ? line.replace(/&(?=#|colon)/gi, "\\&")
      : line,
  );
  return shown.replace(actingScheme, "$1\\:");
}

function isActing(text: string): boolean {
  return text.search(actingScheme) >= 0;
}

/** The character that a reference such as `&#58;` or `&colon;` stands for. */
function characterOf(
  reference: string,
  hex: string | undefined,
  decimal: string | undefined,
): string {
  const code = decimal === undefined ? parseInt(hex ?? "3a", 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : reference;
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

/** A text that is JSON (an object or an array), laid out to be read; its values stay as they were written. Undefined for any other text. */
export function jsonText(text: string): string | undefined {
  const trimmed = text.trim();
  if (!/^[{[]/.test(trimmed)) return undefined;
  try {
    JSON.parse(trimmed);
    return layOutJson(trimmed);
  } catch {
    // Not JSON: it is shown as the text it is.
    return undefined;
  }
}
