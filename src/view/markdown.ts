import { type JsonValue, laidOut } from "../base/json.ts";
import { fenceFor, shortName } from "../base/text.ts";
import { isRehearsalOutput } from "../executions/model.ts";

/** VS Code asks about "unusual line terminators", and takes a file with NUL for a binary one. */
export function cleanText(text: string): string {
  return text.replace(/\r\n?|\u2028|\u2029/g, "\n").replaceAll("\0", "\uFFFD");
}

/** Escapes only what Markdown would interpret. */
export function inlineText(text: string): string {
  const marked = cleanText(text)
    .trim()
    .replace(/\s+/g, " ")
    .replace(/[\\`*[\]<]|(?<!\w)_|_(?!\w)/g, "\\$&");
  return withoutCommands(marked);
}

/** As {@link inlineText}, at the start of a line or list item, where it begins no other block. */
export function leadingText(text: string): string {
  return inlineText(text)
    .replace(/^(?=[#>+\-~=|])/, "\\")
    .replace(/^(\d+)(?=[.)])/, "$1\\");
}

export function inlineName(name: string): string {
  return inlineText(shortName(name));
}

/** Schemes that VS Code handles: commands and extension links. The limit keeps long texts fast. */
const actingScheme = /\b(command|(?:vscode|vscodium)[\w.+-]{0,40}|code-oss):(?=\S)/gi;
const characterReference = /&#x([\da-f]+);?|&#(\d+);?|&colon;?/gi;

/**
 * VS Code makes links even of escaped tags and character references (observed in 1.139). Code
 * blocks are included, since its parser decides what is one.
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

export function fencedLines(text: string, language: string): string[] {
  const fence = fenceFor(text);
  return [fence + language, ...cleanText(text).split("\n"), fence];
}

export function quotedLines(lines: readonly string[]): string[] {
  return lines.map((line) => (line === "" ? ">" : `> ${line}`));
}

export function jsonText(text: string): string | undefined {
  const trimmed = text.trim();
  if (!/^[{[]/.test(trimmed)) return undefined;
  try {
    JSON.parse(trimmed);
    return laidOut(trimmed);
  } catch {
    return undefined;
  }
}

/** JSON, also in a code block around the whole output, is formatted; anything else is Markdown. */
export function outputContent(output: string): { extension: "md" | "json"; text: string } {
  const json = jsonText(unfenced(output));
  return json === undefined
    ? { extension: "md", text: output }
    : { extension: "json", text: `${json}\n` };
}

function unfenced(output: string): string {
  const text = output.trim();
  const [opening, fence] = /^(`{3,}|~{3,})[ \t]*(?:json)?[ \t]*\r?\n/i.exec(text) ?? [];
  if (opening === undefined || fence === undefined || !text.endsWith(fence)) return output;
  const inside = text.slice(opening.length, -fence.length);
  return /\n[ \t]*$/.test(inside.slice(-100)) ? inside : output;
}

/** Of an output in a page or text: more is rendered too slowly. */
export const mostCharacters = 100_000;

export function contentOf(output: string) {
  const isCut = output.length >= mostCharacters;
  const { extension, text } = outputContent(output);
  if (extension === "json") return { kind: "json", text, isCut };
  // The beginning of a JSON text is none.
  const isText = isRehearsalOutput(output) || (isCut && /^\s*[{[]/.test(output));
  const kind = isText ? "text" : "markdown";
  return { kind, text: cleanText(text.slice(0, mostCharacters)), isCut };
}

export function valueText(value: JsonValue): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.slice(0, mostCharacters);
}
