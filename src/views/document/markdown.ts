import { shortName } from "../../base/text.ts";

/** Remote text with Markdown's line ends. VS Code asks about "unusual line terminators", and takes a file with a NUL for a binary one. */
export function cleanText(text: string): string {
  return text.replace(/\r\n?|\u2028|\u2029/g, "\n").replaceAll("\0", "\uFFFD");
}

/** Remote text as a part of a line. Only what Markdown would interpret gets a backslash. */
export function inlineText(text: string): string {
  const marked = cleanText(text)
    .trim()
    .replace(/\s+/g, " ")
    .replace(/[\\`*[\]<]|(?<!\w)_|_(?!\w)/g, "\\$&");
  return withoutCommands(marked);
}

/** A remote name, such as a task ID, as a short part of a line. */
export function inlineName(name: string): string {
  return inlineText(shortName(name));
}

/** Schemes that VS Code handles itself: commands, and links to extensions. The limit keeps long texts quick. */
const actingScheme = /\b(command|(?:vscode|vscodium)[\w.+-]{0,40}|code-oss):(?=\S)/gi;
const characterReference = /&#x([\da-f]+);?|&#(\d+);?|&colon;?/gi;

/**
 * Markdown without links that run a command or lead to an extension. A Markdown editor makes links of such addresses in links, in
 * definitions and in attributes of tags, even of escaped tags and of character references (observed in 1.139). It makes none in code
 * blocks, but its parser decides what is one.
 */
export function withoutCommands(markdown: string): string {
  const isActing = (text: string) => text.search(actingScheme) >= 0;
  const shown = markdown.replace(/^.*&(?:#|colon).*$/gim, (line) =>
    isActing(line.replace(characterReference, characterOf))
      ? line.replace(/&(?=#|colon)/gi, "\\&")
      : line,
  );
  return shown.replace(actingScheme, "$1\\:");
}

function characterOf(reference: string, hex = "3a", decimal?: string): string {
  const code = decimal === undefined ? parseInt(hex, 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : reference;
}

/** A code block; its fence is longer than any inside. */
export function fencedLines(text: string, language: string): string[] {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), (run) => run[0].length));
  const fence = "`".repeat(longest + 1);
  return [fence + language, ...cleanText(text).split("\n"), fence];
}

export function quotedLines(lines: readonly string[]): string[] {
  return lines.map((line) => (line === "" ? ">" : `> ${line}`));
}

/** A JSON object or array, laid out; undefined for any other text. */
export function jsonText(text: string): string | undefined {
  const trimmed = text.trim();
  if (!/^[{[]/.test(trimmed)) return undefined;
  try {
    JSON.parse(trimmed);
    return layOutJson(trimmed);
  } catch {
    return undefined;
  }
}

/** A string, a bracket, a comma or colon, or a number or word of JSON. */
const jsonToken = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Like `JSON.stringify` with two blanks, but every value stays as it was written: big numbers, escapes and repeated names. */
function layOutJson(json: string): string {
  const parts: string[] = [];
  let level = 0;
  let before = "";
  const newLine = () => `\n${"  ".repeat(level)}`;
  for (const [part] of json.matchAll(jsonToken)) {
    const opened = before === "{" || before === "[";
    if (part === "}" || part === "]") {
      level--;
      parts.push(opened ? "" : newLine(), part);
    } else {
      if (opened || before === ",") parts.push(newLine());
      parts.push(part === ":" ? ": " : part);
      if (part === "{" || part === "[") level++;
    }
    before = part;
  }
  return parts.join("");
}
