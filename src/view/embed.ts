import * as l10n from "@vscode/l10n";
import { formatSize } from "../base/text.ts";
import { cleanText, fencedLines, jsonText, quotedLines } from "./markdown.ts";
import { isLarge } from "./outputs.ts";
import { sanitizedLines } from "./sanitized.ts";
import type { Part } from "./sections.ts";
import { isRehearsalOutput } from "../executions/model.ts";

/** Characters shown of a large output. */
const beginning = 100_000;
/** Lines and tags of an output that is shown whole: each takes time whenever the document is rendered. */
const mostMarks = 25_000;

export function outputPart(
  id: string,
  heading: readonly string[],
  output: string,
  level: number,
): Part {
  const above = heading.length === 0 ? [] : [...heading, ""];
  if (output.trim() === "") return { id, lines: [...above, `*${l10n.t("empty output")}*`] };
  if (!isLarge(output) && !hasManyMarks(output))
    return { id, lines: [...above, ...outputLines(output, level)] };
  const note = l10n.t(
    "This output is large: {0}. Here is its beginning; “Open Output” shows all of it.",
    formatSize(Buffer.byteLength(output)),
  );
  const text = output.slice(0, beginning);
  const end = text.lastIndexOf("\n");
  const shown = `${end < beginning / 2 ? text : text.slice(0, end)}\n\n…`;
  return { id, lines: [...above, ...quotedLines([note]), "", ...outputLines(shown, level)] };
}

function hasManyMarks(output: string): boolean {
  let marks = 0;
  for (let at = 0; at < output.length && marks <= mostMarks; at++)
    if (output[at] === "\n" || output[at] === "<") marks++;
  return marks > mostMarks;
}

/** An output's Markdown, with headings below `level`, and without HTML. JSON becomes a code block. */
export function outputLines(output: string, level: number): string[] {
  const text = cleanText(output);
  const json = jsonText(text);
  if (json !== undefined) return fencedLines(json, "json");
  const readable = isRehearsalOutput(text) ? withLines(text) : text;
  return sanitizedLines(readable.trimEnd().replace(/^(?:[ \t]*\n)+/, ""), level);
}

export function withLines(text: string): string {
  return text.replace(/(\S)[ \t]*\n(?=[ \t]*\S)/g, "$1  \n");
}
